"""Recordings: the records of topics in a file, as JSON lines, plain or gzipped."""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Final, cast

from eventlog.atomic_file import atomic_file, cannot_write
from eventlog.errors import RecordingError
from eventlog.events import RecordedEvent
from eventlog.recordings.recording_line import LineError, decode_line, encode_line

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
