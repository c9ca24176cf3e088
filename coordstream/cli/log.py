"""`coordstream log`: the logs, and the events on one of them."""

import sys
from itertools import islice
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.completion import complete_stream
from coordstream.cli.database import Database, open_database
from coordstream.cli.event_rows import EVENT_COLUMNS, event_row
from coordstream.cli.log_append import append
from coordstream.cli.log_create import create
from coordstream.cli.log_tail import tail
from coordstream.cli.logs import find_log
from coordstream.cli.options import MOST, Json, Utc
from coordstream.cli.rows import Row, fetch
from coordstream.cli.tables import Column, print_rows
from eventlog.archive import read_archive
from projections.registry import RegisteredLog

app = typer.Typer(no_args_is_help=True)
app.command()(create)
app.command()(append)
app.command()(tail)

LOGS: Final = sql.SQL(
    """
    select j.job_name, j.job_id, j.stream_name, j.stream_kind, j.incarnation, j.is_current, l.backend, l.created_at,
           p.next_offset
    from projection.archived_log l join projection.job_log j using (log_id) join projection.position p using (log_id)
    order by j.job_name, j.job_id, j.stream_kind desc, j.incarnation
    """
)
LOG_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
    Column("stream", "stream_name"),
    Column("kind", "stream_kind"),
    Column("inc.", "incarnation", "right"),
    Column("current", "is_current"),
    Column("from", "backend"),
    Column("next offset", "next_offset", "right"),
)


@app.callback()
def log() -> None:
    """The logs, and the events on them."""


@app.command()
def show(
    stream: Annotated[
        str | None,
        typer.Argument(metavar="[STREAM]", help="None: which logs there are.", autocompletion=complete_stream),
    ] = None,
    first: Annotated[int, typer.Option("--from", min=0, max=MOST, help="First offset.")] = 0,
    last: Annotated[int, typer.Option("--to", min=0, max=MOST, help="Last offset.")] = MOST,
    limit: Annotated[int, typer.Option(min=1, max=MOST - 1, help="So many events at most.")] = 100,
    incarnation: Annotated[int | None, typer.Option(min=1, help="Instead of the current one.")] = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show the events of a stream, secrets as fingerprints; without a stream, which logs there are."""
    with open_database() as database:
        if stream is None:
            print_rows(fetch(database.connection, LOGS), LOG_COLUMNS, title="Logs", as_json=as_json, utc=utc)
            return
        found = find_log(database.connection, stream, incarnation)
        rows = _events(database, found, first, last, limit + 1)
    print_rows(rows[:limit], EVENT_COLUMNS, title=stream, as_json=as_json, utc=utc)
    if len(rows) > limit:
        print(f"there are more: go on with --from {rows[limit]['log_offset']}.", file=sys.stderr)


def _events(database: Database, log: RegisteredLog, first: int, last: int, limit: int) -> list[Row]:
    until = min(last, log.next_offset) + (last < log.next_offset)
    events = read_archive(database.connection, log.log_id, first, until, page=min(limit, 10_000))
    secrets = database.secrets
    place = {"stream_name": log.stream.stream_name, "stream_kind": log.stream.stream_kind}
    return [{**place, "incarnation": log.incarnation, **event_row(event, secrets)} for event in islice(events, limit)]
