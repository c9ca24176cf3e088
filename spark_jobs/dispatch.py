"""Runs log tasks in the executors of a Spark session, shows their progress, and collects their results.

Executors notify a channel of the database of their progress: Spark passes results only at the end of a job, and Spark
Connect has no accumulators.
"""

import json
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import heapreplace
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import psycopg
import pyarrow as pa
from humanize import naturaldelta
from pyspark.sql import SparkSession

from eventlog.postgres.connection import connect
from spark_jobs.errors import spark_errors
from spark_jobs.log_task import LogTask, LogTaskSession, LogTaskSettings, Outcome
from spark_jobs.session import count_cores

TASKS_PER_CORE: Final = 8
"""With more tasks a slow one would delay the end less, but each task takes time to start."""

EVENTS_A_TASK: Final = 100_000
"""Fewer events take so little time that another task's start (50 ms of a core) would be a large part of it."""

LINE_SECONDS: Final = 10.0
_TERMINAL_SECONDS: Final = 0.5
_NOTIFY_SECONDS: Final = 0.5
_WAIT_SECONDS: Final = 0.05  # the longest delay after the log tasks have ended


def default_tasks(spark: SparkSession, log_tasks: Sequence[LogTask], weight_a_task: int = EVENTS_A_TASK) -> int:
    """The number of Spark tasks: one per ``weight_a_task``, but 1 to `TASKS_PER_CORE` per core."""
    cores = count_cores(spark)
    return min(max(sum(each.weight for each in log_tasks) // weight_a_task, cores), TASKS_PER_CORE * cores)


def run_log_tasks(
    spark: SparkSession,
    what: str,
    log_tasks: Sequence[LogTask],
    settings: LogTaskSettings,
    tasks: int | None = None,
    *,
    shows_progress: bool = False,
) -> list[Outcome]:
    """Run log tasks in at most ``tasks`` Spark tasks (see `default_tasks`), and return their outcomes in order.

    A Spark task that fails is repeated; a log task that was complete changes nothing then. ``what`` is for errors, as
    in ``"Cannot replay with Spark"``. ``shows_progress``: on standard error. Raises `SparkJobError`: Spark failed, or
    a task failed as often as Spark allows.
    """
    if not log_tasks:
        return []
    weights = [each.weight for each in log_tasks]
    bins = pack(weights, tasks or default_tasks(spark, log_tasks))
    numbered = [[(number, log_tasks[number]) for number in numbers] for numbers in bins]
    progress = Progress(len(log_tasks), sum(weights))
    shown = shown_progress(settings.database_url, settings.channel, progress) if shows_progress else nullcontext()
    with shown, spark_errors(what):
        found = dict(run_bins(spark, numbered, partial(_run_bin, settings)))
    return [found[number] for number in range(len(log_tasks))]


def pack(weights: Sequence[int], bins: int) -> list[list[int]]:
    """The numbers of the items in each of at most ``bins`` bins: heaviest bin first, heaviest item first in each.

    Each item, from the heaviest on, goes to the bin that is lightest then (longest processing time first), so that the
    heaviest bin is at most 4/3 of the best possible one. Every item weighs at least 1.
    """
    packed: list[tuple[int, int, list[int]]] = [(0, number, []) for number in range(min(bins, len(weights)))]
    for item in sorted(range(len(weights)), key=lambda number: -weights[number]):
        load, number, items = packed[0]
        items.append(item)
        heapreplace(packed, (load + max(weights[item], 1), number, items))
    return [items for _, _, items in sorted(packed, reverse=True)]


def run_bins(
    spark: SparkSession, bins: Sequence[Sequence[Any]], run: Callable[[int, Sequence[Any]], Iterable[Any]]
) -> list[Any]:
    """Run a Spark task for each bin, with its number, and return what all of them yield, in any order."""

    def run_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for result in run(number, bins[number]):
                    yield pa.record_batch({"result": [pickle.dumps(result)]})

    rows = spark.range(0, len(bins), 1, len(bins)).mapInArrow(run_task, "result binary").collect()
    return [pickle.loads(row["result"]) for row in rows]  # noqa: S301 (from our own tasks)


def _run_bin(
    settings: LogTaskSettings, task: int, log_tasks: Sequence[tuple[int, LogTask]]
) -> Iterator[tuple[int, Outcome]]:
    with LogTaskSession(settings, [log_task for _, log_task in log_tasks], task) as session:
        weight, sent_at = 0, monotonic()
        for count, (number, log_task) in enumerate(log_tasks, start=1):
            outcome = session.run(log_task)
            weight += log_task.weight
            if count == len(log_tasks) or monotonic() >= sent_at + _NOTIFY_SECONDS:
                session.notify(json.dumps([task, count, weight]))
                sent_at = monotonic()
            yield number, outcome


@dataclass
class Progress:
    """Finished log tasks of ``count``, and their part of ``weight``. A repeated Spark task does not count twice."""

    count: int
    weight: int
    _by_task: dict[int, tuple[int, int]] = field(default_factory=dict)

    def take(self, payload: str) -> None:
        """Add a notification: the number of a Spark task, its finished log tasks and their weight."""
        with suppress(ValueError):
            task, count, weight = json.loads(payload)
            self._by_task[task] = max((count, weight), self._by_task.get(task, (0, 0)))

    def describe(self, seconds: float) -> str:
        """What is done after ``seconds``, and how long the rest takes; weights may be offsets, and are not shown."""
        done = sum(count for count, _ in self._by_task.values())
        weight = sum(weight for _, weight in self._by_task.values())
        left = f", {naturaldelta(seconds * (self.weight / weight - 1))} left" if 0 < weight < self.weight else ""
        return f"{done:,} of {self.count:,} logs, {100 * weight // max(self.weight, 1)} %{left}"


@contextmanager
def shown_progress(database_url: str, channel: str, progress: Progress) -> Iterator[None]:
    """Print a line on standard error every ten seconds; on a terminal, renew one line twice a second."""
    ended, began = Event(), monotonic()
    clear, end, period = ("\r\x1b[K", "", _TERMINAL_SECONDS) if sys.stderr.isatty() else ("", "\n", LINE_SECONDS)

    def listen() -> None:
        shown_at = began
        with (
            suppress(psycopg.Error, OSError, ValueError),
            connect(database_url, application_name="coordstream spark progress") as connection,
        ):
            connection.execute(f'listen "{channel}"'.encode())
            while not ended.is_set():
                for notification in connection.notifies(timeout=_WAIT_SECONDS, stop_after=100):
                    progress.take(notification.payload)
                if monotonic() >= shown_at + period:
                    print(clear, progress.describe(monotonic() - began), sep="", end=end, file=sys.stderr, flush=True)
                    shown_at = monotonic()

    listener = Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        ended.set()
        listener.join()
        print(clear, end="", file=sys.stderr, flush=True)
