"""`coordstream follow`: read streams into the relations as they grow."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final

import typer

from coordstream.cli.arguments import Kind, duration_option
from coordstream.cli.long_running import (
    FollowAll,
    Format,
    JsonReport,
    LogFormat,
    LogLines,
    Once,
    StopRequest,
    Streams,
    Timeout,
    stop_on_signal_or_timeout,
)
from coordstream.cli.output import counted, print_json
from coordstream.database import Database, DatabaseUnreachable, database_errors, open_database
from coordstream.event_logs import source_of
from coordstream.input_system import observing_inputs
from coordstream.settings import Settings
from eventlog.backoff import Backoff
from eventlog.errors import list_names
from eventlog.log import system_clock
from eventlog.notice import Notice
from eventlog.source import EventSource
from eventlog.streams import StreamKind
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import FollowedStream, FollowPlan
from projections.follow.follower import Follower, Outcome

app = typer.Typer()

OUTAGE_TIMEOUT_SECONDS: Final = 60.0
"""How long a follower with an end, and without --timeout, waits for brokers and database that do not answer."""

FAILED: Final = 1
TIMED_OUT: Final = 3
UNREACHABLE: Final = 4
SIGNALLED: Final = 128
"""Plus the number of the signal."""

_MOST_NAMES: Final = 3


@dataclass(frozen=True)
class FollowRequest:
    """What a following command was asked to do, and the lines that it prints."""

    plan: FollowPlan
    lines: LogLines
    outage_timeout: float | None

    def follower(self, database: Database, source: EventSource, **more: Any) -> Follower:
        """The follower that does this; ``more`` are further arguments of `Follower`."""
        return Follower(
            database.url,
            source,
            FoldSettings(database.secrets),
            system_clock,
            self.plan,
            on_message=self.lines.message,
            on_progress=self.lines.batch,
            outage_timeout=self.outage_timeout,
            **more,
        )


OpenFollower = Callable[[Database, FollowRequest], AbstractContextManager[Follower]]


@app.command()
def follow(
    streams: Streams = None,
    follows_all: FollowAll = False,
    once: Once = False,
    timeout: Timeout = None,
    kind: Kind = None,
    input_bounds: Annotated[
        float | None,
        duration_option(
            help="Observe this often how far the jobs' inputs reach, for example 30s (see `coordstream lag`)."
        ),
    ] = None,
    log_format: Format = "text",
    as_json: JsonReport = False,
) -> None:
    """Follow streams on the Kafka brokers, or in the database if none are set. SIGTERM stops it cleanly.

    Example: coordstream follow --all --once

    Exit code 0: done, or stopped by a signal without --once; 1: a stream was refused, or the brokers or
    the database rejected the credentials; 3: the timeout expired; 4: the brokers or the database did not answer until
    the timeout, or for a minute; 128 plus the number of a signal that stopped it before its end.
    """
    plan = plan_of(streams, follows_all, once, timeout, kind)
    if input_bounds is not None and once:
        raise typer.BadParameter("--input-bounds cannot be used with --once. Use `coordstream lag`.")
    opening = partial(_open_follower, input_bounds)
    run_follow(plan, opening, timeout=timeout, log_format=log_format, as_json=as_json)


@contextmanager
def _open_follower(input_bounds: float | None, database: Database, request: FollowRequest) -> Iterator[Follower]:
    with (
        source_of(database.settings, database.url) as source,
        observing_inputs(database.url, input_bounds, request.lines.message),
    ):
        yield request.follower(database, source)


def plan_of(
    streams: list[str] | None, follows_all: bool, once: bool, timeout: float | None, kind: StreamKind | None
) -> FollowPlan:
    """What to follow. Raises BadParameter unless either streams or all are named, and the options fit together."""
    names = tuple(dict.fromkeys(streams or ()))
    if bool(names) == follows_all:
        raise typer.BadParameter("Name the streams to follow, or use --all.")
    if timeout is not None and not once:
        raise typer.BadParameter("--timeout needs --once.")
    return FollowPlan(names, follows_all, once, kind)


def run_follow(
    plan: FollowPlan, open_follower: OpenFollower, *, timeout: float | None, log_format: LogFormat, as_json: bool
) -> None:
    """Wait for the database, follow until done or stopped, and exit as `coordstream follow` documents."""
    lines = LogLines(log_format)
    with stop_on_signal_or_timeout(timeout) as stop, lines.of_psycopg():
        outage_timeout = OUTAGE_TIMEOUT_SECONDS if plan.once and timeout is None else None
        outcome = _follow(FollowRequest(plan, lines, outage_timeout), stop, open_follower)
        lines.message(Notice(_describe_end(plan, stop, outcome), "ended-early"))
    if as_json:
        print_json([_stream_row(plan, stream) for stream in outcome.streams])
    elif plan.once:
        print(f"{counted(outcome.events, 'event')} read")
    code = _exit_code(plan, stop, outcome)
    if code > SIGNALLED:
        raise SystemExit(code)  # Typer would take 130 for an interrupt that is not reported yet
    if code:
        raise typer.Exit(code)


def _follow(request: FollowRequest, stop: StopRequest, open_follower: OpenFollower) -> Outcome:
    found = wait_for_database(stop, request.outage_timeout, request.lines.message)
    if found is None:
        return Outcome(0, {}, is_complete=False, outage="the database cannot be reached")
    database, place = found
    with database_errors(database.settings), open_follower(database, request) as follower:
        request.lines.message(Notice(_describe_start(request.plan, database.settings, place), "started"))
        stop.stop_with(follower.stop)
        return follower.run()


def wait_for_database(
    stop: StopRequest, outage_timeout: float | None, report: Callable[[str], None]
) -> tuple[Database, str] | None:
    """The database, whose connection is closed again, and its place without a password.

    None: the follower was stopped before it answered, or it did not answer for ``outage_timeout`` seconds (None: no
    limit). Raises `CoordstreamError`: the database refuses us, or has another schema.
    """
    backoff, began, is_reported = Backoff(), monotonic(), False
    while not stop.is_set:
        try:
            with open_database(warns=False) as database:
                info = database.connection.info
                return database, f"the database {info.dbname} at {info.host}:{info.port}"
        except DatabaseUnreachable as error:
            if not is_reported:
                report(Notice(f"{error} Retrying.", "outage"))
                is_reported = True
            if outage_timeout is not None and monotonic() >= began + outage_timeout:
                return None
            stop.wait(backoff.next())
    return None


def _describe_start(plan: FollowPlan, settings: Settings, database_place: str) -> str:
    source = "Postgres" if settings.kafka is None else settings.kafka.place
    end = ", to the current ends" if plan.once else ""
    return f"Following {_describe_streams(plan)} of {source} into {database_place}{end}."


def _describe_streams(plan: FollowPlan) -> str:
    if plan.follows_all:
        return "all streams" if plan.once else "all streams, including future ones,"
    return f"{counted(len(plan.stream_names), 'stream')} ({list_names(plan.stream_names, _MOST_NAMES)})"


def _describe_end(plan: FollowPlan, stop: StopRequest, outcome: Outcome) -> str:
    """Why the follower ended before it was done; empty if it was done."""
    if not plan.once or outcome.is_complete or outcome.refusal:
        return ""
    unread = [stream for stream in outcome.streams if not stream.is_over]
    rest = "nothing was read"
    if outcome.streams:
        rest = f"{len(unread)} of {len(outcome.streams)} streams were not read to the end"
    if stop.signals:
        return f"Interrupted by {signal.Signals(stop.signals[0]).name}: {rest}."
    reason = f" ({outcome.outage.rstrip('.')})" if outcome.outage else ""
    return f"{'Timed out' if stop.is_timed_out else 'Gave up waiting'}: {rest}{reason}."


def _exit_code(plan: FollowPlan, stop: StopRequest, outcome: Outcome) -> int:
    if outcome.refusal:
        return FAILED
    if plan.once and not outcome.is_complete:
        if stop.signals:
            return SIGNALLED + stop.signals[0]
        return UNREACHABLE if outcome.outage else TIMED_OUT
    return FAILED if outcome.failures and not stop.signals else 0


def _stream_row(plan: FollowPlan, stream: FollowedStream) -> dict[str, Any]:
    """A stream for --json: ``done``, ``refused`` or ``unfinished``; ``stopped`` if the plan has no end."""
    unread = "unfinished" if plan.once else "stopped"
    detail = stream.failure or (stream.problem.reason if stream.problem and stream.is_refused else None)
    return {
        "stream_name": stream.stream_name,
        "outcome": "refused" if detail else "done" if stream.is_over else unread,
        "events": stream.events,
        "next_offset": stream.next_offset,
        "detail": detail,
    }
