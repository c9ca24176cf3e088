"""`coordstream follow`: read streams into the relations as they grow."""

from time import monotonic
from typing import Final

import typer
from rich.console import Console

from coordstream.cli.arguments.options import Kind
from coordstream.cli.database import database_errors
from coordstream.cli.event_logs import source_of
from coordstream.cli.follow.options import (
    All,
    Format,
    JsonReport,
    Once,
    Streams,
    TakeOverAfter,
    Timeout,
    UntilOffset,
)
from coordstream.cli.follow.outcome import SIGNALLED, describe_end, exit_code, stream_row
from coordstream.cli.follow.progress import FollowProgress, LogFormat
from coordstream.cli.follow.start import describe_start, wait_for_database
from coordstream.cli.follow.stop import StopRequest, stop_on_signal_or_timeout
from coordstream.cli.output.formats import print_json
from eventlog.log import system_clock
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower, Outcome

OUTAGE_TIMEOUT_SECONDS: Final = 60.0
"""How long a follower with an end, and without --timeout, waits for brokers and database that do not answer."""

app = typer.Typer()


@app.command()
def follow(
    streams: Streams = None,
    follows_all: All = False,
    once: Once = False,
    until: UntilOffset = None,
    timeout: Timeout = None,
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
    log_format: Format = LogFormat.TEXT,
    as_json: JsonReport = False,
) -> None:
    """Follow streams on the Kafka brokers of the settings, or else in the database. SIGTERM stops it cleanly.

    Exit codes:

    - 0: done, or stopped by a signal without --once and --until
    - 1: a stream, the brokers or the database refused
    - 3: the timeout expired
    - 4: the brokers or the database did not answer until the timeout, or for a minute
    - 128 + number of a signal: stopped by it before the end that --once or --until names
    """
    names = tuple(dict.fromkeys(streams or ()))
    _check_usage(names, follows_all, once, until, timeout)
    plan = FollowPlan(names, follows_all, once, until, kind, take_over_after)
    with (
        stop_on_signal_or_timeout(timeout) as stop,
        FollowProgress(Console(stderr=True), monotonic, system_clock, log_format) as progress,
    ):
        outcome = _follow(plan, stop, progress, OUTAGE_TIMEOUT_SECONDS if plan.has_end and timeout is None else None)
        progress.message(describe_end(plan, stop, outcome))
    if as_json:
        print_json([stream_row(plan, stream) for stream in outcome.streams])
    elif plan.has_end:
        print(f"{outcome.events} events read")
    _exit(exit_code(plan, stop, outcome))


def _check_usage(
    names: tuple[str, ...], follows_all: bool, once: bool, until: int | None, timeout: float | None
) -> None:
    if bool(names) == follows_all:
        raise typer.BadParameter("Name the streams to follow, or use --all.")
    if until is not None and (once or len(names) != 1):
        raise typer.BadParameter("--until needs the name of exactly one stream, and cannot be used with --once.")
    if timeout is not None and not once and until is None:
        raise typer.BadParameter("--timeout needs --once or --until.")


def _follow(plan: FollowPlan, stop: StopRequest, progress: FollowProgress, outage_timeout: float | None) -> Outcome:
    found = wait_for_database(stop, outage_timeout, progress.message)
    if found is None:
        return Outcome(0, {}, is_complete=False, outage="the database cannot be reached")
    settings, url = found.database.settings, found.database.url
    with database_errors(settings), source_of(settings, url) as source:
        progress.message(describe_start(plan, settings, found.place))
        follower = Follower(
            url,
            source,
            FoldSettings(found.database.secrets),
            system_clock,
            plan,
            on_message=progress.message,
            on_progress=progress.batch,
            outage_timeout=outage_timeout,
        )
        stop.stop_with(follower.stop)
        return follower.run()


def _exit(code: int) -> None:
    if code > SIGNALLED:
        raise SystemExit(code)  # Typer would take 130 for an interrupt that it has to report
    if code:
        raise typer.Exit(code)
