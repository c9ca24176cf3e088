"""`coordstream log show`: the logs, or the events of one of them."""

import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import MOST, Csv, Json, Since, Until, Utc, complete_stream, parse_count, parse_offset
from coordstream.cli.log.event_rows import EVENT_COLUMNS, EVENT_FIELDS, event_row
from coordstream.cli.log.find import find_log
from coordstream.cli.output import Column, print_rows
from coordstream.cli.verbs import Verb
from coordstream.database import Database, open_database
from coordstream.queries.rows import Row, RowStream, fetch
from eventlog.postgres.archive import read_archive
from eventlog.postgres.connection import Connection
from eventlog.timestamps import ms_of
from projections.tracked_logs import TrackedLog

app = typer.Typer(no_args_is_help=True)
VERBS: Final = (
    Verb("create", "log.create", "create"),
    Verb("append", "log.append", "append"),
    Verb("tail", "log.tail", "tail"),
    Verb("retire", "log.retire", "retire"),
)

PAGE_EVENTS: Final = 10_000
SHOWN: Final = ("stream_name", "stream_kind", "incarnation", *EVENT_FIELDS)
LOGS: Final = sql.SQL(
    """
    select j.job_name, j.job_id, j.stream_name, j.stream_kind, j.incarnation, j.is_current, l.backend, l.created_at,
           p.next_offset
    from projection.archived_log l join projection.job_log j using (log_id) join projection.position p using (log_id)
    order by j.job_name, j.job_id, j.stream_kind desc, j.incarnation
    """
)
_BEFORE: Final = "select cut from projection.log_cut(%s, %s - interval '1 microsecond')"
LOG_COLUMNS: Final = (
    Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
    Column("stream", "stream_name", no_wrap=True),
    Column("next offset", "next_offset", "right"),
    Column("from", "backend"),
    Column("kind", "stream_kind", drop=1),
    Column("current", "is_current", drop=2),
    Column("inc.", "incarnation", "right", drop=3),
)


@app.command()
def show(
    stream: Annotated[
        str | None,
        typer.Argument(metavar="STREAM", help="Its name. Without it, list the logs.", autocompletion=complete_stream),
    ] = None,
    first: Annotated[int, typer.Option("--from", metavar="OFFSET", parser=parse_offset, help="First offset.")] = 0,
    last: Annotated[
        int | None,
        typer.Option("--to", metavar="OFFSET", parser=parse_offset, help="Last offset (default: the newest)."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", parser=parse_count, help="Show at most this many events.")] = 100,
    since: Since = None,
    until: Until = None,
    incarnation: Annotated[
        int | None, typer.Option(metavar="N", parser=parse_count, help="Instead of the current one.")
    ] = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the events of a stream, with secrets as fingerprints. Without a stream, list the logs."""
    with open_database() as database:
        if stream is None:
            logs = fetch(database.connection, LOGS)
            print_rows(logs, LOG_COLUMNS, title="Logs", as_json=as_json, as_csv=as_csv, utc=utc)
            return
        found = find_log(database.connection, stream, incarnation)
        rows = _events(database, found, (first, MOST if last is None else last), (since, until), limit + 1)
        shown = RowStream(SHOWN, islice(rows, limit))
        print_rows(shown, EVENT_COLUMNS, title=stream, as_json=as_json, as_csv=as_csv, utc=utc)
        more = next(rows, None)
    if more is not None:
        print(f"There are more events. Continue with --from {more['log_offset']}.", file=sys.stderr)


def _events(
    database: Database,
    log: TrackedLog,
    offsets: tuple[int, int],
    times: tuple[datetime | None, datetime | None],
    page: int,
) -> Iterator[Row]:
    """The events from the first to the last offset with record times between the two times."""
    (first, last), (since, until) = offsets, times
    if since is not None:
        first = max(first, _first_since(database.connection, log, since))
    after_last = min(last, log.next_offset) + (last < log.next_offset)
    secrets = database.secrets
    place = {"stream_name": log.stream.stream_name, "stream_kind": log.stream.stream_kind}
    for event in read_archive(database.connection, log.log_id, first, after_last, page=min(page, PAGE_EVENTS)):
        if (since is None or event.timestamp >= ms_of(since)) and (until is None or event.timestamp <= ms_of(until)):
            yield {**place, "incarnation": log.incarnation, **event_row(event, secrets)}


def _first_since(connection: Connection, log: TrackedLog, time: datetime) -> int:
    """An offset before which all records are older than a time; 0 if log_time does not reach the time."""
    row = connection.execute(_BEFORE, (log.log_id, time)).fetchone()
    return 0 if row is None or row[0] >= log.next_offset else int(row[0]) + 1
