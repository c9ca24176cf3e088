"""`coordstream retention`: detaches the history before a horizon."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import typer
from psycopg.errors import LockNotAvailable

from coordstream.cli.arguments import Json, Yes
from coordstream.cli.job_selection import LOG_NAMES, All, JobLog, Jobs, require_selection, selected_logs
from coordstream.cli.lakes import runner
from coordstream.cli.output import Column, confirm, event_status, exact_time_column, print_rows
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError, note
from coordstream.queries.rows import rows_of
from coordstream.times import parse_length
from eventlog.postgres.connection import Connection
from projections.fold.settings import FoldSettings
from projections.retention import Check, Retention, horizon_before, plan_retention, retain

app = typer.Typer()

COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("inc.", "incarnation", "right", drop=3),
    exact_time_column("retained from", "horizon_time"),
    Column("from offset", "horizon_offset", "right", drop=2),
    Column("events detached", "removed_events", "right"),
    Column("bytes", "removed_bytes", "right"),
    Column("kept below", "base_events", "right", drop=1),
)
_ROW: Final = (
    *(*LOG_NAMES, "horizon_time", "horizon_offset"),
    *("removed_events", "removed_bytes", "base_events", "partitions", "detached_tables"),
)


MOST_KEPT: Final = timedelta(days=36_525)


def parse_keep(text: str) -> timedelta:
    """Parse how much history to keep, as in ``365d``.

    Raises `typer.BadParameter`: the text is not a duration of more than 0 and at most 100 years.
    """
    try:
        length = parse_length(text)
    except OverflowError:
        length = None
    if length is None or not timedelta(0) < length <= MOST_KEPT:
        raise typer.BadParameter(f'Invalid duration {text!r}. Use more than 0, as in "365d", "52w" or "36h".')
    return length


@app.command()
def retention(
    keep: Annotated[
        timedelta,
        typer.Option(
            metavar="DURATION",
            parser=parse_keep,
            help="How much history to keep, counted back from the newest event of the database: '365d'.",
        ),
    ],
    jobs: Jobs = None,
    every: All = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show which events would be detached, without verifying.")
    ] = False,
    archived_in: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Only if this lake of `coordstream export --lake` has all events to detach."),
    ] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Detach events before a horizon, except those that the state there needs.

    The current state, and the state as of any time since the horizon, stay the same. For other times, as-of functions
    raise an error, and histories keep only the events of the state at the horizon. The archive loses nothing: a
    partition with events to detach is replaced by a copy without them, and stays, detached, as a table of its own.
    Followers may run meanwhile. With --all, it asks for confirmation.

    Example: coordstream retention --all --keep 365d --dry-run
    """
    require_selection(jobs, every=every)
    with open_database(lifts_timeouts=True) as database:
        logs = selected_logs(database.connection, jobs or [])
        horizon = horizon_before(database.connection, keep)
        if horizon is None:
            raise CoordstreamError("No event is that old: nothing was detached.")
        if every and not dry_run:
            question = f"Detach the history of all jobs before {horizon.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC?"
            confirm(question, yes=yes, done="detached")
        settings = FoldSettings(database.secrets)
        check: Check = (lambda _, __: None) if archived_in is None else _lake_check(archived_in, database, logs)
        found = _run(database.connection, logs, settings, horizon, check, is_dry=dry_run)
    rows = rows_of(_ROW, _values(logs, found))
    title = "Events to detach" if dry_run else "Detached events"
    print_rows(rows, COLUMNS, title=title, as_json=as_json)
    _explain(found, is_dry=dry_run)


def _lake_check(output: str, database: Database, logs: Sequence[JobLog]) -> Check:
    run = runner(database)
    from spark_jobs.lake.comparison import lake_check  # noqa: PLC0415 (loads deltalake)

    return lake_check(output, [each.log for each in logs], run)


def _run(
    connection: Connection,
    logs: Sequence[JobLog],
    settings: FoldSettings,
    horizon: datetime,
    check: Check,
    *,
    is_dry: bool,
) -> Retention:
    tracked = [each.log for each in logs]
    if is_dry:
        planned = plan_retention(connection, tracked, settings, horizon)
        for each in planned.logs:
            check(connection, each)
        return planned
    try:
        with event_status() as started:
            show = started("retention")
            return retain(connection, tracked, settings, horizon, check=check, on_progress=show)
    except LockNotAvailable:
        raise CoordstreamError("Nothing was detached: another session uses the archive. Try again later.") from None


def _values(logs: Sequence[JobLog], found: Retention) -> Iterator[tuple[object, ...]]:
    named = {each.log.log_id: each.names for each in logs}
    for each in found.logs:
        horizon = (f"{each.horizon_time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z", each.horizon_offset)
        removed = (each.removed_events, each.removed_bytes, len(each.base))
        yield (*named[each.log.log_id], *horizon, *removed, sorted(each.partitions), list(found.detached_tables))


def _explain(found: Retention, *, is_dry: bool) -> None:
    """Say on standard error which tables were detached, and what can be done with them."""
    if not found.logs:
        note("No event is older than the horizon and not needed: nothing to detach.")
    elif not is_dry:
        print("Detached tables, with all events of their offsets:", file=sys.stderr)
        for table in found.detached_tables:
            print(f"  {table}", file=sys.stderr)
        note("To free their space: back them up, then drop table.")
