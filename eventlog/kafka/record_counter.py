"""Counts the records in ranges of partitions by reading them: offsets have gaps after compaction and transactions."""

import time
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import OffsetOutOfRangeError

from eventlog.kafka.client import LazyClient, connect, translate_errors
from eventlog.kafka.fetch_response import return_events
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable

SILENCE_SECONDS: Final = 30.0
"""How long a read may return nothing before it fails."""

_POLL_MS: Final = 500
_SETTINGS: Final[dict[str, Any]] = {
    "group_id": None,
    "enable_auto_commit": False,
    "auto_offset_reset": "none",
    "isolation_level": "read_uncommitted",  # as Samza's consumer
    "max_partition_fetch_bytes": 8 << 20,
    "max_poll_records": 10_000,
    "metrics_enabled": False,
}


class RecordCounter(LazyClient):
    """Counts the records that Samza's consumer would read: with those of aborted transactions, without their markers.

    Connects when it is first used; see `LazyClient`.
    """

    def count(self, partition: SystemStreamPartition, first: int, until: int) -> tuple[int, int]:
        """The records of a range of offsets, and the bytes of their keys and values.

        Raises:
            OffsetLost: records of the range were deleted meanwhile.
            SourceUnavailable: the brokers do not answer.
            StreamRefused: a record cannot be decoded.
        """
        if first >= until:
            return 0, 0
        topic = TopicPartition(partition.stream, partition.partition)
        with translate_errors(self._options):
            try:
                return self._count(topic, first, until)
            except OffsetOutOfRangeError:
                raise OffsetLost(partition.stream, first) from None

    def _count(self, topic: TopicPartition, first: int, until: int) -> tuple[int, int]:
        consumer = self._consumer()
        consumer.assign([topic])
        consumer.seek(topic, first)
        records = size = 0
        position, heard_at = first, time.monotonic()
        while position < until:
            for event in consumer.poll(timeout_ms=_POLL_MS).get(topic, ()):
                if event.offset < until:
                    records += 1
                    size += len(event.key or b"") + len(event.value or b"")
            following = consumer.position(topic)
            if following > position:
                position, heard_at = following, time.monotonic()
            elif time.monotonic() - heard_at > SILENCE_SECONDS:
                raise SourceUnavailable(
                    f"{topic.topic} returned nothing at offset {position} of partition {topic.partition} for "
                    f"{SILENCE_SECONDS:g} s. Check its brokers."
                )
        return records, size

    def _consumer(self) -> Any:
        if self._connected is None:
            self._connected = connect(KafkaConsumer, self._options, **_SETTINGS)
            return_events(self._connected.client)
        return self._connected.client
