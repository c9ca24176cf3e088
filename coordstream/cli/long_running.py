"""Commands that run for long: what stops them, and their lines on standard error."""

import json
import logging
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC
from threading import Timer
from time import monotonic
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from coordstream.cli.arguments import duration_option
from eventlog.backoff import StopFlag
from eventlog.errors import printable_text
from eventlog.log import Clock, system_clock
from eventlog.notice import Notice
from eventlog.timestamps import time_of

if TYPE_CHECKING:
    from projections.follow.tail import Progress

FIRST_LINE_SECONDS: Final = 1.0
LINE_SECONDS: Final = 10.0
"""How often the progress is printed, after the first line."""

Streams = Annotated[list[str] | None, typer.Argument(metavar="STREAM", help="Names of streams.")]
FollowAll = Annotated[bool, typer.Option("--all", help="Follow all of Samza's streams, including future ones.")]
Once = Annotated[bool, typer.Option("--once", help="Read to the current ends, then exit.")]
Timeout = Annotated[
    float | None, duration_option("--timeout", help="With --once: give up after this time, for example 90s or 5m.")
]
JsonReport = Annotated[
    bool, typer.Option("--json", help="At the end, print a JSON list with an object for each stream.")
]


class StopRequest(StopFlag):
    """Set when a command that runs for long has to stop, and why."""

    def __init__(self) -> None:
        super().__init__()
        self.signals: list[int] = []
        self.is_timed_out = False
        self._stop: Callable[[], None] = lambda: None

    def stop_with(self, stop: Callable[[], None]) -> None:
        """Call ``stop`` when the stop is requested, or now if it already is."""
        self._stop = stop
        if self.is_set:
            stop()

    def request(self, number: int | None = None) -> None:
        """Request the stop because of the signal with this number; None: the time is over."""
        if number is None:
            self.is_timed_out = True
        else:
            self.signals.append(number)
        self.set()
        self._stop()


@contextmanager
def stopped_by_signals(stop: Callable[[int], None]) -> Iterator[None]:
    """Call ``stop`` with the number of the first signal, Ctrl-C included; a second one acts as it did before.

    A SIGHUP that is ignored (nohup) stays ignored.
    """
    numbers: list[int] = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop_once(number: int, _frame: FrameType | None) -> None:
        restore()
        stop(number)

    before = {number: signal.signal(number, stop_once) for number in numbers}
    try:
        yield
    finally:
        restore()


@contextmanager
def stop_on_signal_or_timeout(timeout: float | None) -> Iterator[StopRequest]:
    """A request that the first signal makes, or the end of ``timeout`` seconds."""
    request = StopRequest()
    timer = Timer(0 if timeout is None else timeout, request.request)
    timer.daemon = True
    with stopped_by_signals(request.request):
        if timeout is not None:
            timer.start()
        try:
            yield request
        finally:
            timer.cancel()


LogFormat = Literal["text", "json"]
"""A line is a time and a message, or a JSON object: ``time``, ``level``, ``code``, ``stream_name``, ``message``."""

Format = Annotated[LogFormat, typer.Option("--log-format", help="Format of the lines on standard error.")]


class LogLines:
    """Messages, and the progress of streams that catch up; nothing for live streams.

    ``seconds`` is a monotonic clock; ``clock`` gives the times of the lines, which are printed in UTC.
    """

    def __init__(
        self, log_format: LogFormat, seconds: Callable[[], float] = monotonic, clock: Clock = system_clock
    ) -> None:
        self._format = log_format
        self._seconds = seconds
        self._clock = clock
        self._since = seconds()
        self._next_at = self._since + FIRST_LINE_SECONDS
        self._events = 0

    def message(self, text: str) -> None:
        """Print a message, unless it is empty."""
        if text:
            self._print(text if isinstance(text, Notice) else Notice(text, "message"))

    @contextmanager
    def of_psycopg(self) -> Iterator[None]:
        """Print what psycopg warns of, such as a connection that is lost in a rollback, as messages."""
        handler, logger = logging.Handler(logging.WARNING), logging.getLogger("psycopg")
        handler.emit = lambda record: self.message(Notice(printable_text(record.getMessage()), "database-client"))  # type: ignore[method-assign]
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)

    def batch(self, progress: "Progress") -> None:
        """Count a batch, and print the progress if it is time to."""
        self._events += progress.events
        now = self._seconds()
        if progress.state == "live" or now < self._next_at:
            return
        line = progress_line(progress, self._events / (now - self._since))
        offsets = {"next_offset": progress.next_offset, "end_offset": progress.target}
        self._print(Notice(line, "progress", progress.stream_name), {"state": progress.state, **offsets})
        self._since, self._next_at, self._events = now, now + LINE_SECONDS, 0

    def _print(self, notice: Notice, further: Mapping[str, object] = MappingProxyType({})) -> None:
        time = f"{self._clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        text = f"{time} {notice}"
        if self._format == "json":
            of_notice = {"level": notice.level, "code": notice.code, "stream_name": notice.stream_name}
            text = json.dumps({"time": time, **of_notice, "message": notice, **further}, ensure_ascii=False)
        with suppress(OSError):  # its reader is gone, or the disk is full: the work goes on
            print(text, file=sys.stderr, flush=True)


def progress_line(progress: "Progress", rate: float) -> str:
    """A batch of one stream as a line; ``rate`` is the events per second of all streams together."""
    time = _moment(progress.timestamp)
    return (
        f"{progress.stream_name}: {progress.state}, {progress.events} events at offsets {progress.first_offset} to "
        f"{progress.next_offset - 1} of {progress.target}{time and f', recorded at {time}'}; {rate:,.0f} events/s"
    )


def _moment(timestamp: int | None) -> str:
    if timestamp is None:
        return ""
    time = time_of(timestamp)
    return f"{timestamp} ms" if time is None else f"{time:%Y-%m-%d %H:%M:%S} UTC"
