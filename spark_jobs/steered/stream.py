"""SteeredStream: a job on Spark whose offsets are on its log, and whose output is written exactly once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial, reduce
from threading import Event
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from managers.steered.steered_job import OpenJob, SteeredBatch
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.steered.kafka_input import read_ranges
from spark_jobs.steered.sink import Sink

Process = Callable[[DataFrame, SteeredBatch], DataFrame]
"""Makes the output of a batch from its records (columns as of Spark's Kafka connector)."""

MAX_RECORDS: Final = 100_000
INTERVAL_SECONDS: Final = 1.0


class SteeredStream(ABC):
    """A job that reads topics in bounded batches and writes each batch exactly once.

    Startpoints and checkpoints on the job's log decide where it starts; every batch is committed in the sink, with its
    output, and then becomes a checkpoint on the log. So `coordstream rewind`, `lag`, `explain`, and the history of
    checkpoints work for it as for a Samza job.
    """

    @staticmethod
    @abstractmethod
    def opener(word: str, inputs: Sequence[str], config: Mapping[str, str]) -> AbstractContextManager[OpenJob]:
        """Open the log and the inputs of a job, a name or `NAME/ID`."""

    def __init__(
        self,
        *,
        job: str,
        inputs: Sequence[str],
        sink: Sink,
        process: Process,
        config: Mapping[str, str] | None = None,
        max_records: int = MAX_RECORDS,
    ) -> None:
        """Describe a job; nothing is opened before `run`.

        ``job`` is ``NAME/ID``, or ``NAME`` for the id 1. ``inputs`` are topics, such as ``kafka.clicks``.
        ``process(records, batch)`` returns the output of a batch. ``config`` is added to the job's config on its log.
        A batch has about ``max_records`` records at most. Raises SparkJobError: an argument is invalid.
        """
        if not isinstance(sink, Sink):
            raise SparkJobError(
                f"Invalid sink {type(sink).__name__}. Expected one that writes output and position in one transaction: "
                "PostgresSink or DeltaSink."
            )
        if max_records < 1:
            raise SparkJobError(f"Invalid max_records {max_records}. Expected 1 or more.")
        self._job = job
        self._inputs = inputs
        self._sink = sink
        self._process = process
        self._config = dict(config or {})
        self._max_records = max_records
        self._stopping = Event()

    def stop(self) -> None:
        """Let `run` return after the batch that it is working on. Also from another thread, or a signal handler."""
        self._stopping.set()

    def run(
        self,
        spark: SparkSession | None = None,
        *,
        available_now: bool = False,
        interval: float = INTERVAL_SECONDS,
    ) -> int:
        """Run batches until `stop`, or with ``available_now`` until the current ends; return how many were written.

        ``interval``: how long to wait, in seconds, when there is nothing new. Raises `JobTakenOver`: another copy of
        the job has started; `SparkJobError` and `EventLogError`: an input, the log, the sink or `process` failed.
        After an error, the next run continues exactly where the sink ends.
        """
        session = spark or SparkSession.getActiveSession()
        if session is None:
            raise SparkJobError("There is no active Spark session. Pass one to `run`.")
        try:
            with self.opener(self._job, self._inputs, self._config) as opened, closing(self._sink):
                return self._run(session, opened, None if available_now else interval)
        finally:
            self._stopping.clear()

    def _run(self, spark: SparkSession, opened: OpenJob, interval: float | None) -> int:
        job, sink, written = opened.steered, self._sink, 0
        take_over = partial(sink.open, job.job_name, job.job_id)
        commit = partial(sink.commit, output=None)
        for batch in job.batches(take_over, commit, self._max_records, self._stopping, interval=interval):
            sink.commit(batch, self._output(spark, opened, batch))
            job.record(batch)
            written += 1
        return written

    def _output(self, spark: SparkSession, opened: OpenJob, batch: SteeredBatch) -> DataFrame:
        with spark_errors(f"Cannot read {batch}"):
            frames = [
                read_ranges(spark, options, ranges)
                for system, options in opened.brokers.items()
                if (ranges := {each: offsets for each, offsets in batch.ranges.items() if each.system == system})
            ]
            records = reduce(DataFrame.unionByName, frames)
        output = self._process(records, batch)
        if not isinstance(output, DataFrame):
            raise SparkJobError(f"`process` returned {type(output).__name__}. Expected a DataFrame.")
        if not output.columns:
            raise SparkJobError("`process` returned a DataFrame without columns. Return the columns of the sink.")
        if output.isStreaming:
            raise SparkJobError(
                "`process` returned a streaming DataFrame. A steered job keeps no state of Spark from one batch to the "
                "next: aggregate in the sink's statement, or use a query of Structured Streaming."
            )
        return output
