"""`coordstream follow`: read streams into the relations as they grow."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final

import typer

from coordstream.cli.arguments import Kind, duration_option, offset_option
from coordstream.cli.long_running import (
    FollowAll,
    Format,
    JsonReport,
    LogFormat,
    LogLines,
    Once,
    StopRequest,
    Streams,
    TakeOverAfter,
    stop_on_signal_or_timeout,
)
from coordstream.cli.output import counted, print_json
from coordstream.cli.serve import MetricsPort, MetricsTokenFile, serving_metrics
from coordstream.database import Database, DatabaseUnreachable, database_errors, open_database
from coordstream.event_logs import source_of
from coordstream.input_system import observing_inputs
from coordstream.metric_text import gauge, metric
from coordstream.settings import Settings
from eventlog.backoff import Backoff
from eventlog.errors import list_names
from eventlog.log import system_clock
from eventlog.notice import Notice
from eventlog.source import EventSource
from projections.fold.settings import FoldSettings
from projections.follow.follow_run import Activity, FollowPlan, StreamActivity
from projections.follow.follower import Follower, Outcome

app = typer.Typer()

OUTAGE_TIMEOUT_SECONDS: Final = 60.0
"""How long a follower with an end, and without --timeout, waits for brokers and database that do not answer."""

HANGS_AFTER_SECONDS: Final = 60.0
"""How long a turn of the follower's loop may take before its process counts as hanging."""

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
    until: Annotated[int | None, offset_option(help="Exit after this offset.")] = None,
    timeout: Annotated[
        float | None, duration_option(help="With --once or --until: give up after this time, for example 90s or 5m.")
    ] = None,
    kind: Kind = None,
    take_over_after: TakeOverAfter = None,
    input_bounds: Annotated[
        float | None,
        duration_option(
            help="Observe this often how far the jobs' inputs reach, for example 30s (see `coordstream lag`)."
        ),
    ] = None,
    metrics_port: MetricsPort = None,
    metrics_token_file: MetricsTokenFile = None,
    log_format: Format = LogFormat.TEXT,
    as_json: JsonReport = False,
) -> None:
    """Follow streams on the Kafka brokers of the settings, or else in the database. SIGTERM stops it cleanly.

    Example: coordstream follow --all --once

    Exit code 0: done, or stopped by a signal without --once and --until; 1: a stream was refused, or the brokers or
    the database rejected the credentials; 3: the timeout expired; 4: the brokers or the database did not answer until
    the timeout, or for a minute; 128 plus the number of a signal that stopped it before its end.
    """
    names = tuple(dict.fromkeys(streams or ()))
    check_streams(names, follows_all, once, until, timeout)
    if input_bounds is not None and (once or until is not None):
        raise typer.BadParameter("--input-bounds cannot be used with --once or --until. Use `coordstream lag`.")
    plan = FollowPlan(names, follows_all, once, until, kind, take_over_after)
    metrics = FollowerMetrics()
    with serving_metrics(metrics_port, metrics_token_file, LogLines(log_format).message, metrics):
        opening = partial(_open_follower, input_bounds, metrics.set_follower)
        run_follow(plan, opening, timeout=timeout, log_format=log_format, as_json=as_json)


@contextmanager
def _open_follower(
    input_bounds: float | None, watch: Callable[[Follower], None], database: Database, request: FollowRequest
) -> Iterator[Follower]:
    with (
        source_of(database.settings, database.url) as source,
        observing_inputs(database.url, input_bounds, request.lines.message),
    ):
        follower = request.follower(database, source)
        watch(follower)
        yield follower


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
    """Wait for the database, follow until done or stopped, and exit as `coordstream follow` documents."""
    lines = LogLines(log_format)
    with stop_on_signal_or_timeout(timeout) as stop, lines.of_psycopg():
        outage_timeout = OUTAGE_TIMEOUT_SECONDS if plan.has_end and timeout is None else None
        outcome = _follow(FollowRequest(plan, lines, outage_timeout), stop, open_follower)
        lines.message(Notice(_describe_end(plan, stop, outcome), "ended-early"))
    if as_json:
        print_json([_stream_row(plan, stream) for stream in outcome.streams])
    elif plan.has_end:
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
            with open_database() as database:
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
    end = "" if plan.until is None else f", to offset {plan.until}"
    end = ", to the current ends" if plan.once else end
    return f"Following {_describe_streams(plan)} of {source} into {database_place}{end}."


def _describe_streams(plan: FollowPlan) -> str:
    if plan.follows_all:
        return "all streams" if plan.once else "all streams, including future ones,"
    return f"{counted(len(plan.stream_names), 'stream')} ({list_names(plan.stream_names, _MOST_NAMES)})"


def _describe_end(plan: FollowPlan, stop: StopRequest, outcome: Outcome) -> str:
    """Why the follower ended before it was done; empty if it was done."""
    if not plan.has_end or outcome.is_complete or outcome.refusal:
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
    if plan.has_end and not outcome.is_complete:
        if stop.signals:
            return SIGNALLED + stop.signals[0]
        return UNREACHABLE if outcome.outage else TIMED_OUT
    return FAILED if outcome.failures and not stop.signals else 0


def _stream_row(plan: FollowPlan, stream: StreamActivity) -> dict[str, Any]:
    """A stream for --json: ``done``, ``refused`` or ``unfinished``; ``stopped`` if the plan has no end."""
    unread = "unfinished" if plan.has_end else "stopped"
    return {
        "stream_name": stream.stream_name,
        "outcome": "refused" if stream.detail else "done" if stream.is_over else unread,
        "events": stream.events,
        "next_offset": stream.next_offset,
        "detail": stream.detail,
    }


class FollowerMetrics:
    """What is served of the follower of a command (`--metrics-port`), which it opens once the database answers."""

    def __init__(self) -> None:
        self._follower: Follower | None = None

    def set_follower(self, follower: Follower) -> None:
        self._follower = follower

    def failures(self) -> Iterator[str]:
        activity = self._activity()
        if activity is not None and activity.idle_seconds > HANGS_AFTER_SECONDS:
            yield f"The follower hangs: it has done nothing for {activity.idle_seconds:.0f} s."

    def collect(self) -> Iterator[str]:
        """The follower's own metrics; nothing before it is open."""
        activity = self._activity()
        if activity is None:
            return
        streams, by_stream = activity.streams, ("stream_name",)
        yield gauge("follower_idle_seconds", "Time since the last turn of the follower's loop", activity.idle_seconds)
        yield gauge("follower_outage", "1 while brokers or database do not answer, else 0", bool(activity.outage))
        text = "Events applied to the relations"
        yield metric("follower_events_total", text, (), [((), activity.events)])
        states = [((each.stream_name, each.state), 1) for each in streams]
        yield metric("follower_stream_state", "1 for the state that the stream has", (*by_stream, "state"), states)
        lags = [((each.stream_name,), each.lag) for each in streams]
        yield metric("follower_stream_lag_offsets", "Offsets to the stream's end, NaN if unknown", by_stream, lags)
        events = [((each.stream_name,), each.events) for each in streams]
        yield metric("follower_stream_events_total", f"{text}, by stream", by_stream, events)

    def _activity(self) -> Activity | None:
        """What the follower is doing; None: it waits for the database to begin."""
        return None if self._follower is None else self._follower.activity()
