"""Counts the records in ranges of partitions by reading them: offsets have gaps after compaction and transactions."""

from typing import Final

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.partition_reader import PartitionReader
from eventlog.partition import SystemStreamPartition

SILENCE_SECONDS: Final = 30.0
"""How long a read may return nothing before it fails."""


class RecordCounter(PartitionReader):
    """Counts the records that Samza's consumer would read: with those of aborted transactions, without their markers.

    Connects when it is first used; see `LazyClient`.
    """

    def __init__(self, options: KafkaOptions) -> None:
        super().__init__(options, "read_uncommitted", SILENCE_SECONDS)

    def count(self, partition: SystemStreamPartition, first: int, until: int) -> tuple[int, int]:
        """The records of a range of offsets, and the bytes of their keys and values. Raises as `read`."""
        records = size = 0
        for events in self.read(partition.stream, partition.partition, first, until):
            records += len(events)
            size += sum(len(event.key or b"") + len(event.value or b"") for event in events)
        return records, size
