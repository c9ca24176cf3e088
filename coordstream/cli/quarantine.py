"""`coordstream quarantine`: events that could not be decoded."""

from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import Json, MaybeJob, Newest
from coordstream.cli.output import Column, exact_time_column, print_rows
from coordstream.database import open_database
from coordstream.queries.rows import fetch, job_values
from projections.job_choice import find_job

app = typer.Typer()

QUARANTINE: Final = sql.SQL("""
select n.* from (
  select q.* from coordinator.quarantine q
  where (%(name)s::text is null or q.job_name = %(name)s and q.job_id = %(id)s)
    and (not q.is_resolved or %(resolved)s)
  order by q.record_time desc nulls last, q.stream_name, q.incarnation desc, q.log_offset desc limit %(limit)s) n
order by n.stream_name, n.incarnation, n.log_offset
""")
COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("offset", "log_offset", "right"),
    exact_time_column("recorded", "record_time", drop=2),
    Column("reason", "reason", drop=3),
    Column("what is wrong", "detail"),
    Column("key", "key_text", drop=1),
)
_RESOLVED: Final = Column("resolved", "is_resolved")


@app.command()
def quarantine(
    job: MaybeJob = None,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Include those whose key has a valid value again, or was deleted.")
    ] = False,
    limit: Newest = None,
    as_json: Json = False,
) -> None:
    """Show the events that could not be decoded, and why. Their bytes are in the table eventlog.event.

    Example: coordstream quarantine wordcount --resolved
    """
    with open_database() as database:
        found = None if job is None else find_job(database.connection, job)
        chosen = {"resolved": resolved, "limit": limit}
        rows = fetch(database.connection, QUARANTINE, {**job_values(found), **chosen})
    columns = (*COLUMNS, _RESOLVED) if resolved else COLUMNS
    title = f"Quarantine of {found or 'all jobs'}"
    print_rows(rows, columns, title=title, as_json=as_json)
