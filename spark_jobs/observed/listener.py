"""Observes a streaming query: the listener, and how it is added and removed."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from eventlog.config import require_strings
from eventlog.secret_policy import SecretPolicy
from eventlog.source import Closing
from spark_jobs.errors import SparkJobError
from spark_jobs.observed.batch_thread import STOP_SECONDS, BatchQueue, BatchThread, OpenRecord
from spark_jobs.observed.progress import parse_progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_KEPT: Final = ("spark.app.name", "spark.app.id", "spark.sql.shuffle.partitions")
_KEPT_PREFIX: Final = "spark.sql.streaming."
_logger: Final = logging.getLogger(__name__)


class _Listener(StreamingQueryListener):
    """Enqueues the batches of the query of a name."""

    def __init__(self, query: str, queue: BatchQueue, secrets: SecretPolicy) -> None:
        self._query: Final = query
        self._queue: Final = queue
        self._secrets: Final = secrets
        self._run_id = ""
        self._reported: set[str] = set()
        self.has_ended: Final = Event()
        """No run has started, or the last one has ended and all its batches have come."""
        self.has_ended.set()

    def onQueryStarted(self, event: "QueryStartedEvent | StreamingQuery") -> None:  # noqa: N802 (Spark calls it)
        if event.name == self._query:
            self._run_id = str(event.runId)
            self.has_ended.clear()
        elif event.name is None:
            self._report("A query without a name is not observed. Name it with queryName.")

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        if event.progress.name == self._query:
            self.take(event.progress)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        if str(event.runId) == self._run_id:
            self.has_ended.set()

    def take(self, progress: Mapping[str, Any]) -> None:
        batch = parse_progress(progress)
        for description in batch.ignored:
            shown = self._secrets.mask_text(description)
            self._report(f"Query {self._query} reads {shown}, whose offsets are not observed.")
        if batch.sources:
            self._queue.put(batch._replace(sink=self._secrets.mask_text(batch.sink)))

    def _report(self, sentence: str) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            _logger.warning("%s", sentence)


class Observation(Closing):
    """Writes what a query does on the logs of a job, until it is stopped. A context manager."""

    def __init__(self, spark: "SparkSession", query: str, thread: BatchThread, secrets: SecretPolicy) -> None:
        self._spark: Final = spark
        self._query: Final = query
        self._thread: Final = thread
        self._listener: Final = _Listener(query, thread.queue, secrets)
        spark.streams.addListener(self._listener)
        for running in spark.streams.active:  # whose start Spark does not tell this listener
            self._listener.onQueryStarted(running)

    def stop(self) -> None:
        """Remove the listener, after the last batch that Spark has committed is written. It waits for seconds only."""
        with suppress(Exception):  # Spark may have ended
            self._take_last()
        with suppress(Exception):
            self._spark.streams.removeListener(self._listener)
        self._thread.close()

    close = stop

    def _take_last(self) -> None:
        """Take the last batch: Spark tells listeners of it later."""
        for query in self._spark.streams.active:
            if query.name == self._query:
                if query.lastProgress is not None:
                    self._listener.take(query.lastProgress)
                return
        self._listener.has_ended.wait(STOP_SECONDS)


def observe(
    spark: "SparkSession", query: str, open_record: OpenRecord, config: Mapping[str, str], secrets: SecretPolicy
) -> Observation:
    """See `coordstream.spark.observe`."""
    if not query:
        raise SparkJobError("A query without a name cannot be observed. Name it with writeStream.queryName.")
    thread = BatchThread(open_record, query, without_secrets({**spark_settings(spark), **config}, secrets))
    thread.start()
    try:
        return Observation(spark, query, thread, secrets)
    except BaseException:
        thread.close()
        raise


def spark_settings(spark: "SparkSession") -> dict[str, str]:
    """The settings of a session that matter to a streaming query."""
    found = {key: value for key, value in spark.conf.getAll.items() if key.startswith(_KEPT_PREFIX)}
    found |= {key: value for key in _KEPT if (value := spark.conf.get(key, None)) is not None}
    return {**found, "spark.version": spark.version}


def without_secrets(config: Mapping[str, str], secrets: SecretPolicy) -> dict[str, str]:
    """The keys whose values are no secrets. Raises ConfigError: a value is not a string."""
    require_strings(config)
    return {
        key: value for key, value in config.items() if not (secrets.is_secret_name(key) or secrets.holds_secret(value))
    }
