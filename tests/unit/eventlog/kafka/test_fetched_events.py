"""What comes of a broker's answer, of batches as old and odd as they may be."""

from typing import NamedTuple

import pytest
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder

from eventlog.events import RecordedEvent
from eventlog.kafka import fetched_events
from eventlog.kafka.fetched_events import FetchedEvents
from eventlog.kafka.options import MAX_BATCH_BYTES
from eventlog.source import StreamRefused

KNOWN_EPOCH = 4
SNAPPY = 2
ALL = 1_000_000


class Answer(NamedTuple):
    """What a FetchResponse has for a partition."""

    records: bytes
    aborted_transactions: None = None


def answer_of(data: bytes, fetch_offset: int = 0, most_bytes: int = MAX_BATCH_BYTES) -> FetchedEvents:
    return FetchedEvents("stream", fetch_offset, KNOWN_EPOCH, Answer(data), most_bytes)


def batch(codec: int = 0, count: int = 3) -> bytes:
    builder = DefaultRecordBatchBuilder(2, codec, False, -1, -1, -1, 1 << 20)
    for offset in range(count):
        builder.append(offset, 10 + offset, b"k%d" % offset, b"v", [])
    return bytes(builder.build())


def old_batch(magic: int) -> bytes:
    builder = LegacyRecordBatchBuilder(magic, 0, 1 << 20)
    for offset in range(2):
        builder.append(offset, 10 + offset, b"k%d" % offset, None)
    return bytes(builder.build())


def event(offset: int, timestamp: int, value: bytes | None, epoch: int | None) -> RecordedEvent:
    return RecordedEvent(offset, timestamp, 0, b"k%d" % offset, value, (), epoch)


def test_batches_are_taken_as_wholes() -> None:
    second = bytearray(batch())
    second[0:8] = (3).to_bytes(8)
    answer = answer_of(batch() + bytes(second), fetch_offset=1)
    assert answer.take(1) == [event(1, 11, b"v", 0), event(2, 12, b"v", 0)]
    assert (answer.offset, answer.is_drained) == (3, False)
    assert [taken.offset for taken in answer.take(5)] == [3, 4, 5]
    assert (answer.offset, answer.is_drained, answer.epoch) == (6, True, 0)


def test_an_empty_answer_leaves_the_epoch_as_it_was() -> None:
    answer = answer_of(b"", fetch_offset=7)
    assert answer.take(ALL) == []
    assert (answer.offset, answer.epoch) == (7, KNOWN_EPOCH)


def test_a_control_batch_whose_record_was_compacted_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetched_events, "check_sum", lambda _: None)
    control = bytearray(batch(count=0))
    control[22] |= 0x30  # transactional and control
    answer = answer_of(bytes(control))
    assert (answer.take(ALL), answer.offset) == ([], 1)


@pytest.mark.parametrize(("magic", "times"), [(0, [-1, -1]), (1, [10, 11])])
def test_records_of_old_brokers(magic: int, times: list[int]) -> None:
    """Format 0 knows no times."""
    answer = answer_of(old_batch(magic))
    assert answer.take(ALL) == [event(offset, time, None, None) for offset, time in enumerate(times)]
    assert answer.offset == 2


@pytest.mark.parametrize("data", [batch(), old_batch(1)])
def test_a_changed_bit_is_detected_and_stops_the_read(data: bytes) -> None:
    answer = answer_of(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(StreamRefused, match=r"offset \d cannot be decoded \(RecordsDamaged\)\. Inspect it"):
        list(map(answer.take, (1, 1)))
    assert answer.is_drained


def test_records_before_a_damaged_one_are_read_first() -> None:
    first, second = batch(), bytearray(batch())
    second[0:8] = (3).to_bytes(8)
    second[-1] ^= 1
    answer = answer_of(first + bytes(second))
    assert len(answer.take(ALL)) == 3
    assert (answer.offset, answer.is_drained) == (3, True)
    with pytest.raises(StreamRefused, match="the record at offset 3"):
        answer_of(bytes(second), fetch_offset=3).take(ALL)


@pytest.mark.parametrize("codec", [0, 1, 3, 4])
def test_a_batch_that_unpacks_to_too_much_is_refused(codec: int) -> None:
    packed = batch(codec, count=100)
    assert len(answer_of(packed).take(ALL)) == 100
    refusal = "offset 0 cannot be read: its batch unpacks to more than 1000 bytes. Delete it, or raise COORDSTR"
    with pytest.raises(StreamRefused, match=refusal):
        answer_of(packed, most_bytes=1_000).take(ALL)


def test_batches_that_unpack_to_much_together_are_taken_in_turn() -> None:
    batches = [bytearray(batch(4, count=100)) for _ in range(3)]
    for number, each in enumerate(batches):
        each[0:8] = (100 * number).to_bytes(8)
    answer = answer_of(b"".join(batches), most_bytes=1_500)
    assert [len(answer.take(ALL)) for _ in range(2)] == [200, 100]


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = bytearray(batch())
    compressed[22] |= SNAPPY
    monkeypatch.setattr(fetched_events, "check_sum", lambda _: None)
    with pytest.raises(StreamRefused, match=r"needs another library: .*snappy"):
        answer_of(bytes(compressed)).take(ALL)
