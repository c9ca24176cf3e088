"""The interface of what the data source reads from: the archive, Kafka, a lake, or a recording."""

from collections.abc import Iterator
from typing import Protocol

from eventlog.events import RecordedEvent
from spark_jobs.data_source.access import Access
from spark_jobs.data_source.archive_reader import ArchiveReader
from spark_jobs.data_source.log_range import LogRange
from spark_jobs.data_source.options import ARCHIVE, KAFKA, SourceOptions
from spark_jobs.data_source.recording_reader import RecordingReader


class LogReader(Protocol):
    """Finds logs, in the driver, and reads ranges of them, in the executors."""

    def logs(self, options: SourceOptions) -> list[LogRange]:
        """The logs that the options name, each from its first retained event to its end. Raises SparkJobError."""

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        """The events of a range, in order. Raises SparkJobError or EventLogError."""

    def close(self) -> None:
        """Close all connections."""


def open_reader(origin: str, access: Access) -> LogReader:
    """The reader of `archive`, `kafka`, or the path of a lake or recording. Raises SparkJobError: it does not open."""
    if origin == ARCHIVE:
        return ArchiveReader(access.require_database())
    if origin == KAFKA:
        from spark_jobs.data_source.topic_reader import TopicReader  # noqa: PLC0415 (loads kafka-python)

        return TopicReader(access.require_kafka())
    from spark_jobs.lake.files import is_lake  # noqa: PLC0415 (loads Arrow)

    if is_lake(origin):
        from spark_jobs.data_source.lake_log_reader import LakeLogReader  # noqa: PLC0415

        return LakeLogReader(origin)
    return RecordingReader(origin)
