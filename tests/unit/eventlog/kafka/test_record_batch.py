"""The records of a batch: held to kafka-python's own writer and reader."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.util import encode_varint

from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent
from eventlog.kafka import record_batch
from eventlog.kafka.record_batch import BatchFacts, BatchTooLarge, RecordsDamaged, batch_events
from tests.fixtures.compiled_parts import with_and_without, without_compiled_parts

HEADER_BYTES = 61
way = with_and_without(record_batch)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
headers = st.lists(st.tuples(texts, st.none() | st.binary(max_size=20)), max_size=3)
contents = st.tuples(
    st.integers(0, 2**62), st.none() | st.binary(max_size=300), st.none() | st.binary(max_size=20_000), headers
)


def batch_of(records: Sequence[tuple[int, bytes | None, bytes | None, Any]]) -> bytes:
    """A batch as a producer writes it."""
    builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, 1 << 30)
    for offset, (time, key, value, named) in enumerate(records):
        builder.append(offset, time, key, value, named)
    return bytes(builder.build())


def record(offset_delta: int) -> bytes:
    """A record without key, value and headers."""
    body, length = bytearray(1), bytearray()
    for number in (0, offset_delta, -1, -1, 0):
        encode_varint(number, body.append)
    encode_varint(len(body), length.append)
    return bytes(length + body)


def facts_of(batch: Any, **changed: Any) -> BatchFacts:
    """What its header says of a batch."""
    place, times = (batch.base_offset, batch.last_offset_delta), (batch.first_timestamp, None)
    facts = BatchFacts(*place, *times, batch.leader_epoch, batch.records_count)
    return facts._replace(**changed)


@given(st.lists(contents, min_size=1, max_size=20))
def test_they_are_read_as_kafka_python_reads_them(records: list[tuple[int, bytes | None, bytes | None, Any]]) -> None:
    written = batch_of(records)
    facts = facts_of(DefaultRecordBatch(written), base_offset=7, leader_epoch=3)
    expected = [
        RecordedEvent(one.offset + 7, one.timestamp, CREATE_TIME, one.key, one.value, tuple(map(tuple, one.headers)), 3)
        for one in DefaultRecordBatch(written)
    ]
    events = batch_events(written[HEADER_BYTES:], facts)
    assert events == expected
    assert [hash(event) for event in events] == [hash(event) for event in expected]
    assert [event.timestamp for event in expected] == [time for time, *_ in records]


@pytest.mark.parametrize("length", [0, 1, 256, 257])
def test_many_keys_of_a_length_are_told_apart(length: int) -> None:
    """The compiled part keeps some keys."""
    keys = [str(number).rjust(length)[:length].encode() for number in range(10_000)]
    written = batch_of([(0, key, None, []) for key in keys])
    facts = facts_of(DefaultRecordBatch(written))
    assert [[event.key for event in batch_events(written[HEADER_BYTES:], facts)] for _ in range(2)] == [keys] * 2


def test_a_time_that_the_log_gave_is_that_of_all() -> None:
    written = batch_of([(1, b"a", b"", []), (2, b"b", b"", [])])
    facts = facts_of(DefaultRecordBatch(written), append_time=99)
    events = batch_events(written[HEADER_BYTES:], facts)
    assert [(event.timestamp, event.timestamp_type) for event in events] == [(99, LOG_APPEND_TIME)] * 2


def test_the_name_of_a_header_keeps_bytes_that_are_not_text() -> None:
    """Some clients write them; kafka-python can neither write nor read them."""
    written = batch_of([(1, b"k", b"v", [("xxxx", b"y")])]).replace(b"xxxx", b"\xff\xc3\xed\xa0")
    (event,) = batch_events(written[HEADER_BYTES:], facts_of(DefaultRecordBatch(written)))
    ((name, value),) = event.headers
    assert (name.encode("utf-8", "surrogateescape"), value) == (b"\xff\xc3\xed\xa0", b"y")


def test_a_batch_of_nearly_only_headers_is_refused() -> None:
    for count in (200, 201):
        written = batch_of([(1, b"k", None, [("", None)] * count)])
        with nullcontext() if count == 200 else pytest.raises(BatchTooLarge, match="100 headers per record"):
            batch_events(written[HEADER_BYTES:], facts_of(DefaultRecordBatch(written)))


def test_a_batch_that_compaction_has_emptied_has_no_events() -> None:
    assert batch_events(b"", BatchFacts(5, 3, 0, None, 0, 0)) == []


@given(st.data())
def test_damaged_records_are_reported_and_never_guessed(data: st.DataObject) -> None:
    written = batch_of([(1, b"key", b"value", [("h", b"x")]), (2, None, None, [])])
    records, facts = written[HEADER_BYTES:], facts_of(DefaultRecordBatch(written))
    cut = data.draw(st.integers(0, len(records) - 1))
    for damaged in (records[:cut], records + b"\0", records[:cut] + records[cut + 1 :]):
        with pytest.raises(RecordsDamaged):
            batch_events(damaged, facts)


@pytest.mark.parametrize(
    ("first", "time"), [(2**63 - 1, -(2**63) + 1), (2**63 - 3, 2**63 - 1), (-(2**63), -(2**63) + 2)]
)
def test_a_time_above_64_bits_begins_again_below(first: int, time: int) -> None:
    """As for Kafka's own consumer."""
    written = batch_of([(1, b"a", b"", []), (3, b"b", b"", [])])
    events = batch_events(written[HEADER_BYTES:], facts_of(DefaultRecordBatch(written), first_timestamp=first))
    assert [event.timestamp for event in events] == [first, time]


def test_an_offset_above_64_bits_is_damaged() -> None:
    written = batch_of([(1, b"a", b"", []), (2, b"b", b"", [])])
    records, facts = written[HEADER_BYTES:], facts_of(DefaultRecordBatch(written), base_offset=2**63 - 2)
    assert batch_events(records, facts)[1].offset == 2**63 - 1
    with pytest.raises(RecordsDamaged):
        batch_events(records, facts._replace(base_offset=2**63 - 1))


@pytest.mark.parametrize(
    ("deltas", "last_offset_delta", "is_valid"),
    [
        ((0, 1), 1, True),
        ((3, 7), 9, True),  # others were compacted
        ((0, 1_000_000), 1, False),
        ((0, 0), 1, False),
        ((1, 0), 1, False),
        ((-5, 1), 1, False),
        ((0, 2**31 - 1), 1, False),
    ],
)
def test_offsets_increase_from_the_first_to_the_last_of_the_batch(
    deltas: tuple[int, int], last_offset_delta: int, is_valid: bool
) -> None:
    records = b"".join(record(delta) for delta in deltas)
    facts = BatchFacts(10, last_offset_delta, 0, None, 0, 2)
    if is_valid:
        assert [event.offset for event in batch_events(records, facts)] == [10 + delta for delta in deltas]
    else:
        with pytest.raises(RecordsDamaged):
            batch_events(records, facts)


@given(st.binary(max_size=200), st.integers(0, 5))
def test_any_bytes_are_read_alike_or_are_damaged(data: bytes, count: int) -> None:
    facts = BatchFacts(3, 4, 1_000, None, 1, count)
    read = read_or_none(data, facts)
    with without_compiled_parts(record_batch):
        assert read == read_or_none(data, facts)


@given(st.lists(contents, min_size=1, max_size=3), st.data())
def test_changed_batches_are_read_alike_or_are_damaged(
    records: list[tuple[int, bytes | None, bytes | None, Any]], data: st.DataObject
) -> None:
    """Random bytes seldom come as far as a header; lengths of 2^31 and more than 64 bits never."""
    written = batch_of(records)
    at = data.draw(st.integers(0, min(200, len(written) - HEADER_BYTES - 1)))
    other = data.draw(
        st.sampled_from([b"", b"\x01", b"\xfe\xff\xff\xff\x0f", b"\xfe" + b"\xff" * 8 + b"\x01"])
        | st.binary(max_size=3)
    )
    base_offset, first_timestamp = (data.draw(st.sampled_from([0, 2**63 - 1, -(2**63)])) for _ in range(2))
    count = data.draw(st.sampled_from([len(records), -1, 2**31 - 1]))
    facts = BatchFacts(base_offset, len(records) - 1, first_timestamp, None, 1, count)
    changed = written[HEADER_BYTES:][:at] + other + written[HEADER_BYTES:][at + 1 :]
    read = read_or_none(changed, facts)
    with without_compiled_parts(record_batch):
        assert read == read_or_none(changed, facts)


@pytest.mark.parametrize("number", [b"\xff" * 9 + b"\x02", b"\xff" * 10, b"\x80" * 11])
def test_a_number_of_more_than_64_bits_is_damaged(number: bytes) -> None:
    with pytest.raises(RecordsDamaged):
        batch_events(number, BatchFacts(0, 0, 0, None, 0, 1))


def read_or_none(data: bytes, facts: BatchFacts) -> list[RecordedEvent] | None:
    try:
        return batch_events(data, facts)
    except (RecordsDamaged, BatchTooLarge):
        return None
