"""The lines of a follower on standard error: its messages, and while it catches up its progress and rate."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console
from rich.text import Text

from eventlog.log import system_clock
from projections.follow.tail import Progress

LINE_SECONDS: Final = 10.0
"""How often progress is printed where standard error is not a terminal."""

Clock = Callable[[], datetime]


class LogFormat(StrEnum):
    """A line is a time and a message, or a JSON object with ``time`` and ``message``."""

    TEXT = "text"
    JSON = "json"


def report_line(log_format: LogFormat) -> Callable[[str], None]:
    """Prints messages on standard error, each as a line with the time."""
    return FollowProgress(Console(stderr=True), monotonic, system_clock, log_format).message


class FollowProgress:
    """Shows a status line on a terminal, a line every ten seconds elsewhere, and nothing for live streams.

    ``seconds`` is a monotonic clock; ``clock`` gives the times of the lines, which are printed in UTC.
    """

    def __init__(
        self, console: Console, seconds: Callable[[], float], clock: Clock, log_format: LogFormat = LogFormat.TEXT
    ) -> None:
        self._console = console
        self._seconds = seconds
        self._clock = clock
        self._format = log_format
        self._status = console.status("")
        self._is_moving = False
        self._shown_at = seconds()
        self._events = 0

    def message(self, text: str) -> None:
        """Print a message, unless it is empty."""
        if text:
            self._print({"message": text})

    def batch(self, progress: Progress) -> None:
        """Count a batch, and show the progress if it is time to."""
        self._events += progress.events
        if progress.state == "live":
            self._stop()
        elif self._console.is_terminal and self._format is LogFormat.TEXT:
            self._move(progress)
        elif self._seconds() >= self._shown_at + LINE_SECONDS:
            place = {"stream_name": progress.stream_name, "state": progress.state}
            offsets = {"next_offset": progress.next_offset, "end_offset": progress.target}
            self._print({"message": self._line(progress), **place, **offsets})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    def _print(self, line: dict[str, Any]) -> None:
        time = f"{self._clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        is_json = self._format is LogFormat.JSON
        text = json.dumps({"time": time, **line}, ensure_ascii=False) if is_json else f"{time} {line['message']}"
        self._console.print(Text(text), soft_wrap=True)

    def _move(self, progress: Progress) -> None:
        if not self._is_moving:
            self._status.start()
            self._is_moving = True
        if self._seconds() > self._shown_at:
            self._status.update(Text(self._line(progress)))

    def _stop(self) -> None:
        if self._is_moving:
            self._status.stop()
            self._is_moving = False

    def _line(self, progress: Progress) -> str:
        now = self._seconds()
        rate = self._events / (now - self._shown_at)
        self._shown_at, self._events = now, 0
        return progress_line(progress, rate)


def progress_line(progress: Progress, rate: float) -> str:
    """A batch of one stream as a line; ``rate`` is that of all streams, in events per second."""
    time = _moment(progress.timestamp)
    return (
        f"{progress.stream_name}: {progress.state}, {progress.events} events at offsets {progress.first_offset} to "
        f"{progress.next_offset - 1} of {progress.target}{time and f', recorded at {time}'}; {rate:,.0f} events/s"
    )


def _moment(timestamp: int | None) -> str:
    if timestamp is None:
        return ""
    try:
        return f"{datetime.fromtimestamp(timestamp / 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{timestamp} ms"
