"""Recordings line by line and as files, and lines of several owners, kept apart in a temporary file."""

import errno
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog import recording_spool
from eventlog.errors import RecordingError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent
from eventlog.recording import LineError, decode_line, encode_line, read_recording, write_recording
from eventlog.recording_spool import LineSpool, TopicSummary, check_recording

DATA = st.none() | st.binary(max_size=20)
HEADERS = st.lists(st.tuples(st.text(st.characters(exclude_categories=[]), max_size=5), DATA), max_size=3).map(tuple)
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
        (b"[]\n", "the line: Input should be an object"),
        (without("topic"), "topic: Field required"),
        (without("key_b64"), "key_b64: Field required"),
        (line(topic="a\0b"), "topic has a null character"),
        (line(topic="a\ud800b"), "not a line of JSON"),
        (line(partition=1), "a record of partition 1"),
        (line(offset="5"), "offset: Input should be a valid integer"),
        (line(offset=True), "offset: Input should be a valid integer"),
        (line(offset=-1), "offset: Input should be greater than or equal to 0"),
        (line(offset=2**63 - 1), "offset: Input should be less than 9223372036854775807"),
        (line(offset=10**30), "offset: Input should be less than 9223372036854775807"),
        (line(timestamp=1.5), "timestamp: Input should be a valid integer"),
        (line(timestamp=2**63), "timestamp: Input should be less than 9223372036854775808"),
        (line(leader_epoch=2**31), "leader_epoch: Input should be less than 2147483648"),
        (line(leader_epoch=-(2**31) - 1), "leader_epoch: Input should be greater than or equal to -2147483648"),
        (line(timestamp_type="Never"), "timestamp_type: Input should be 'CreateTime' or 'LogAppendTime'"),
        (line(key_b64="%%%"), "key_b64: Data should be valid base64."),
        (line(key_b64="ü"), "key_b64: Data should be valid base64."),
        (line(value_b64=5), "value_b64: Input should be a valid bytes"),
        (line(headers={}), "headers: Input should be a valid array"),
        (line(headers=[["a"]]), "headers.0."),
        (line(headers=[[None, None, "/w=="]]), "the name of a header is not UTF-8"),
        (line(headers=[["a", "%"]]), "headers.0.1: Data should be valid base64"),
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
    with pytest.raises(RecordingError, match=r"is truncated or damaged( after line 1)?\. Copy"):
        validate(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="Name an existing recording"):
        validate(tmp_path / "none.jsonl")
    with pytest.raises(RecordingError, match=r"^Cannot read"):
        validate(tmp_path)
    with pytest.raises(RecordingError, match=r"^Cannot write"):
        write_recording(tmp_path / "no" / "folder.jsonl", EVENTS)
    with pytest.raises(RecordingError, match=r"Is a directory\.$"):
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


@pytest.fixture(params=[(1 << 20, 64 << 20), (25, 100), (1, 1)])
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk, held = request.param
    monkeypatch.setattr(recording_spool, "CHUNK_BYTES", chunk)
    monkeypatch.setattr(recording_spool, "MEMORY_BYTES", held)


@pytest.mark.usefixtures("limits")
def test_each_owner_has_its_lines_back_in_order() -> None:
    with LineSpool() as spool:
        for number in range(300):
            spool.add(number % 7, b'{"number":%d,\r"x":1}\n' % number)
        spool.add(7, b"without a line feed")
        spool.flush()
        for owner in range(7):
            assert list(spool.lines(owner)) == [b'{"number":%d,\r"x":1}\n' % number for number in range(owner, 300, 7)]
        assert list(spool.lines(7)) == [b"without a line feed\n"]
        assert list(spool.lines(8)) == []


def test_its_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_spool, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(recording_spool, "MEMORY_BYTES", 10_000)
    with LineSpool() as spool:
        for number in range(2_000):
            spool.add(number % 50, b"x" * 99 + b"\n")
            assert spool._memory_bytes == sum(map(len, spool._in_memory.values())) < 10_000


def test_nothing_of_it_has_a_name_that_could_be_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LineSpool() as spool:
        spool.add("a", b"secret\n")
        spool.flush()
        assert list(spool.lines("a")) == [b"secret\n"]
        assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(recording_spool, "TemporaryFile", full)
    with LineSpool() as spool:
        spool.add("a", b"1\n")
        with pytest.raises(RecordingError, match=r"No space left on device\. Set TMPDIR to a folder with more space"):
            spool.flush()
