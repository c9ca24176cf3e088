"""One line of a recording."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.events import RecordedEvent
from eventlog.recordings import recording_line
from eventlog.recordings.recording_line import LineError, _decode_any_line, _decode_plain_line, decode_line, encode_line
from tests.fixtures.compiled_parts import with_and_without, without_compiled_parts

way = with_and_without(recording_line)
DATA = st.none() | st.binary(max_size=20)
HEADERS = st.lists(st.tuples(st.text(max_size=5), DATA), max_size=3).map(tuple)
EVENT = st.builds(
    RecordedEvent,
    st.integers(0, 2**63 - 2),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1]),
    DATA,
    DATA,
    HEADERS,
    st.none() | st.integers(0, 9),
)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=10), EVENT)
def test_a_record_comes_back_from_one_line(topic: str, event: RecordedEvent) -> None:
    line = encode_line(topic, event)
    assert decode_line(line) == (topic, event)
    assert hash(decode_line(line)) == hash((topic, event))
    assert line.count(b"\n") == 1


@given(st.sampled_from(["t", "__samza_coordinator_job_1"]), EVENT, st.data())
def test_a_plain_line_is_decoded_as_json(topic: str, event: RecordedEvent, data: st.DataObject) -> None:
    line = encode_line(topic, event)
    is_plain = event.timestamp in range(10**18) and event.offset < 10**18 and not event.headers
    assert (_decode_plain_line(line) is not None) == is_plain
    at = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.sampled_from([b"", b"0", b"-", b'"', b"\\", b"=", b" ", b"\xff"]))
    damaged = line[:at] + other + line[at + 1 :]
    decoded = _decode_plain_line(damaged)
    assert decoded is None or decoded == _decode_any_line(damaged)
    with without_compiled_parts(recording_line):
        assert decoded == _decode_plain_line(damaged)


@pytest.mark.parametrize("number", [0, 10**9 - 1, 10**9, 2**31 - 1, 10**18 - 1, 10**18, 2**63 - 2])
def test_a_number_that_kafka_can_hold_is_read(number: int) -> None:
    event = RecordedEvent(number, number, 0, b"k", None, (), min(number, 2**31 - 1))
    assert decode_line(encode_line("t", event)) == ("t", event)


@pytest.mark.parametrize("number", [2**63, 10**19 - 1, 10**19, 2**64, 10**30])
@pytest.mark.parametrize("name", ["offset", "timestamp"])
def test_a_number_of_more_than_64_bits_is_refused(name: str, number: int) -> None:
    line = encode_line("t", RecordedEvent(7, 7, 0, b"k", None)).replace(
        b'"%b":7' % name.encode(), b'"%b":%d' % (name.encode(), number)
    )
    with pytest.raises(LineError, match=f"{name} has more than 64 bits"):
        decode_line(line)


def test_an_offset_without_a_next_one_is_refused() -> None:
    with pytest.raises(
        LineError, match="offset is 9223372036854775807, and the next offset would have more than 64 bits"
    ):
        decode_line(encode_line("t", RecordedEvent(2**63 - 1, 2**63 - 1, 0, b"k", None)))


@pytest.mark.parametrize("topic", ["a\0b", "a\ud800b"])
def test_a_topic_that_postgres_cannot_store_is_refused(topic: str) -> None:
    with pytest.raises(LineError, match="topic has a null character or a lone surrogate"):
        decode_line(encode_line(topic, RecordedEvent(7, 7, 0, b"k", None)))


@pytest.mark.parametrize("epoch", [2**31, 9_999_999_999, 2**32 + 5, 10**18, -(2**31) - 1])
def test_an_epoch_of_more_than_32_bits_is_refused(epoch: int) -> None:
    with pytest.raises(LineError, match="leader_epoch has more than 32 bits"):
        decode_line(encode_line("t", RecordedEvent(1, 1, 0, b"k", None, (), epoch)))


@given(st.binary(max_size=60))
def test_no_bytes_raise_another_error(line: bytes) -> None:
    with pytest.raises(LineError):
        decode_line(line)


def test_an_error_does_not_show_key_and_value() -> None:
    line = json.dumps({"topic": "t", "partition": 0, "offset": 0, "key_b64": "hunter2!", "value_b64": "hunter2!"})
    with pytest.raises(LineError) as caught:
        decode_line(line.encode())
    assert "hunter2" not in str(caught.value)
