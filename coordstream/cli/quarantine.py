"""`coordstream quarantine show`: events that could not be decoded."""

from typing import Annotated, Final

import typer
from psycopg import sql

<<<<<<< HEAD
from coordstream.cli.arguments.options import Csv, Json, MaybeJob, Newest, Since, Until, Utc
from coordstream.cli.output.tables import Column, exact_time_column, print_rows
=======
from coordstream.cli.arguments import Csv, Json, MaybeJob, Newest, Since, Until, Utc
from coordstream.cli.output import Column, exact_time_column, print_rows
from coordstream.cli.verbs import Verb
>>>>>>> 6cab2d8c (Put arguments, positions and output of commands in one module each)
from coordstream.database import open_database
from coordstream.queries.rows import fetch
from projections.job_choice import find_job

app = typer.Typer(no_args_is_help=True)

QUARANTINE: Final = sql.SQL(
    """
    select n.* from (
      select q.* from coordinator.quarantine q
      where (%(name)s::text is null or q.job_name = %(name)s and q.job_id = %(id)s)
        and (not q.is_resolved or %(shows_all)s)
        and (%(since)s::timestamptz is null or q.record_time >= %(since)s)
        and (%(until)s::timestamptz is null or q.record_time <= %(until)s)
      order by q.record_time desc nulls last, q.stream_name, q.incarnation desc, q.log_offset desc limit %(limit)s) n
    order by n.stream_name, n.incarnation, n.log_offset
    """
)
COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("offset", "log_offset", "right"),
    exact_time_column("recorded", "record_time", drop=2),
    Column("reason", "reason", drop=3),
    Column("what is wrong", "detail"),
    Column("key", "key_text", drop=1),
)
RESOLVED: Final = Column("resolved", "is_resolved")


@app.command()
def show(
    job: MaybeJob = None,
    shows_all: Annotated[
        bool,
        typer.Option(
            "--all", help="Include events whose key has since been overwritten with a valid value, or deleted."
        ),
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the events that could not be decoded, and why. Their bytes are in eventlog.event."""
    with open_database() as database:
        found = None if job is None else find_job(database.connection, job)
        name, job_id = found or (None, None)
        chosen = {"shows_all": shows_all, "since": since, "until": until, "limit": limit}
        rows = fetch(database.connection, QUARANTINE, {"name": name, "id": job_id, **chosen})
    columns = (*COLUMNS, RESOLVED) if shows_all else COLUMNS
    title = f"Quarantine of {found or 'all jobs'}"
    print_rows(rows, columns, title=title, as_json=as_json, as_csv=as_csv, utc=utc)
