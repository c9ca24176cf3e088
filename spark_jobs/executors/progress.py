"""Shows the progress of works: executors notify a channel of the database to which the driver listens.

Spark passes results only at the end of a job, and Spark Connect has no accumulators.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from typing import Final, TextIO

import psycopg
from humanize import naturaldelta

from eventlog.postgres.connection import connect

LINE_SECONDS: Final = 10.0
_TERMINAL_SECONDS: Final = 0.5
_WAIT_SECONDS: Final = 0.05  # the longest delay after the works have ended


@dataclass
class Progress:
    """Finished works, and their weight in ``unit``, of all tasks. A repeated task does not count twice."""

    works: int
    weight: int
    unit: str
    _by_task: dict[int, tuple[int, int]] = field(default_factory=dict)

    def take(self, payload: str) -> None:
        """Add a notification: the number of a task, its finished works and their weight."""
        with suppress(ValueError):
            task, works, weight = json.loads(payload)
            self._by_task[task] = max((works, weight), self._by_task.get(task, (0, 0)))

    def describe(self, seconds: float) -> str:
        """What is done after ``seconds``, how fast, and how long the rest takes."""
        done = sum(works for works, _ in self._by_task.values())
        weight = sum(weight for _, weight in self._by_task.values())
        rate = weight / seconds if seconds > 0 else 0.0
        left = f", {naturaldelta((self.weight - weight) / rate)} left" if rate and weight < self.weight else ""
        counts = f"{done:,} of {self.works:,} logs, {weight:,} of {self.weight:,} {self.unit}"
        return f"{counts}, {rate:,.0f} {self.unit}/s{left}"


@contextmanager
def shown_progress(
    database_url: str, channel: str, progress: Progress, *, out: TextIO | None = None, every: float | None = None
) -> Iterator[None]:
    """Print a line on standard error every ten seconds; on a terminal, renew one line twice a second."""
    stream = sys.stderr if out is None else out
    ended, began = Event(), monotonic()

    def listen() -> None:
        shown_at = began
        period = every or (_TERMINAL_SECONDS if stream.isatty() else LINE_SECONDS)
        with (
            suppress(psycopg.Error),
            connect(database_url, application_name="coordstream spark progress") as connection,
        ):
            connection.execute(f'listen "{channel}"'.encode())
            while not ended.is_set():
                for notification in connection.notifies(timeout=_WAIT_SECONDS, stop_after=100):
                    progress.take(notification.payload)
                if monotonic() >= shown_at + period:
                    _print(stream, progress.describe(monotonic() - began))
                    shown_at = monotonic()

    listener = Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        ended.set()
        listener.join()
        if stream.isatty():
            stream.write("\r\x1b[K")


def _print(stream: TextIO, text: str) -> None:
    line = f"\r\x1b[K{text}" if stream.isatty() else f"{text}\n"
    with suppress(OSError, ValueError):
        stream.write(line)
        stream.flush()
