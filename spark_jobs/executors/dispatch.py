"""Does works in the executors of a Spark session, and collects their results."""

import json
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heapreplace
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_jobs.errors import SparkJobError
from spark_jobs.executors.work import Outcome, Work, WorkSession, WorkSettings
from spark_jobs.relations.partitioning import count_cores
from spark_jobs.spark_errors import spark_errors

TASKS_PER_CORE: Final = 8
"""With more tasks a slow one would delay the end less, but each task takes time to start."""

EVENTS_A_TASK: Final = 100_000
"""Fewer events take so little time that another task's start (50 ms of a core) would be a large part of it."""

SCHEMA: Final = "number int, outcome binary"
_NOTIFY_SECONDS: Final = 0.5


def default_tasks(spark: SparkSession, works: Sequence[Work], weight_a_task: int = EVENTS_A_TASK) -> int:
    """A task per ``weight_a_task``, but at least one and at most `TASKS_PER_CORE` per core."""
    cores = count_cores(spark)
    return min(max(sum(work.weight for work in works) // weight_a_task, cores), TASKS_PER_CORE * cores)


def do_works(
    spark: SparkSession, what: str, works: Sequence[Work], settings: WorkSettings, tasks: int | None = None
) -> list[Outcome]:
    """Do works in at most ``tasks`` tasks (see `default_tasks`), and return their outcomes in the same order.

    A task that fails is repeated by Spark; a work that was done before does nothing then. ``what`` is for errors, as in
    ``"Spark cannot replay"``.

    Raises:
        SparkJobError: Spark failed, or a task failed as often as Spark allows.
    """
    if not works:
        return []
    bins = pack([work.weight for work in works], tasks or default_tasks(spark, works))
    run = _task([[(number, works[number]) for number in numbers] for numbers in bins], settings)
    with spark_errors(what):
        each = spark.range(0, len(bins), 1, len(bins)).mapInArrow(run, SCHEMA)
        found = {row["number"]: row["outcome"] for row in each.collect()}
    if len(found) < len(works):
        raise SparkJobError(f"{what}: {len(works) - len(found)} of {len(works)} results are missing. Run it again.")
    return [pickle.loads(found[number]) for number in range(len(works))]  # noqa: S301 (from our own tasks)


def pack(weights: Sequence[int], bins: int) -> list[list[int]]:
    """The numbers of the works in each of at most ``bins`` bins: heaviest bin first, heaviest work first in each.

    Each work, from the heaviest on, goes to the bin that is lightest then (longest processing time first), so that the
    heaviest bin is at most 4/3 of the best possible one. Every work weighs at least 1.
    """
    packed: list[list[int]] = [[] for _ in range(min(bins, len(weights)))]
    loads = [(0, number) for number in range(len(packed))]
    heapify(loads)
    for work in sorted(range(len(weights)), key=lambda number: -weights[number]):
        load, lightest = loads[0]
        packed[lightest].append(work)
        heapreplace(loads, (load + max(weights[work], 1), lightest))
    return [packed[number] for _, number in sorted(loads, reverse=True)]


def _task(
    bins: Sequence[Sequence[tuple[int, Work]]], settings: WorkSettings
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function of all tasks; a task's only row is the number of its bin."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield from _do_bin(task, bins[task], settings)

    return run


def _do_bin(task: int, works: Sequence[tuple[int, Work]], settings: WorkSettings) -> Iterator[pa.RecordBatch]:
    with WorkSession(settings, [work for _, work in works], task) as session:
        progress = _Progress(task, session)
        for number, work in works:
            outcome = session.do(work)
            progress.add(work.weight)
            yield _row(number, outcome)
        progress.send()


def _row(number: int, outcome: Outcome) -> pa.RecordBatch:
    columns = [pa.array([number], pa.int32()), pa.array([pickle.dumps(outcome)], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["number", "outcome"])


class _Progress:
    """Notifies the driver of a task's finished works, at most twice a second."""

    def __init__(self, task: int, session: WorkSession) -> None:
        self._task, self._session = task, session
        self._works = self._weight = 0
        self._sent_at = time.monotonic()

    def add(self, weight: int) -> None:
        self._works += 1
        self._weight += weight
        if time.monotonic() >= self._sent_at + _NOTIFY_SECONDS:
            self.send()

    def send(self) -> None:
        self._session.notify(json.dumps([self._task, self._works, self._weight]))
        self._sent_at = time.monotonic()
