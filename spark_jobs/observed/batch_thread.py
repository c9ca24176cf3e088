"""Writes the batches of a query to the record of its job: the writer, its thread, and the queue before it."""

import atexit
import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from threading import Condition, Thread
from typing import Final

from eventlog.backoff import Backoff, no_jitter
from eventlog.checkpoint import CheckpointV1, Offsets
from eventlog.config import TASK_INPUTS
from eventlog.errors import PortableError
from eventlog.partition import SystemStreamPartition
from eventlog.source import Closing, SourceUnavailable
from eventlog.startpoint import Startpoint, StartpointSpecific
from managers.errors import describe_cause
from managers.steered.job_record import JobRecord
from spark_jobs.observed.progress import OWN_SOURCE, CommittedBatch, Positions, SourceRange, processed

MOST_WAITING: Final = 100
"""How many batches wait for a log that does not answer; of more, the oldest are joined."""
STOP_SECONDS: Final = 10.0
"""How long the end of an observation waits for Spark, and then for the log."""
FIRST_PAUSE_SECONDS: Final = 1.0
"""The pause after a first failure. Pauses double, up to half a minute."""
_LONGEST_PAUSE_SECONDS: Final = 30.0
_OWN_FACTORY: Final = f"systems.{OWN_SOURCE}.samza.factory"
_logger: Final = logging.getLogger(__name__)

OpenRecord = Callable[[], AbstractContextManager[JobRecord]]


class BatchWriter:
    """Writes config and assignments with the first batch of a run, and checkpoints with each. For one thread.

    What is already on the log is not written again, so that a batch can be written again after a failure.
    """

    def __init__(self, record: JobRecord, query: str, config: Mapping[str, str]) -> None:
        """``config`` is that of the job, apart from what a batch tells."""
        self._record: Final = record
        self._query: Final = query
        self._config: Final = config
        self._run_id = ""
        self._batch_id = -1
        self._assigned: dict[str, frozenset[SystemStreamPartition]] = {}
        self._offsets: dict[str, Offsets] = {}

    def write(self, batch: CommittedBatch) -> None:
        """Write a batch; one that comes after a later one of its run is ignored. Raises what the logs raise."""
        is_first = batch.run_id != self._run_id
        if not is_first and batch.batch_id < self._batch_id:
            return
        sources = {f"{self._query}-{one.number}": one for one in batch.sources}
        if is_first:
            self._record.declare(self._config_with(batch))
        self._assign({task: frozenset(one.end) for task, one in sources.items()}, is_first=is_first)
        for task, one in sources.items():
            known = self._offsets.get(task, {})
            if is_first and one.start is not None and _is_ahead(processed(one.start), known):
                self._commit(task, processed(one.start))  # of a run that ended before it could write
            self._commit(task, processed(one.end))
            if is_first:
                self._consume_startpoints(task, one, known)
        self._run_id, self._batch_id = batch.run_id, batch.batch_id

    def _config_with(self, batch: CommittedBatch) -> dict[str, str]:
        streams = sorted({(each.system, each.stream) for one in batch.sources for each in one.end})
        return {
            **({_OWN_FACTORY: OWN_SOURCE} if any(system == OWN_SOURCE for system, _ in streams) else {}),
            TASK_INPUTS: ",".join(map(".".join, streams)),
            "spark.query.name": self._query,
            "spark.query.id": batch.query_id,
            "spark.query.run.id": batch.run_id,
            "spark.query.sink": batch.sink,
            **self._config,
        }

    def _assign(self, tasks: dict[str, frozenset[SystemStreamPartition]], *, is_first: bool) -> None:
        if tasks == self._assigned and not is_first:
            return
        self._record.assign(tasks)
        checkpoints = self._record.checkpoints.read_last_checkpoints(tasks)
        self._offsets = {task: {} if one is None else one.offsets for task, one in checkpoints.items()}
        self._assigned = tasks

    def _commit(self, task: str, offsets: Offsets) -> None:
        if offsets and offsets != self._offsets.get(task):
            self._record.checkpoints.write_checkpoint(task, CheckpointV1(offsets))
            self._offsets[task] = offsets

    def _consume_startpoints(self, task: str, source: SourceRange, before: Offsets) -> None:
        """Remove the startpoints that the run has followed, and warn of the others: its folder decided otherwise."""
        fan_out = self._record.startpoints.get_fan_out_for_task(task)
        asked = {each: startpoint for each, startpoint in fan_out.items() if each in source.end}
        followed = {
            each: startpoint
            for each, startpoint in asked.items()
            if source.start is None or _has_followed(startpoint, each, source.start, before)
        }
        if followed:
            self._record.startpoints.remove_consumed_fan_out(task, followed)
        if left := sorted(asked.keys() - followed):
            _logger.warning(
                "The query %s did not start %s at its startpoint, since its checkpoint folder has offsets. Start it "
                "with a new folder and the option startingOffsets of `starting_offsets`.",
                *(self._query, left[0]),
            )


def _is_ahead(offsets: Offsets, known: Offsets) -> bool:
    """Whether some partitions are beyond their checkpoint, and none is before it."""
    further = [int(offset or -1) - int(known.get(each) or -1) for each, offset in offsets.items()]
    return offsets.keys() >= known.keys() and min(further, default=0) >= 0 and any(further)


def _has_followed(startpoint: Startpoint, partition: SystemStreamPartition, start: Positions, before: Offsets) -> bool:
    """Whether a folder with offsets is one that began at the startpoint: it stands there, or on the way back."""
    offset = startpoint.specific_offset if isinstance(startpoint, StartpointSpecific) else None
    position = start.get(partition)
    if offset is None or position is None:
        return False
    return position == int(offset) or int(offset) <= position <= int(before.get(partition) or -1)


class BatchQueue:
    """Batches from a listener to a thread that writes them. `put` never waits."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most: Final = most
        self._batches: deque[CommittedBatch] = deque()
        self._changed: Final = Condition()
        self.is_closed = False

    def put(self, batch: CommittedBatch) -> None:
        with self._changed:
            self._batches.append(batch)
            if len(self._batches) > self._most:
                oldest = self._batches.popleft()
                self._batches[0] = self._batches[0].after(oldest)
            self._changed.notify_all()

    def next(self) -> CommittedBatch | None:
        """Wait for a batch, which stays until it is `done`; None: the queue is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._batches or self.is_closed)
            return self._batches[0] if self._batches else None

    def done(self, batch: CommittedBatch) -> None:
        with self._changed:
            if self._batches and self._batches[0] is batch:
                self._batches.popleft()

    def pause(self, seconds: float) -> None:
        """Wait before another try, or until the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_closed, seconds)

    def close(self) -> None:
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()


class BatchThread(Closing):
    """Writes the batches of a queue to the record of a job. An outage is logged once, and the record opened again."""

    def __init__(self, open_record: OpenRecord, query: str, config: Mapping[str, str]) -> None:
        self.queue: Final = BatchQueue()
        self._open_record: Final = open_record
        self._query: Final = query
        self._config: Final = config
        self._opened: Final = ExitStack()
        self._writer: BatchWriter | None = None
        self._is_failing = False
        self._thread: Final = Thread(target=self._run, name=f"observe {query}", daemon=True)

    def start(self) -> None:
        """Open the record and start the thread. Without an answer, the thread tries again. Raises `PortableError`."""
        try:
            self._open()
        except SourceUnavailable as error:
            self._report(error)
        self._thread.start()
        atexit.register(self.close)

    def close(self) -> None:
        """Write what has come, for at most `STOP_SECONDS`."""
        atexit.unregister(self.close)
        self.queue.close()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        pauses = Backoff(no_jitter, first_seconds=FIRST_PAUSE_SECONDS, longest_seconds=_LONGEST_PAUSE_SECONDS)
        while (batch := self.queue.next()) is not None:
            is_last_try = self.queue.is_closed
            try:
                self._open().write(batch)
            except Exception as error:  # whatever it is, the query and later batches go on
                self._report(error)
                self._close_record()
                if is_last_try:
                    break
                self.queue.pause(pauses.next())
            else:
                pauses.reset()
                self._is_failing = False
                self.queue.done(batch)
        self._close_record()

    def _open(self) -> BatchWriter:
        if self._writer is None:
            record = self._opened.enter_context(self._open_record())
            self._writer = BatchWriter(record, self._query, self._config)
        return self._writer

    def _close_record(self) -> None:
        self._writer = None
        with suppress(Exception):  # a log that failed may also fail to close
            self._opened.close()

    def _report(self, error: Exception) -> None:
        if not self._is_failing:
            reason = str(error) if isinstance(error, PortableError) else describe_cause(error)
            _logger.warning("The batches of query %s wait until the log answers: %s", self._query, reason)
        self._is_failing = True
