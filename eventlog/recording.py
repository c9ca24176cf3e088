"""Recordings: the records of topics in a file of JSON lines, plain or gzipped, with keys and values in base64."""

import gzip
import json
import zlib
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, NamedTuple, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from eventlog.atomic_file import atomic_file, cannot_write
from eventlog.errors import RecordingError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, RecordedEvent, header_to_json

_TIMESTAMP_TYPES: Final = {"CreateTime": CREATE_TIME, "LogAppendTime": LOG_APPEND_TIME}
_TIMESTAMP_TYPE_NAMES: Final = {number: name for name, number in _TIMESTAMP_TYPES.items()}


class _Header(NamedTuple):
    """A name that JSON cannot represent is a third element, in base64."""

    name: str | None
    value: bytes | None
    name_b64: bytes = b""


@dataclass(slots=True)
class _Line:
    """The numbers are as large as in Kafka, and in the tables: no broker wrote more."""

    __pydantic_config__ = ConfigDict(strict=True, val_json_bytes="base64")
    topic: str
    partition: int
    offset: Annotated[int, Field(ge=0, lt=2**63 - 1)]  # the next offset has 64 bits, too
    timestamp: Annotated[int, Field(ge=-(2**63), lt=2**63)]
    timestamp_type: Literal["CreateTime", "LogAppendTime"]
    key_b64: bytes | None
    value_b64: bytes | None
    headers: tuple[_Header, ...] = ()
    leader_epoch: Annotated[int, Field(ge=-(2**31), lt=2**31)] | None = None


_parse: Final = TypeAdapter(_Line).validate_json


class LineError(Exception):
    """A line of a recording is invalid; the caller adds the file and the line number."""


def decode_line(line: bytes) -> tuple[str, RecordedEvent]:
    """The topic and the record of a line. Raises `LineError`, which never includes a key or value."""
    try:
        fields = _parse(line)
    except ValidationError as error:
        raise LineError(_reason(error)) from None
    if fields.partition != 0:
        raise LineError(f"a record of partition {fields.partition}, while a log of Samza has only partition 0")
    if "\0" in fields.topic:
        raise LineError("topic has a null character, which Postgres cannot store")
    event = (
        fields.offset,
        fields.timestamp,
        _TIMESTAMP_TYPES[fields.timestamp_type],
        fields.key_b64,
        fields.value_b64,
        tuple(map(_header, fields.headers)) if fields.headers else (),
        fields.leader_epoch,
    )
    return fields.topic, tuple.__new__(RecordedEvent, event)  # what RecordedEvent(...) calls, without its overhead


def _reason(error: ValidationError) -> str:
    """The first fault, without the part of its text that quotes the line."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "not a line of JSON, so the file is not a recording"
    place = ".".join(map(str, first["loc"])) or "the line"
    return f"{place}: {first['msg'].partition(':')[0]}"


def _header(header: _Header) -> tuple[str, bytes | None]:
    if header.name is not None:
        return header.name, header.value
    try:
        return header.name_b64.decode("utf-8", "surrogatepass"), header.value
    except UnicodeDecodeError:
        raise LineError("the name of a header is not UTF-8") from None


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
        "headers": [header_to_json(name, value) for name, value in event.headers],
    }
    if event.leader_epoch is not None:
        fields["leader_epoch"] = event.leader_epoch
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _base64(data: bytes | None) -> str | None:
    return None if data is None else b2a_base64(data, newline=False).decode("ascii")


_GZIP_MAGIC: Final = b"\x1f\x8b"
_COMPRESSION_LEVEL: Final = 6
_BUFFER_BYTES: Final = 1 << 20


def read_recording(path: Path, file: IO[bytes] | None = None) -> Iterator[tuple[str, RecordedEvent]]:
    """Each record with its topic, in the order of the file. ``path`` only names a ``file`` that is given.

    Raises `RecordingError`, with the file and the line, at the first invalid line; the records before it are valid.
    """
    return ((topic, event) for topic, event, _ in read_lines(path, file))


def read_lines(path: Path, file: IO[bytes] | None = None) -> Iterator[tuple[str, RecordedEvent, bytes]]:
    """As `read_recording`, with the bytes of each line."""
    last_offsets: dict[str, int] = {}
    for number, line in _lines(path, file):
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


def _lines(path: Path, given: IO[bytes] | None) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with _open(path) if given is None else nullcontext(given) as file:
            for number, line in enumerate(file, start=1):
                if not line.isspace():
                    yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        place = f" after line {number}" if number else ""
        raise RecordingError(f"The gzip data of {path} is truncated or damaged{place}. Copy the file again.") from error
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
            if path.suffix != ".gz":
                yield file
                return
            with gzip.GzipFile("", "wb", _COMPRESSION_LEVEL, file, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
    except OSError as error:
        raise RecordingError(cannot_write(path, error)) from error
