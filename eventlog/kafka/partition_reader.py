"""Reads ranges of offsets of any partition, and counts their records."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import LogTruncationError, OffsetOutOfRangeError

from eventlog.events import RecordedEvent
from eventlog.kafka.client import LazyClient, connect, translate_errors
from eventlog.kafka.fetch_response import return_events
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable

_POLL_MS: Final = 500
_SETTINGS: Final[dict[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "max_partition_fetch_bytes": 8 << 20,
    "max_poll_records": 10_000,
    "metrics_enabled": False,
}


class PartitionReader(LazyClient):
    """Reads with one consumer, one range at a time. Connects when it is first used; see `LazyClient`.

    ``isolation_level``: as Kafka's consumers have it. ``silence_seconds``: how long a read may return nothing.
    """

    def __init__(self, options: KafkaOptions, isolation_level: str, silence_seconds: float) -> None:
        super().__init__(options)
        self._isolation_level = isolation_level
        self._silence_seconds = silence_seconds

    def read(self, topic: str, partition: int, first: int, until: int) -> Iterator[Sequence[RecordedEvent]]:
        """Yield the records from offset ``first`` to before ``until`` as they arrive, maybe with empty sequences.

        Raises `OffsetLost`: records of the range were deleted, or the partition was truncated; `SourceUnavailable`: the
        brokers do not answer, or return nothing; `StreamRefused`: a record cannot be decoded.
        """
        if first >= until:
            return
        place = TopicPartition(topic, partition)
        with translate_errors(self._options):
            consumer = self._consumer()
            consumer.assign([place])
            consumer.seek(place, first)
            position, heard_at = first, time.monotonic()
            while position < until:
                events = _poll(consumer, place, position)
                following = consumer.position(place)
                if following > position:
                    position, heard_at = following, time.monotonic()
                elif time.monotonic() - heard_at > self._silence_seconds:
                    raise SourceUnavailable(
                        f"Partition {partition} of {topic} returned nothing after offset {position - 1} for "
                        f"{self._silence_seconds:g} s, but is to be read to offset {until - 1}. "
                        "Check its brokers and open transactions."
                    )
                yield [event for event in events if event.offset < until]

    def _consumer(self) -> Any:
        if self._connected is None:
            self._connected = connect(KafkaConsumer, self._options, **_SETTINGS, isolation_level=self._isolation_level)
            return_events(self._connected.client, self._options.max_batch_bytes)
        return self._connected.client


def _poll(consumer: Any, place: TopicPartition, position: int) -> Sequence[RecordedEvent]:
    try:
        events: Sequence[RecordedEvent] = consumer.poll(timeout_ms=_POLL_MS).get(place, ())
    except (LogTruncationError, OffsetOutOfRangeError) as error:
        raise OffsetLost(place.topic, position) from error
    return events


SILENCE_SECONDS: Final = 30.0
"""How long a read may return nothing before it fails."""


class RecordCounter(PartitionReader):
    """Counts the records that Samza's consumer would read: also of aborted transactions, without their markers."""

    def __init__(self, options: KafkaOptions) -> None:
        super().__init__(options, "read_uncommitted", SILENCE_SECONDS)

    def count(self, partition: SystemStreamPartition, first: int, until: int) -> tuple[int, int]:
        """The records of a range of offsets, and the bytes of their keys and values. Raises as `read`."""
        records = size = 0
        for events in self.read(partition.stream, partition.partition, first, until):
            records += len(events)
            size += sum(len(event.key or b"") + len(event.value or b"") for event in events)
        return records, size
