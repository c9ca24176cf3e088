"""Runs a follower for a command: waits for the database, follows until done or stopped, and tells how it ended."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic
from typing import Final

import typer
from rich.console import Console

from coordstream.cli.follow.outcome import SIGNALLED, describe_end, exit_code, stream_row
from coordstream.cli.follow.progress import FollowProgress, LogFormat
from coordstream.cli.follow.start import describe_start, wait_for_database
from coordstream.cli.follow.stop import StopRequest, stop_on_signal_or_timeout
from coordstream.cli.output import print_json
from coordstream.database import Database, database_errors
from eventlog.log import system_clock
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower, Outcome

OUTAGE_TIMEOUT_SECONDS: Final = 60.0
"""How long a follower with an end, and without --timeout, waits for brokers and database that do not answer."""


@dataclass(frozen=True)
class FollowRequest:
    """What a following command was asked to do, and the lines that it prints."""

    plan: FollowPlan
    progress: FollowProgress
    outage_timeout: float | None


OpenFollower = Callable[[Database, FollowRequest], AbstractContextManager[Follower]]


def check_streams(
    names: tuple[str, ...], follows_all: bool, once: bool, until: int | None, timeout: float | None
) -> None:
    """Raise BadParameter unless either streams or all of them are named, and the options fit together."""
    if bool(names) == follows_all:
        raise typer.BadParameter("Name the streams to follow, or use --all.")
    if until is not None and (once or len(names) != 1):
        raise typer.BadParameter("--until needs the name of exactly one stream, and cannot be used with --once.")
    if timeout is not None and not once and until is None:
        raise typer.BadParameter("--timeout needs --once or --until.")


def run_follow(
    plan: FollowPlan, open_follower: OpenFollower, *, timeout: float | None, log_format: LogFormat, as_json: bool
) -> None:
    """Follow, and exit with the code that `coordstream follow` documents."""
    with (
        stop_on_signal_or_timeout(timeout) as stop,
        FollowProgress(Console(stderr=True), monotonic, system_clock, log_format) as progress,
    ):
        outage_timeout = OUTAGE_TIMEOUT_SECONDS if plan.has_end and timeout is None else None
        outcome = _follow(FollowRequest(plan, progress, outage_timeout), stop, open_follower)
        progress.message(describe_end(plan, stop, outcome))
    if as_json:
        print_json([stream_row(plan, stream) for stream in outcome.streams])
    elif plan.has_end:
        print(f"{outcome.events} event{'' if outcome.events == 1 else 's'} read")
    _exit(exit_code(plan, stop, outcome))


def _follow(request: FollowRequest, stop: StopRequest, open_follower: OpenFollower) -> Outcome:
    found = wait_for_database(stop, request.outage_timeout, request.progress.message)
    if found is None:
        return Outcome(0, {}, is_complete=False, outage="the database cannot be reached")
    settings = found.database.settings
    with database_errors(settings), open_follower(found.database, request) as follower:
        request.progress.message(describe_start(request.plan, settings, found.place))
        stop.stop_with(follower.stop)
        return follower.run()


def _exit(code: int) -> None:
    if code > SIGNALLED:
        raise SystemExit(code)  # Typer would take 130 for an interrupt that it has to report
    if code:
        raise typer.Exit(code)
