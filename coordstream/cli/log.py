"""`coordstream log show`: the logs, and the events on one of them."""

import sys
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.database import Database, open_database
from coordstream.cli.logs import find_log
from coordstream.cli.options import MOST, Json
from coordstream.cli.rows import Row, fetch
from coordstream.cli.tables import Column, print_rows, time_column
from eventlog.archive import read_archive
from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from projections.registry import RegisteredLog

app = typer.Typer(no_args_is_help=True)

LOGS: Final = sql.SQL(
    """
    select j.job_name, j.job_id, l.stream_name, l.stream_kind, l.incarnation, j.is_current, l.backend, l.created_at,
           p.next_offset
    from eventlog.log l join projection.job_log j using (log_id) join projection.position p using (log_id)
    order by j.job_name, j.job_id, l.stream_kind desc, l.incarnation
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
EVENT_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    time_column("time", "record_time"),
    Column("key", "key"),
    Column("value", lambda row: "(tombstone)" if row["operation"] == "delete" else row["value"]),
)


@app.callback()
def log() -> None:
    """The logs, and the events on them."""


@app.command()
def show(
    stream: Annotated[str | None, typer.Argument(metavar="[STREAM]", help="None: which logs there are.")] = None,
    first: Annotated[int, typer.Option("--from", min=0, max=MOST, help="First offset.")] = 0,
    last: Annotated[int, typer.Option("--to", min=0, max=MOST, help="Last offset.")] = MOST,
    limit: Annotated[int, typer.Option(min=1, max=MOST - 1, help="So many events at most.")] = 100,
    incarnation: Annotated[int | None, typer.Option(min=1, help="Instead of the current one.")] = None,
    as_json: Json = False,
) -> None:
    """Show the events of a stream, secrets as fingerprints; without a stream, which logs there are."""
    with open_database() as database:
        if stream is None:
            print_rows(fetch(database.connection, LOGS), LOG_COLUMNS, title="Logs", as_json=as_json)
            return
        found = find_log(database.connection, stream, incarnation)
        rows = _events(database, found, first, last, limit + 1)
    print_rows(rows[:limit], EVENT_COLUMNS, title=stream, as_json=as_json)
    if len(rows) > limit:
        print(f"there are more: go on with --from {rows[limit]['log_offset']}.", file=sys.stderr)


def event_row(log: RegisteredLog, event: RecordedEvent, value_bytes: int | None) -> Row:
    """An event, masked already, as a row; ``value_bytes`` is the size of what the log holds.

    ``record_time`` is null where Python's calendar ends; ``timestamp`` has it in ms since 1970 all the same.
    """
    return {
        "stream_name": log.stream.stream_name,
        "stream_kind": log.stream.stream_kind,
        "incarnation": log.incarnation,
        "log_offset": event.offset,
        "record_time": _iso(event.timestamp),
        "timestamp": event.timestamp,
        "operation": "set" if event.value is not None else "delete",
        "key": _text(event.key),
        "value": _text(event.value),
        "value_bytes": value_bytes,
    }


def _events(database: Database, log: RegisteredLog, first: int, last: int, limit: int) -> list[Row]:
    until = min(last, log.next_offset) + (last < log.next_offset)
    events = read_archive(database.connection, log.log_id, first, until, page=min(limit, 10_000))
    secrets = database.secrets
    rows = []
    for event in events:
        rows.append(event_row(log, mask_event(event, secrets), None if event.value is None else len(event.value)))
        if len(rows) == limit:
            break
    return rows


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")


def _iso(timestamp: int) -> str | None:
    try:
        time = datetime.fromtimestamp(timestamp / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
