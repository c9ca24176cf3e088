"""The event source of a follower on Spark: a streaming query whose executors apply the events.

The follower of `projections.follow` runs in the driver unchanged. The rows of the query are ticks. In each micro-batch
the driver plans the next ranges of the streams, and the executors read and apply them: an error of one stream is an
answer about that stream, and does not fail the query.
"""

import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import Final

from humanize import naturaldelta
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import require_brokers
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import Connection
from eventlog.source import Read, SourceUnavailable
from projections.follow.delegated import Delegated
from projections.follow.tail import EventBuffer, Progress, Tail
from projections.projector import Projector
from projections.stream_lock import StreamLocks
from projections.tracked_logs import TrackedLog
from spark_jobs.dispatch import pack, run_bins
from spark_jobs.errors import SparkJobError, jvm_errors, reason_of, spark_errors
from spark_jobs.follow.executor import RangeResult, apply_ranges, plan_ranges
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.session import count_cores

SCRATCH: Final = "coordstream-spark-follow-"
"""How the names of the temporary folders begin."""

LONGEST_FAILURE_SECONDS: Final = 300.0
"""How long a query that fails is started again without a result, as while executors are lost or start too slowly."""

QUIET_SECONDS: Final = 0.1
"""How long to wait before topics without news are asked for their ends again."""

_TICK_SECONDS: Final = 0.5
_FAILED: Final = "Spark cannot follow"


class MicroBatches(KafkaSource):
    """A Kafka source whose polls return where executors have moved the positions, and no events.

    The follower itself reads events only for comparisons with the archive and for resyncs. The query's checkpoint is in
    a temporary folder: the positions in the database decide where logs are read on.
    """

    def __init__(self, spark: SparkSession, settings: LogTaskSettings) -> None:
        self._spark = spark
        self._settings = settings
        super().__init__(require_brokers(settings.kafka))
        self._planner: KafkaAdmin | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix=SCRATCH, ignore_cleanup_errors=True)
        self._query: StreamingQuery | None = None
        self._queries = 0
        self._started_at = monotonic()
        self._failing_since: float | None = None
        self._generations = 0
        self._holder_pid = 0
        self._assigned: dict[str, Delegated] = {}
        self._batches: SimpleQueue[list[RangeResult] | None] = SimpleQueue()
        self._is_taken = Event()
        self._is_closed = False

    def locks(self, holding: Connection) -> StreamLocks:
        """The locks of a new session of the follower, on behalf of which executors write from now on."""
        self._holder_pid = holding.info.backend_pid
        self._assigned = {}
        return StreamLocks(holding)

    def assign(self, positions: Mapping[str, int]) -> None:
        """See `EventSource.assign`. Starts the query."""
        self._assigned = {name: self._assignment(name, position) for name, position in positions.items()}
        if self._assigned and self._query is None:
            with spark_errors(_FAILED):
                self._start()

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`.

        Raises:
            SourceUnavailable: the query has failed; it starts again when streams are assigned.
            SparkJobError: it has failed for `LONGEST_FAILURE_SECONDS` without a result in between, or Spark has ended.
        """
        self._is_taken.set()
        try:
            results = self._batches.get(timeout=min(timeout, _TICK_SECONDS))
        except Empty:
            self._require_query()
            return []
        if results is not None:
            self._failing_since = None
        return [read for result in results or [] if (read := self._take(result)) is not None]

    def wake(self) -> None:
        self._batches.put(None)

    def close(self) -> None:
        self._is_closed = True
        self._stop()
        if self._planner is not None:
            self._planner.close()
        super().close()
        self._scratch.cleanup()

    def _assignment(self, name: str, position: int) -> Delegated:
        """The log's assignment; a new one unless it is read on from where it is."""
        known, topic_id = self._assigned.get(name), self._topic_ids.get(name)
        if known is not None and known.topic_id == topic_id and known.next_offset == position:
            return known
        self._generations += 1
        return Delegated(name, topic_id, self._holder_pid, position, position, self._generations)

    def _take(self, result: RangeResult) -> Read | None:
        """The result for its tail; None if the log has another assignment since the range was planned."""
        name, next_offset = result.wanted.stream_name, result.applied.next_offset
        known = self._assigned.get(name)
        if known is None or known.generation != result.wanted.generation:
            return None
        self._assigned[name] = known._replace(next_offset=next_offset)
        if result.error is not None:
            del self._assigned[name]  # it gets another one when it is attached again
        read = RangeRead(name, (), next_offset)
        read.result = result
        return read

    def _start(self) -> None:
        self._queries += 1
        ticks = self._spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
        # Spark looks up a bare path in the cluster's default file system, and would leave it there
        checkpoint = f"file://{Path(self._scratch.name).resolve()}/checkpoint-{self._queries}"
        query = ticks.writeStream.foreachBatch(self._run_batch).option("checkpointLocation", checkpoint)
        self._query = query.queryName(f"coordstream-follow-{self._queries}").start()
        self._started_at = monotonic()

    def _run_batch(self, _tick: DataFrame, _number: int) -> None:
        """Apply a micro-batch in the executors, when there is news; wait until the follower has taken the results."""
        while not (ranges := self._plan()):
            if self._is_closed:
                return
            time.sleep(QUIET_SECONDS)
        sizes = [one.next_offset - one.first_offset for one in ranges]
        bins = [[ranges[number] for number in numbers] for numbers in pack(sizes, count_cores(self._spark))]
        results = run_bins(self._spark, bins, partial(apply_ranges, self._settings))
        self._is_taken.clear()
        self._batches.put(results)
        while not (self._is_closed or self._is_taken.wait(_TICK_SECONDS)):
            continue

    def _plan(self) -> list[Delegated]:
        """The next ranges of the streams; none if the brokers do not answer, which the follower itself notices."""
        assigned = dict(self._assigned)  # the follower changes it meanwhile
        try:
            self._planner = self._planner or KafkaAdmin(require_brokers(self._settings.kafka))
            return plan_ranges(assigned, self._planner.topic_ids(assigned), self._planner.end_offsets(list(assigned)))
        except SourceUnavailable:
            return []

    def _require_query(self) -> None:
        if self._query is None:
            return
        with spark_errors(_FAILED):
            is_active, error = self._query.isActive, self._query.exception()
        if not is_active:
            self._assigned = {}
            self._stop()
            self._report_failure("it was stopped" if error is None else reason_of(error))
        elif monotonic() > self._started_at + LONGEST_FAILURE_SECONDS:
            self._failing_since = None  # it works, but has no events to read

    def _report_failure(self, reason: str) -> None:
        now = monotonic()
        self._failing_since = self._failing_since or now
        if (seconds := now - self._failing_since) > LONGEST_FAILURE_SECONDS:
            raise SparkJobError(f"{_FAILED}: the streaming query has failed for {naturaldelta(seconds)} ({reason}).")
        raise SourceUnavailable(f"The streaming query failed ({reason})")

    def _stop(self) -> None:
        if self._query is not None:
            with suppress(PySparkException, *jvm_errors()):  # it has failed, or the JVM is being stopped
                self._query.stop()
            self._query = None


class RangeRead(Read):
    """A range that an executor has read, and has applied unless the result has an error."""

    result: RangeResult


class MicroBatchTail(Tail):
    """A tail whose events executors apply; what they did is added to it."""

    def __init__(self, log: TrackedLog, projector: Projector, target: int) -> None:
        super().__init__(log, projector, target)
        self.buffer = _Results(projector.next_offset)
        self._results: list[RangeResult] = []

    def add(self, read: Read, now: float) -> None:
        super().add(read, now)
        if isinstance(read, RangeRead):
            self._results.append(read.result)

    def apply(self, *_: object) -> Progress:
        """Move the position to where executors have moved it. Raises the error of a range that was not applied."""
        first = self.position
        self.buffer.pop_batch()
        results, self._results = self._results, []
        for result in results:
            if result.error is not None:
                raise result.error
            self._projector.next_offset = result.applied.next_offset
        events = sum(result.applied.events for result in results)
        timestamp = results[-1].applied.timestamp if results else None
        return Progress(self.stream_name, self.state, events, first, self.position, self.target, timestamp)


class _Results(EventBuffer):
    """Results are applied at once."""

    @property
    def is_full(self) -> bool:
        return bool(self)
