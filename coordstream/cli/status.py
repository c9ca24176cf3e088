"""`coordstream status`: how far each log has been read, and whether its follower is live."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Json, Utc, parse_duration_or_zero, parse_limit
from coordstream.cli.output import Column, print_rows, time_column
from coordstream.database import open_database
from coordstream.errors import note
from coordstream.queries.logs import Limits, faults, is_to_rebuild, logs_now, silent_holders
from coordstream.queries.rows import Row
from eventlog.errors import by_cause
from eventlog.source import RECORDING
from projections.job_choice import NO_LOGS

app = typer.Typer()


def heartbeat(row: Row) -> str | None:
    """The last heartbeat of a log's follower; a recording has none."""
    return None if row["backend"] == RECORDING else row["heartbeat_at"]


TITLE: Final = "Logs (bad: events in quarantine; gaps: offsets missing from the archive)"
COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("state", "state", no_wrap=True),
    Column("lag", lambda row: or_unknown(row["lag"]), "right"),
    time_column("last event", "last_event_time", drop=2),
    time_column("heartbeat", heartbeat, drop=1),
    Column("bad", "quarantine_open", "right"),
    Column("gaps", "gap_count", "right", drop=3),
    Column("next", "next_offset", "right", drop=5),
    Column("end", lambda row: or_unknown(row["end_offset"]), "right", drop=4),
    Column("inc.", "incarnation", "right", drop=6),
)


@app.command()
def status(
    max_lag: Annotated[
        int | None,
        typer.Option(metavar="OFFSETS", parser=parse_limit, help="Exit with 1 if a log's lag is larger, or unknown."),
    ] = None,
    max_age: Annotated[
        float | None,
        typer.Option(
            metavar="DURATION",
            parser=parse_duration_or_zero,
            help="Exit with 1 if a log's last heartbeat is older, even if it was stopped.",
        ),
    ] = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show how far each log has been read, and whether its follower is live.

    Problems are listed by cause. For monitors: the exit code is 1 if a log is lost, refused or waiting, if its follower
    hangs, if its topic is missing, if a recording was imported partly, if rows have to be rebuilt, or if the brokers do
    not answer.

    Example: coordstream status --max-age 60 --max-lag 1000
    """
    with open_database() as database:
        rows, unreachable = logs_now(database)
        silent = silent_holders(database.connection)
    print_rows(rows, COLUMNS, title=TITLE, as_json=as_json, utc=utc)
    found = [*faults(rows, Limits(max_lag, max_age)), *(silent.items() if rows else ())]
    sentences = [*filter(None, [unreachable]), *by_cause(found)]
    note("" if rows or sentences else NO_LOGS)
    for sentence in sentences:
        note(sentence)
    if sentences or any(map(is_to_rebuild, rows)):  # what is to be rebuilt was reported when the database was opened
        raise typer.Exit(1)


def or_unknown(number: int | None) -> str:
    """A number, or ``unknown``."""
    return "unknown" if number is None else str(number)
