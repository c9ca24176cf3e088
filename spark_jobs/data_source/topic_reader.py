"""Reads logs from Kafka, without Spark's connector."""

from collections.abc import Iterator

from eventlog.events import RecordedEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.consumer import RangeReader
from eventlog.kafka.options import KafkaOptions
from eventlog.source import no_stream
from eventlog.streams import identify
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.data_source.options import SourceOptions
from spark_jobs.errors import SparkJobError


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
            raise SparkJobError(no_stream(missing[0], self._place))
        topic_ids = self._admin.topic_ids(names)
        for name, topic_id in topic_ids.items() - self._checked:
            self._admin.describe(name)
            self._checked.add((name, topic_id))
        bounds = self._admin.all_bounds(list(topic_ids))
        return [
            LogRange(Log(name, identify(name).stream_kind, topic_id=topic_ids[name]), start, end)
            for name, (start, end) in sorted(bounds.items())
        ]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """See `LogReader.read`. Raises `OffsetLost` if the topic was re-created since the range was planned."""
        log = wanted.log
        return self._ranges.read(log.stream_name, log.topic_id, wanted.first, wanted.until)

    def close(self) -> None:
        """Close all connections."""
        self._ranges.close()
        self._admin.close()
