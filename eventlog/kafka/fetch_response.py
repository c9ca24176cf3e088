"""What kafka-python's fetcher makes of a partition's answer: here events, where it would make records of its own."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from kafka.consumer.fetcher import Fetcher
from kafka.errors import UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatch

from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.kafka.record_batch import BatchFacts, RecordsDamaged, batch_events
from eventlog.source import StreamRefused

_OLDEST_WITH_BATCHES: Final = 2


class FetchedEvents(Fetcher.PartitionRecords):  # type: ignore[misc]  # kafka-python has no types
    """The events of one answer, with transactions that were aborted left out, as the class above has it.

    ``moved`` is told of each stream whose position may have moved, with events or without. ``leader_epoch_of`` tells
    the epoch of what was read before: an answer without events must not make the client forget it, since by the epoch
    brokers notice that a log was cut and has grown again.
    """

    def __init__(
        self,
        moved: Callable[[str], None],
        leader_epoch_of: Callable[[Any], int],
        fetch_offset: int,
        partition: Any,
        records: Any,
        **options: Any,
    ) -> None:
        self._moved = moved
        super().__init__(fetch_offset, partition, records, **options)
        self.leader_epoch = leader_epoch_of(partition)

    def take(self, n: int | None = None) -> list[RecordedEvent]:
        """The next events, at most so many."""
        self._moved(self.topic_partition.topic)
        events: list[RecordedEvent] = super().take(n)
        return events

    def _unpack_records(self, tp: Any, records: Any, *_deserializers: None) -> Iterator[RecordedEvent]:
        try:
            while (batch := records.next_batch()) is not None:
                if not self._is_left_out(batch):
                    for event in _events(batch):
                        self.next_fetch_offset = event.offset + 1
                        yield event
                self.bytes_read += batch.size_in_bytes
                if batch.magic >= _OLDEST_WITH_BATCHES:
                    self.next_fetch_offset = batch.next_offset  # behind what was compacted away at its end
        except Exception as error:
            self.drain()  # else the fetcher would ask this generator for ever
            raise StreamRefused(tp.topic, _why_unreadable(self.next_fetch_offset, error)) from error
        self.drain()

    def _is_left_out(self, batch: Any) -> bool:
        """Whether a batch holds no events: the end of a transaction, or one that was aborted."""
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


def _why_unreadable(offset: int, error: Exception) -> str:
    if isinstance(error, UnsupportedCodecError):
        return f"what stands at offset {offset} is compressed in a way that needs another library: {error}"
    name = type(error).__name__
    return f"what stands at offset {offset} can't be read ({name}): look at it with the tools of the cluster"


def _check_sum(batch: Any) -> None:
    if not batch.validate_crc():
        raise RecordsDamaged


def _events(batch: Any) -> list[RecordedEvent]:
    return _batch_events(batch) if isinstance(batch, DefaultRecordBatch) else [_old_event(one) for one in batch]


def _batch_events(batch: Any) -> list[RecordedEvent]:
    iter(batch)  # decompresses
    data = bytes(memoryview(batch._buffer)[batch._pos :])  # noqa: SLF001 (there is no other way to them)
    append_time = None if batch.timestamp_type == CREATE_TIME else batch.max_timestamp
    return batch_events(
        data,
        BatchFacts(batch.base_offset, batch.first_timestamp, append_time, batch.leader_epoch, batch.records_count),
    )


def _old_event(record: Any) -> RecordedEvent:
    """Of formats 0 and 1, which have neither headers nor epochs; the oldest has no time either."""
    if not record.validate_crc():
        raise RecordsDamaged
    timestamp = -1 if record.timestamp is None else record.timestamp
    return RecordedEvent(record.offset, timestamp, record.timestamp_type or CREATE_TIME, record.key, record.value)
