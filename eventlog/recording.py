"""Recordings: the records of topics in a file of JSON lines, plain or gzipped, with keys and values in base64."""

import gzip
import json
import re
import zlib
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, Final, cast

from eventlog.atomic_file import atomic_file, cannot_write
from eventlog.errors import RecordingError, is_utf8, json_type
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent

_TIMESTAMP_TYPES: Final = {"CreateTime": CREATE_TIME, "LogAppendTime": LOG_APPEND_TIME}
_TIMESTAMP_TYPE_NAMES: Final = {number: name for name, number in _TIMESTAMP_TYPES.items()}
_NATURAL: Final = rb"(0|[1-9][0-9]{0,17})"
_EPOCH: Final = rb"(0|[1-9][0-9]{0,8})"
_BASE64: Final = rb'(?:null|"([^"]*)")'
_LARGEST: Final = 2**63 - 1
_match_plain_line: Final = re.compile(
    rb'\{"topic":"([a-zA-Z0-9._-]+)","partition":0,"offset":%b,"timestamp":%b,"timestamp_type":"(CreateTime|LogAppendTime)",'
    rb'"key_b64":%b,"value_b64":%b,"headers":\[\](?:,"leader_epoch":%b)?\}\n'
    % (_NATURAL, _NATURAL, _BASE64, _BASE64, _EPOCH)
).fullmatch
"""Matches the lines that `encode_line` writes for most records; `decode_line` parses all others as JSON."""


class LineError(Exception):
    """A line of a recording is invalid; the caller adds the file and the line number."""


def decode_line(line: bytes) -> tuple[str, RecordedEvent]:
    """The topic and the record of a line. Raises `LineError`, which never includes a key or value."""
    return _decode_plain_line(line) or _decode_any_line(line)


def _decode_plain_line(line: bytes) -> tuple[str, RecordedEvent] | None:
    """Decode a line without parsing JSON, in half the time; None if it is spelled differently or invalid."""
    found = _match_plain_line(line)
    if found is None:
        return None
    topic, offset, timestamp, timestamp_type, key_text, value_text, epoch = found.groups()
    try:
        key = None if key_text is None else a2b_base64(key_text, strict_mode=True)
        value = None if value_text is None else a2b_base64(value_text, strict_mode=True)
    except Base64Error:
        return None
    event = RecordedEvent(
        int(offset),
        int(timestamp),
        CREATE_TIME if timestamp_type == b"CreateTime" else LOG_APPEND_TIME,
        key,
        value,
        leader_epoch=None if epoch is None else int(epoch),
    )
    return topic.decode(), event


def _decode_any_line(line: bytes) -> tuple[str, RecordedEvent]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise LineError("not a line of JSON, so the file is not a recording") from None
    if not isinstance(fields, dict):
        raise LineError(f"{json_type(fields)} instead of an object with topic, offset, key_b64, value_b64")
    if (partition := _field(fields, "partition", int)) != 0:
        raise LineError(f"a record of partition {partition}, while a log of Samza has only partition 0")
    topic = _topic(fields)
    event = RecordedEvent(
        _offset(fields),
        _integer(fields, "timestamp", 64),
        _timestamp_type(fields),
        _bytes(fields, "key_b64"),
        _bytes(fields, "value_b64"),
        _headers(fields.get("headers", [])),
        _integer(fields, "leader_epoch", 32) if fields.get("leader_epoch") is not None else None,
    )
    return topic, event


def encode_line(topic: str, event: RecordedEvent) -> bytes:
    """A record as a line, with a line feed at the end."""
    fields: dict[str, Any] = {
        "topic": topic,
        "partition": 0,
        "offset": event.offset,
        "timestamp": event.timestamp,
        "timestamp_type": _TIMESTAMP_TYPE_NAMES[event.timestamp_type],
        "key_b64": _base64(event.key),
        "value_b64": _base64(event.value),
        "headers": [[name, _base64(value)] for name, value in event.headers],
    }
    if event.leader_epoch is not None:
        fields["leader_epoch"] = event.leader_epoch
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _field(fields: dict[str, Any], name: str, kind: type) -> Any:
    if name not in fields:
        raise LineError(f"no field {name}")
    value = fields[name]
    if type(value) is not kind:
        raise LineError(f"{name} is {json_type(value)}, not {json_type(kind())}")
    return value


def _integer(fields: dict[str, Any], name: str, bits: int) -> int:
    """As large as in Kafka, and in the tables: no broker wrote more."""
    value: int = _field(fields, name, int)
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise LineError(f"{name} has more than {bits} bits")
    return value


def _topic(fields: dict[str, Any]) -> str:
    topic: str = _field(fields, "topic", str)
    if "\0" in topic or not is_utf8(topic):
        raise LineError("topic has a null character or a lone surrogate, which Postgres cannot store")
    return topic


def _offset(fields: dict[str, Any]) -> int:
    offset = _integer(fields, "offset", 64)
    if offset < 0:
        raise LineError("offset is below 0")
    if offset == _LARGEST:
        raise LineError(f"offset is {_LARGEST}, and the next offset would have more than 64 bits")
    return offset


def _timestamp_type(fields: dict[str, Any]) -> int:
    name = fields.get("timestamp_type")
    number = _TIMESTAMP_TYPES.get(name) if isinstance(name, str) else None
    if number is None:
        raise LineError("timestamp_type is neither CreateTime nor LogAppendTime")
    return number


def _bytes(fields: dict[str, Any], name: str) -> bytes | None:
    if name not in fields:
        raise LineError(f"no field {name}")
    return _from_base64(fields[name], name)


def _from_base64(text: Any, name: str) -> bytes | None:
    if text is None:
        return None
    if not isinstance(text, str):
        raise LineError(f"{name} is {json_type(text)}, not a text or null")
    try:
        return a2b_base64(text, strict_mode=True)
    except (Base64Error, ValueError):
        raise LineError(f"{name} is not base64") from None


def _base64(data: bytes | None) -> str | None:
    return None if data is None else b2a_base64(data, newline=False).decode("ascii")


def _headers(headers: Any) -> tuple[tuple[str, bytes | None], ...]:
    if not headers and isinstance(headers, list):
        return ()
    if not isinstance(headers, list) or not all(_is_header(header) for header in headers):
        raise LineError("headers is not a list of [name, base64 or null]")
    return tuple((name, _from_base64(value, "a header")) for name, value in headers)


def _is_header(header: Any) -> bool:
    return isinstance(header, list) and len(header) == 2 and isinstance(header[0], str)


_GZIP_MAGIC: Final = b"\x1f\x8b"
_COMPRESSION_LEVEL: Final = 6
_BUFFER_BYTES: Final = 1 << 20


def read_recording(path: Path) -> Iterator[tuple[str, RecordedEvent]]:
    """Each record with its topic, in the order of the file.

    Raises `RecordingError`, with the file and the line, at the first invalid line; the records before it are valid.
    """
    return ((topic, event) for topic, event, _ in read_lines(path))


def read_lines(path: Path) -> Iterator[tuple[str, RecordedEvent, bytes]]:
    """As `read_recording`, with the bytes of each line."""
    last_offsets: dict[str, int] = {}
    for number, line in _lines(path):
        try:
            topic, event = decode_line(line)
            _check_order(topic, last_offsets.get(topic), event.offset)
        except LineError as error:
            raise RecordingError(
                f"Invalid record in {path}, line {number}: {error}. Record the topic again, or name another file."
            ) from None
        last_offsets[topic] = event.offset
        yield topic, event, line


def write_recording(path: Path, records: Iterable[tuple[str, RecordedEvent]]) -> int:
    """Write records to a file, gzipped if its name ends with ``.gz``, and return their count.

    The file is replaced atomically and only its owner can read it; the same records make the same bytes. Raises
    `RecordingError` if the file cannot be written.
    """
    count = 0
    with _replace(path) as file:
        for topic, event in records:
            file.write(encode_line(topic, event))
            count += 1
    return count


def _check_order(topic: str, last_offset: int | None, offset: int) -> None:
    if last_offset is not None and offset <= last_offset:
        raise LineError(f"offset {offset} of {topic} is after offset {last_offset}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with _open(path) as file:
            for number, line in enumerate(file, start=1):
                if not line.isspace():
                    yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordingError(
            f"The gzip data of {path} is truncated or damaged after line {number}. Copy the file again."
        ) from error
    except OSError as error:
        raise RecordingError(f"Cannot read {path}: {error.strerror}. Name an existing recording.") from error


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        magic = file.read(len(_GZIP_MAGIC))
        file.seek(0)
        if magic != _GZIP_MAGIC:
            yield file
            return
        with BufferedReader(gzip.GzipFile(fileobj=file), _BUFFER_BYTES) as unpacked:  # finds lines in C
            yield unpacked


@contextmanager
def _replace(path: Path) -> Iterator[IO[bytes]]:
    try:
        with atomic_file(path) as file:
            yield from _packed(file, path)
    except OSError as error:
        raise RecordingError(cannot_write(path, error)) from error


def _packed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile("", "wb", _COMPRESSION_LEVEL, file, mtime=0) as packed:
        yield cast("IO[bytes]", packed)
