"""What comes of a broker's answer, of batches as old and odd as they may be."""

import pytest
from kafka import TopicPartition
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords

from eventlog.events import RecordedEvent
from eventlog.kafka import fetch_response
from eventlog.kafka.fetch_response import FetchedEvents
from eventlog.kafka.options import MAX_BATCH_BYTES
from eventlog.source import StreamRefused

KNOWN_EPOCH = 4
SNAPPY = 2


def answer_of(data: bytes, fetch_offset: int = 0, most_bytes: int = MAX_BATCH_BYTES) -> tuple[FetchedEvents, list[str]]:
    """A broker's answer, and where it tells of streams."""
    moved: list[str] = []
    partition = TopicPartition("stream", 0)
    records = MemoryRecords(data)
    events = FetchedEvents(moved.append, lambda _: KNOWN_EPOCH, most_bytes, fetch_offset, partition, records)
    return events, moved


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


def take_two(answer: FetchedEvents) -> None:
    for _ in range(2):
        answer.take(1)


def event(offset: int, timestamp: int, value: bytes | None, epoch: int | None) -> RecordedEvent:
    return RecordedEvent(offset, timestamp, 0, b"k%d" % offset, value, (), epoch)


def test_events_are_taken_a_few_at_a_time() -> None:
    answer, moved = answer_of(batch())
    assert answer.take(2) == [event(0, 10, b"v", 0), event(1, 11, b"v", 0)]
    assert (answer.next_fetch_offset, bool(answer)) == (2, True)
    assert answer.take(5) == [event(2, 12, b"v", 0)]
    assert (answer.next_fetch_offset, bool(answer), answer.leader_epoch) == (3, False, 0)
    assert moved == ["stream", "stream"]


def test_an_empty_answer_leaves_the_epoch_as_it_was() -> None:
    answer, moved = answer_of(b"", fetch_offset=7)
    assert answer.take() == []
    assert (answer.next_fetch_offset, answer.leader_epoch, moved) == (7, KNOWN_EPOCH, ["stream"])


@pytest.mark.parametrize(("magic", "times"), [(0, [-1, -1]), (1, [10, 11])])
def test_records_of_old_brokers(magic: int, times: list[int]) -> None:
    """Format 0 knows no times."""
    answer, _ = answer_of(old_batch(magic))
    assert answer.take() == [event(offset, time, None, None) for offset, time in enumerate(times)]
    assert answer.next_fetch_offset == 2


@pytest.mark.parametrize("data", [batch(), old_batch(1)])
def test_a_changed_bit_is_detected_and_stops_the_read(data: bytes) -> None:
    answer, _ = answer_of(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(StreamRefused, match=r"offset \d cannot be decoded \(RecordsDamaged\)\. Inspect it"):
        take_two(answer)
    assert bool(answer) is False


def test_records_before_a_damaged_one_are_read_first() -> None:
    first, second = batch(), bytearray(batch())
    second[0:8] = (3).to_bytes(8)
    second[-1] ^= 1
    answer, _ = answer_of(first + bytes(second))
    assert len(answer.take()) == 3
    assert (answer.next_fetch_offset, bool(answer)) == (3, False)
    with pytest.raises(StreamRefused, match="the record at offset 3"):
        answer_of(bytes(second), fetch_offset=3)[0].take()


@pytest.mark.parametrize("codec", [1, 3, 4])
def test_a_batch_that_unpacks_to_too_much_is_refused(codec: int) -> None:
    packed = batch(codec, count=100)
    assert len(answer_of(packed)[0].take()) == 100
    refusal = "offset 0 cannot be read: its batch unpacks to more than 1000 bytes. Delete it, or raise COORDSTR"
    with pytest.raises(StreamRefused, match=refusal):
        answer_of(packed, most_bytes=1_000)[0].take()


def test_batches_that_unpack_to_much_together_are_fetched_again() -> None:
    batches = [bytearray(batch(4, count=100)) for _ in range(3)]
    for number, each in enumerate(batches):
        each[0:8] = (100 * number).to_bytes(8)
    answer, _ = answer_of(b"".join(batches), most_bytes=1_500)
    assert [event.offset for event in answer.take()] == list(range(200))
    assert (answer.next_fetch_offset, bool(answer)) == (200, False)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = bytearray(batch())
    compressed[22] |= SNAPPY
    monkeypatch.setattr(fetch_response, "_check_sum", lambda _: None)
    with pytest.raises(StreamRefused, match=r"needs another library: .*snappy"):
        answer_of(bytes(compressed))[0].take()
