"""The events of a partition in a fetch response, in place of kafka-python's own records."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, Final

from kafka.consumer.fetcher import Fetcher
from kafka.errors import UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatch

from eventlog.events import CREATE_TIME, RecordedEvent, no_collections
from eventlog.invalid_batch import invalid_batch_event
from eventlog.kafka.decompression import BatchTooLarge, unpack
from eventlog.kafka.options import MAX_BATCH_VARIABLE
from eventlog.kafka.record_batch import BatchFacts, OffsetsInvalid, RecordsDamaged, batch_events
from eventlog.source import StreamRefused

_OLDEST_WITH_BATCHES: Final = 2


class FetchedEvents(Fetcher.PartitionRecords):  # type: ignore[misc]  # kafka-python has no types
    """The events of one answer without those of aborted transactions, as in the base class.

    ``moved`` is called with each stream whose position may have changed, with or without events. ``leader_epoch_of``
    returns the epoch of the last record read: an answer without events must not reset it, since brokers use it to
    detect that a log was truncated and has grown again. ``most_bytes``: how many a batch may unpack to.
    """

    def __init__(
        self,
        moved: Callable[[str], None],
        leader_epoch_of: Callable[[Any], int],
        most_bytes: int,
        fetch_offset: int,
        partition: Any,
        records: Any,
        **options: Any,
    ) -> None:
        self._moved = moved
        self._most_bytes = most_bytes
        self.next_fetch_offset = fetch_offset
        super().__init__(fetch_offset, partition, records, **options)
        self.leader_epoch = leader_epoch_of(partition)

    def take(self, n: int | None = None) -> list[RecordedEvent]:
        self._moved(self.topic_partition.topic)
        with no_collections():
            events: list[RecordedEvent] = super().take(n)
        if events:
            self.next_fetch_offset = max(self.next_fetch_offset, events[-1].offset + 1)
        return events

    def _unpack_records(self, tp: Any, records: Any, *_deserializers: None) -> Iterator[RecordedEvent]:
        return chain.from_iterable(self._unpack_batches(tp, records))

    def _unpack_batches(self, tp: Any, records: Any) -> Iterator[list[RecordedEvent]]:
        unpacked_bytes = 0
        try:
            while (batch := records.next_batch()) is not None:
                if not self._has_no_events(batch):
                    unpacked = _records(batch, self._most_bytes)
                    unpacked_bytes += len(unpacked)
                    yield _events(batch, unpacked)
                self.bytes_read += batch.size_in_bytes
                if batch.magic >= _OLDEST_WITH_BATCHES:
                    self.next_fetch_offset = batch.next_offset  # after records at its end that compaction removed
                if unpacked_bytes > self._most_bytes:  # the rest is fetched again
                    break
        except Exception as error:
            self.drain()  # else the fetcher would call this generator without end
            raise StreamRefused(tp.topic, _describe_failure(self.next_fetch_offset, error)) from error
        self.drain()

    def _has_no_events(self, batch: Any) -> bool:
        """Whether a batch has no events: a control batch, or one of an aborted transaction."""
        _check_sum(batch)
        if batch.magic < _OLDEST_WITH_BATCHES:
            return False
        self.leader_epoch = batch.leader_epoch
        return self._is_aborted(batch) or bool(batch.is_control_batch)

    def _is_aborted(self, batch: Any) -> bool:
        if not batch.has_producer_id():
            return False
        self._consume_aborted_transactions_up_to(batch.last_offset)
        if self._contains_abort_marker(batch):
            self.aborted_producer_ids.discard(batch.producer_id)
            return True
        return bool(self._is_batch_aborted(batch))


def return_events(consumer: Any, most_bytes: int) -> None:
    """Let a consumer of kafka-python return events, which takes half the CPU time of its own records."""
    position = consumer._subscription.position  # noqa: SLF001 (there is no public access)
    consumer._fetcher.PartitionRecords = partial(  # noqa: SLF001
        FetchedEvents, lambda _: None, lambda partition: position(partition).leader_epoch, most_bytes
    )


def _describe_failure(offset: int, error: Exception) -> str:
    if isinstance(error, UnsupportedCodecError):
        return f"the record at offset {offset} has a compression that needs another library: {error}"
    if isinstance(error, BatchTooLarge):
        return f"the record at offset {offset} cannot be read: {error}. Delete it, or raise {MAX_BATCH_VARIABLE}"
    name = type(error).__name__
    return f"the record at offset {offset} cannot be decoded ({name}). Inspect it with the tools of the cluster"


def _check_sum(batch: Any) -> None:
    if not batch.validate_crc():
        raise RecordsDamaged


def _records(batch: Any, most_bytes: int) -> bytes:
    """The unpacked records of a batch; empty for formats 0 and 1, which kafka-python unpacks."""
    if not isinstance(batch, DefaultRecordBatch):
        return b""
    records = bytes(memoryview(batch._buffer)[batch._pos :])  # noqa: SLF001 (there is no public access)
    return unpack(batch.compression_type, records, most_bytes) if batch.compression_type else records


def _events(batch: Any, records: bytes) -> list[RecordedEvent]:
    if not isinstance(batch, DefaultRecordBatch):
        return [_old_event(one) for one in batch]
    append_time = None if batch.timestamp_type == CREATE_TIME else batch.max_timestamp
    place = (batch.base_offset, batch.last_offset_delta)
    try:
        return batch_events(
            records, BatchFacts(*place, batch.first_timestamp, append_time, batch.leader_epoch, batch.records_count)
        )
    except OffsetsInvalid:
        event = invalid_batch_event(
            batch.base_offset,
            batch.last_offset,
            records,
            timestamp=batch.max_timestamp,
            timestamp_type=batch.timestamp_type,
            leader_epoch=batch.leader_epoch,
        )
        return [event]


def _old_event(record: Any) -> RecordedEvent:
    """A record of format 0 or 1, which have no headers or epochs; format 0 has no time either."""
    if not record.validate_crc():
        raise RecordsDamaged
    timestamp = -1 if record.timestamp is None else record.timestamp
    return RecordedEvent(record.offset, timestamp, record.timestamp_type or CREATE_TIME, record.key, record.value)
