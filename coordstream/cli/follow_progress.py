"""What a follower tells on standard error: each sentence, and in catch-up how far it is and how fast it goes."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.text import Text

from projections.follow.reports import Progress

LINE_SECONDS: Final = 10.0
"""Where nobody watches a terminal, catching up writes a line this often."""


class FollowProgress:
    """Shows a moving line on a terminal, a line every ten seconds elsewhere, and nothing of live streams.

    ``seconds`` is a clock that never goes back.
    """

    def __init__(self, console: Console, seconds: Callable[[], float]) -> None:
        self._console = console
        self._seconds = seconds
        self._status = console.status("")
        self._is_moving = False
        self._shown_at = seconds()
        self._events = 0

    def message(self, sentence: str) -> None:
        """Print a sentence."""
        self._console.print(Text(sentence), soft_wrap=True)

    def batch(self, progress: Progress) -> None:
        """Take note of a batch, and show it if that is wanted now."""
        self._events += progress.events
        if progress.state == "live":
            self._stop()
        elif self._console.is_terminal:
            self._move(progress)
        elif self._seconds() >= self._shown_at + LINE_SECONDS:
            self.message(self._line(progress))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

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
    """A batch of a stream in words; ``rate`` is that of all streams, in events a second."""
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
