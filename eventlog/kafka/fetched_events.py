"""The events of one partition in a broker's answer to a fetch."""

import gzip
import io
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import lz4.frame
import zstandard
from kafka.codec import has_snappy, snappy_decode
from kafka.errors import UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.memory_records import MemoryRecords

from eventlog.events import CREATE_TIME, RecordedEvent, no_collections
from eventlog.frozen_dict import frozen
from eventlog.kafka.options import MAX_BATCH_VARIABLE
from eventlog.kafka.record_batch import BatchFacts, BatchTooLarge, RecordsDamaged, batch_events
from eventlog.source import StreamRefused

_HEADER_BYTES: Final = DefaultRecordBatch.HEADER_STRUCT.size


class FetchedEvents:
    """Events without those of aborted transactions; whole batches are decoded when they are taken.

    ``offset`` is the next one to read, and ``epoch`` the leader epoch of the last batch read: an answer without batches
    must not reset it, since brokers use it to detect that a log was truncated and has grown again.
    """

    def __init__(self, stream_name: str, offset: int, epoch: int, answer: Any, most_bytes: int) -> None:
        """``answer`` is a partition of kafka-python's FetchResponse. ``most_bytes``: how many a batch may unpack to."""
        self.stream_name = stream_name
        self.offset = self._first = offset
        self.epoch = epoch
        self.is_drained = False
        self._most_bytes = most_bytes
        self._batches = _batches(answer.records)
        self._aborted = deque(sorted(answer.aborted_transactions or (), key=lambda one: one.first_offset))
        self._aborted_producers: set[int] = set()

    def take(self, most: int) -> list[RecordedEvent]:
        """The next batches, with about as many events. Raises `StreamRefused`: the first of them cannot be decoded."""
        events: list[RecordedEvent] = []
        unpacked_bytes = 0
        try:
            with no_collections():
                while len(events) < most and unpacked_bytes <= self._most_bytes:
                    if (found := next(self._batches, None)) is None:
                        self.is_drained = True
                        break
                    batch, packed = found
                    records = self._unpack(batch, packed)
                    unpacked_bytes += len(records)
                    events += self._events(batch, records)
        except Exception as error:
            self.is_drained = True
            if not events:
                raise StreamRefused(self.stream_name, _describe_failure(self.offset, error)) from error
        return events

    def _unpack(self, batch: Any, packed: bytes) -> bytes:
        """The records of a batch; kafka-python unpacks those of formats 0 and 1."""
        check_sum(batch)
        is_new = isinstance(batch, DefaultRecordBatch)
        return unpack(batch.compression_type, packed, self._most_bytes) if is_new else packed

    def _events(self, batch: Any, records: bytes) -> list[RecordedEvent]:
        if not isinstance(batch, DefaultRecordBatch):
            events = [_old_event(one) for one in batch]
            end = events[-1].offset + 1 if events else self.offset
        else:
            events = [] if self._has_no_events(batch) else _batch_events(batch, records)
            end = batch.next_offset  # after records at its end that compaction removed
            self.epoch = batch.leader_epoch
        self.offset = max(self.offset, end)
        if events and events[0].offset < self._first:  # a batch is returned as a whole
            return [event for event in events if event.offset >= self._first]
        return events

    def _has_no_events(self, batch: Any) -> bool:
        """Whether a batch has no events: a control batch, or one of an aborted transaction."""
        if batch.has_producer_id():
            while self._aborted and self._aborted[0].first_offset <= batch.last_offset:
                self._aborted_producers.add(self._aborted.popleft().producer_id)
        if batch.is_control_batch:
            if batch.records_count and next(batch).abort:  # compaction keeps the last batch of a producer, empty
                self._aborted_producers.discard(batch.producer_id)
            return True
        return bool(batch.is_transactional) and batch.producer_id in self._aborted_producers


def _batches(data: Any) -> Iterator[tuple[Any, bytes]]:
    """The complete batches of an answer, with their records as they are stored. The last one may be incomplete."""
    records, at = MemoryRecords(data), 0
    if data and not records.has_next():
        raise RecordsDamaged
    while (batch := records.next_batch()) is not None:
        end = at + batch.size_in_bytes
        yield batch, data[at + _HEADER_BYTES : end]
        at = end


def _describe_failure(offset: int, error: Exception) -> str:
    if isinstance(error, UnsupportedCodecError):
        return f"the record at offset {offset} has a compression that needs another library: {error}"
    if isinstance(error, BatchTooLarge):
        return f"the record at offset {offset} cannot be read: {error}"
    name = type(error).__name__
    return f"the record at offset {offset} cannot be decoded ({name}). Inspect it with the tools of the cluster"


def check_sum(batch: Any) -> None:
    """Raise `RecordsDamaged`: the bytes of a batch or record do not match its checksum."""
    if not batch.validate_crc():
        raise RecordsDamaged


def _batch_events(batch: Any, records: bytes) -> list[RecordedEvent]:
    append_time = None if batch.timestamp_type == CREATE_TIME else batch.max_timestamp
    place = (batch.base_offset, batch.last_offset_delta)
    return batch_events(
        records, BatchFacts(*place, batch.first_timestamp, append_time, batch.leader_epoch, batch.records_count)
    )


def _old_event(record: Any) -> RecordedEvent:
    """A record of format 0 or 1, which have no headers or epochs; format 0 has no time either."""
    check_sum(record)
    timestamp = -1 if record.timestamp is None else record.timestamp
    return RecordedEvent(record.offset, timestamp, record.timestamp_type or CREATE_TIME, record.key, record.value)


_BLOCK: Final = 1 << 17


def unpack(codec: int, packed: bytes, most_bytes: int) -> bytes:
    """The records of a batch, up to a limit: a few kilobytes of a producer can unpack to gigabytes.

    Raises `BatchTooLarge`, UnsupportedCodecError, and what the codec's library raises.
    """
    if codec not in _UNPACK:
        raise UnsupportedCodecError(f"codec {codec}")
    records = _UNPACK[codec](packed, most_bytes + 1)
    if len(records) > most_bytes:
        raise BatchTooLarge(
            f"its batch unpacks to more than {most_bytes} bytes. Delete it, or raise {MAX_BATCH_VARIABLE}"
        )
    return records


def _gzip(packed: bytes, size: int) -> bytes:
    return gzip.GzipFile(fileobj=io.BytesIO(packed)).read(size)


def _snappy(packed: bytes, _size: int) -> bytes:
    """Snappy packs at most 20 times, so that the limit of the broker is enough."""
    if not has_snappy():
        raise UnsupportedCodecError("snappy")
    unpacked: bytes = snappy_decode(packed)
    return unpacked


def _lz4(packed: bytes, size: int) -> bytes:
    decompressor = lz4.frame.LZ4FrameDecompressor()
    unpacked: bytes = decompressor.decompress(packed, size)
    if not decompressor.eof and len(unpacked) < size:
        raise EOFError("the frame is incomplete")
    return unpacked


def _zstd(packed: bytes, size: int) -> bytes:
    reader: Any = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    return io.BufferedReader(reader, _BLOCK).read(size)


_UNPACK: Final[Mapping[int, Callable[[bytes, int], bytes]]] = frozen(
    {0: lambda packed, _: packed, 1: _gzip, 2: _snappy, 3: _lz4, 4: _zstd}
)
"""By Kafka's number of the codec."""
