"""Recordings as files."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventlog.errors import RecordingError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent
from eventlog.recordings.checked_recording import TopicSummary, check_recording
from eventlog.recordings.line_spool import LineSpool
from eventlog.recordings.recording import read_recording, write_recording

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


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_recording(tmp_path / name, EVENTS)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


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


def test_each_topic_has_its_own_offsets(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_bytes(line(offset=4) + line(topic="u", offset=0) + line(offset=5))
    assert validate(path) == {"t": TopicSummary(2, 4, 5), "u": TopicSummary(1, 0, 0)}


@pytest.mark.parametrize("keep", [10, 30, -9, -1])
def test_a_cut_gzip_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(line() * 1)[:keep])
    with pytest.raises(RecordingError, match="is truncated or damaged"):
        validate(path)


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl.gz"
    data = bytearray(gzip.compress(line()))
    data[20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(RecordingError):
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
