"""Decodes the records of one batch (Kafka's format 2, decompressed) as events.

kafka-python's decoder makes three objects for each record; a catch-up would spend most of its time there. The compiled
part, ``_record_batch.c``, decodes batches whose records are all complete and without headers.
"""

from typing import Final, NamedTuple

from eventlog.compiled import compiled_part
from eventlog.errors import EventLogError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, Headers, RecordedEvent

_compiled = compiled_part("eventlog.kafka._record_batch")
_SHORT: Final = tuple((byte >> 1) ^ -(byte & 1) for byte in range(0x80))
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_HEADERS_PER_RECORD: Final = 100
_MOST_HEADERS: Final = 1_000_000
"""Samza writes none, coordstream two. Of two bytes each, a batch could have millions, which need gigabytes."""


class BatchFacts(NamedTuple):
    """Common values of a batch's records, whose offsets are at most ``last_offset_delta`` after ``base_offset``.

    ``append_time`` is the time of all if the log sets it, otherwise None.
    """

    base_offset: int
    last_offset_delta: int
    first_timestamp: int
    append_time: int | None
    leader_epoch: int
    records: int


class RecordsDamaged(EventLogError):
    """The lengths of a batch's records do not match its bytes, or their offsets do not increase within the batch."""


class BatchTooLarge(EventLogError):
    """A batch unpacks to more bytes or headers than allowed."""


def batch_events(data: bytes, facts: BatchFacts) -> list[RecordedEvent]:
    """The events of a batch, in order. Raises `RecordsDamaged`, `BatchTooLarge`.

    A time above 64 bits begins again below, as for Kafka's own consumer: a producer can write such a record, which must
    not hide the rest of the log.
    """
    timestamp_type = CREATE_TIME if facts.append_time is None else LOG_APPEND_TIME
    try:
        if _compiled is not None and (decoded := _compiled.decode(data, *facts, timestamp_type, RecordedEvent)):
            events: list[RecordedEvent] = decoded
            return events
        events, end = _events(data, facts, timestamp_type)
    except IndexError:
        raise RecordsDamaged from None
    if end != len(data):
        raise RecordsDamaged
    return events


def _events(data: bytes, facts: BatchFacts, timestamp_type: int) -> tuple[list[RecordedEvent], int]:
    """The events, and where they end."""
    base_offset, last_offset_delta, first_timestamp, append_time, leader_epoch, records = facts
    new = tuple.__new__  # what RecordedEvent(...) calls, without its overhead
    events, at, last = [], 0, -1
    headers: Headers
    headers_left = min(_HEADERS_PER_RECORD * (records + 1), _MOST_HEADERS)
    for _ in range(records):
        length, at = _varint(data, at)
        end = at + length
        time_delta, at = _varint(data, at + 1)  # skips the byte of attributes, which are unused
        offset_delta, at = _varint(data, at)
        key, at = _nullable_bytes(data, at)
        value, at = _nullable_bytes(data, at)
        if data[at]:
            headers, at = _headers(data, at, headers_left)
            headers_left -= len(headers)
        else:
            headers, at = (), at + 1
        if at != end or not last < offset_delta <= last_offset_delta:
            raise RecordsDamaged
        time = first_timestamp + time_delta if append_time is None else append_time
        if not _LOWEST <= time <= _HIGHEST:
            time = (time - _LOWEST) % 2**64 + _LOWEST
        last, offset = offset_delta, base_offset + offset_delta
        if not _LOWEST <= offset <= _HIGHEST:
            raise RecordsDamaged
        events.append(new(RecordedEvent, (offset, time, timestamp_type, key, value, headers, leader_epoch)))
    return events, at


def _nullable_bytes(data: bytes, at: int) -> tuple[bytes | None, int]:
    length, at = _varint(data, at)
    if length < 0:
        return None, at
    end = at + length
    return data[at:end], end


def _headers(data: bytes, at: int, most: int) -> tuple[Headers, int]:
    """Names that are not UTF-8 keep their bytes, as lone surrogates."""
    count, at = _varint(data, at)
    if count > most:
        raise BatchTooLarge(f"its batch has more than {_HEADERS_PER_RECORD} headers per record. Delete it")
    headers = []
    for _ in range(count):
        name, at = _nullable_bytes(data, at)
        value, at = _nullable_bytes(data, at)
        headers.append(((name or b"").decode("utf-8", "surrogateescape"), value))
    return tuple(headers), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A zigzag-encoded varint of at most 64 bits, and where it ends."""
    low = data[at]
    if low < 0x80:
        return _SHORT[low], at + 1
    number, shift = low & 0x7F, 7
    while True:
        at += 1
        byte = data[at]
        number |= (byte & 0x7F) << shift
        if shift == 63 and byte > 1:
            raise IndexError("a varint of more than 64 bits")
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), at + 1
        shift += 7
