"""Reads logs from Kafka, without Spark's connector."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from eventlog.events import RecordedEvent, batches
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.range_reader import RangeReader
from eventlog.streams import identify
from spark_jobs.coordinator_stream.log_range import Log, LogRange
from spark_jobs.coordinator_stream.options import SourceOptions
from spark_jobs.errors import SparkJobError

BATCH_EVENTS: Final = 20_000
BATCH_BYTES: Final = 64 << 20


class TopicReader:
    """See `LogReader`. A log is a topic, identified by its id; only the archive numbers incarnations."""

    def __init__(self, kafka: KafkaOptions) -> None:
        self._place = kafka.place
        self._admin = KafkaAdmin(kafka)
        self._ranges = RangeReader(kafka, self._admin)
        self._checked: set[tuple[str, str | None]] = set()

    def logs(self, options: SourceOptions) -> list[LogRange]:
        """See `LogReader.logs`. Raises `StreamRefused` for a topic with several partitions or without compaction."""
        names = [name for name in self._admin.stream_names() if options.matches(name)]
        if missing := options.missing(set(names)):
            raise SparkJobError(f"{self._place} has no stream '{missing[0]}'. Create it, or check the name.")
        topic_ids = self._admin.topic_ids(names)
        for name, topic_id in topic_ids.items() - self._checked:
            self._admin.describe(name)
            self._checked.add((name, topic_id))
        bounds = self._admin.all_bounds(list(topic_ids))
        return [
            LogRange(Log(name, identify(name).stream_kind, topic_id=topic_ids[name]), start, end)
            for name, (start, end) in sorted(bounds.items())
        ]

    def read(self, wanted: LogRange) -> Iterator[Sequence[RecordedEvent]]:
        """See `LogReader.read`. Raises `OffsetLost` if the topic was re-created since the range was planned."""
        log = wanted.log
        events = self._ranges.read(log.stream_name, log.topic_id, wanted.first, wanted.until)
        return batches(events, BATCH_EVENTS, BATCH_BYTES)

    def close(self) -> None:
        """Close all connections."""
        self._ranges.close()
        self._admin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
