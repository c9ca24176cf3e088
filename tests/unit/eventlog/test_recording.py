"""One line of a recording.

Recordings as files.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import RecordingError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent
from eventlog.recording import (
    LineError,
    _decode_any_line,
    _decode_plain_line,
    decode_line,
    encode_line,
    read_recording,
    write_recording,
)
from eventlog.recording_spool import LineSpool, TopicSummary, check_recording

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


EVENTS = [
    ("t", RecordedEvent(3, 1700000000000, CREATE_TIME, b'[1,"set-config","a"]', b"\x00\xff")),
    ("u", RecordedEvent(0, -5, LOG_APPEND_TIME, None, b"", (("h", b"1"), ("h", None)), 7)),
    ("t", RecordedEvent(9, 1700000000001, CREATE_TIME, b"", None)),
]
LINE = {
    "topic": "t",
    "partition": 0,
    "offset": 0,
    "timestamp": 1,
    "timestamp_type": "CreateTime",
    "key_b64": "YQ==",
    "value_b64": None,
    "headers": [],
}


def line(**changes: object) -> bytes:
    return json.dumps({**LINE, **changes}).encode() + b"\n"


def validate(path: Path) -> dict[str, TopicSummary]:
    with LineSpool() as spool:
        return dict(check_recording(path, spool).summaries)


def without(name: str) -> bytes:
    return json.dumps({field: value for field, value in LINE.items() if field != name}).encode() + b"\n"


@pytest.mark.parametrize("name", ["plain.jsonl", "packed.jsonl.gz"])
def test_records_come_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_recording(path, EVENTS) == 3
    assert list(read_recording(path)) == EVENTS
    assert validate(path) == {"t": TopicSummary(2, 3, 9), "u": TopicSummary(1, 0, 0)}
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_gzip_is_known_by_its_bytes_not_by_the_name(tmp_path: Path) -> None:
    packed = tmp_path / "a.jsonl"
    packed.write_bytes(gzip.compress(line()))
    plain = tmp_path / "a.jsonl.gz"
    plain.write_bytes(line())
    assert list(read_recording(packed)) == list(read_recording(plain)) != []


def test_empty_lines_and_an_empty_file_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"")
    assert validate(path) == {}
    path.write_bytes(b"\n" + line() + b"\n\n")
    assert validate(path) == {"t": TopicSummary(1, 0, 0)}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"not json\n", "not a line of JSON"),
        (b"\xff\xfe\n", "not a line of JSON"),
        (b"[]\n", "a list instead of an object"),
        (without("topic"), "no field topic"),
        (without("offset"), "no field offset"),
        (without("key_b64"), "no field key_b64"),
        (line(partition=1), "partition 1"),
        (line(offset="5"), "offset is a text, not an integer"),
        (line(offset=True), "offset is a boolean"),
        (line(offset=-1), "below 0"),
        (line(timestamp=1.5), "timestamp is a number"),
        (line(timestamp_type="Never"), "timestamp_type"),
        (line(key_b64="%%%"), "key_b64 is not base64"),
        (line(key_b64="ü"), "key_b64 is not base64"),
        (line(value_b64=5), "value_b64 is an integer"),
        (line(headers={}), "headers is not a list"),
        (line(headers=[["a"]]), "headers is not a list"),
        (line(headers=[["a", "%"]]), "a header is not base64"),
        (line(offset=4), "offset 4 of t is after offset 4"),
    ],
)
def test_a_bad_line_is_named_with_file_and_line(tmp_path: Path, bad: bytes, words: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(line(offset=4) + bad)
    with pytest.raises(RecordingError) as caught:
        validate(path)
    assert f"{path}, line 2: " in str(caught.value)
    assert str(caught.value).endswith(". Record the topic again, or name another file.")
    assert words in str(caught.value)


def test_what_came_before_a_bad_line_is_given(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(line() + b"x\n")
    records = read_recording(path)
    assert next(records)[1].offset == 0
    with pytest.raises(RecordingError):
        next(records)


@pytest.mark.parametrize("keep", [10, 30, -9, -1])
def test_a_cut_gzip_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(line() * 1)[:keep])
    with pytest.raises(RecordingError, match="is truncated or damaged"):
        validate(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="Name an existing recording"):
        validate(tmp_path / "none.jsonl")
    with pytest.raises(RecordingError, match=r"^Cannot read"):
        validate(tmp_path)
    with pytest.raises(RecordingError, match=r"^Cannot write"):
        write_recording(tmp_path / "no" / "folder.jsonl", EVENTS)
    with pytest.raises(RecordingError, match=r"Is a directory\. Name a file in a folder with write permission"):
        write_recording(tmp_path, EVENTS)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_failed_write_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_recording(path, EVENTS[:1])
    before = path.read_bytes()

    def failing() -> Iterator[tuple[str, RecordedEvent]]:
        yield EVENTS[0]
        raise RuntimeError("the log went away")

    with pytest.raises(RuntimeError):
        write_recording(path, failing())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
