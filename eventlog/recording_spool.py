"""A recording that was checked to its end, and a temporary file that has its lines by topic."""

import os
import zlib
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Final

from eventlog.errors import RecordingError
from eventlog.events import RecordedEvent
from eventlog.recording import decode_line, read_lines, read_recording
from eventlog.source import Closing

CHUNK_BYTES: Final = 1 << 20
"""How much is written at once for an owner, and how much a reader keeps in memory (more only for a longer line)."""

MEMORY_BYTES: Final = 64 << 20
"""How much all owners together may have in memory."""

_COMPRESSION_LEVEL: Final = 1

Chunk = tuple[int, int]
"""Position and size in the file."""


class LineSpool(Closing):
    """Stores lines of owners in any order, and returns each owner's lines in the order in which they were added.

    The file has no name, so nothing is left of it when the process ends, even if killed. A context manager.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._chunks: Final[dict[Hashable, list[Chunk]]] = {}
        self._in_memory: Final[dict[Hashable, bytearray]] = {}
        self._memory_bytes = 0

    def add(self, owner: Hashable, line: bytes) -> None:
        """Store a line. Raises `RecordingError` if the temporary file cannot be written."""
        lines = self._in_memory.setdefault(owner, bytearray())
        lines += line
        if not line.endswith(b"\n"):  # the last line of a file
            lines += b"\n"
        self._memory_bytes += len(line)
        if len(lines) >= CHUNK_BYTES:
            self._write(owner)
        elif self._memory_bytes >= MEMORY_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the lines that are in memory; `lines` returns only written ones. Raises as `add` does."""
        for owner in list(self._in_memory):
            self._write(owner)

    def lines(self, owner: Hashable) -> Iterator[bytes]:
        """An owner's lines; several readers can be active at once."""
        if self._file is not None:
            for position, size in self._chunks.get(owner, ()):
                yield from BytesIO(zlib.decompress(os.pread(self._file.fileno(), size, position)))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, owner: Hashable) -> None:
        lines = self._in_memory.pop(owner)
        self._memory_bytes -= len(lines)
        packed = zlib.compress(lines, _COMPRESSION_LEVEL)
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 closed by close()
            position = self._file.seek(0, os.SEEK_END)
            _write_all(self._file, packed)
        except OSError as error:
            raise RecordingError(
                f"Cannot write a temporary file in {gettempdir()}: {error.strerror}. "
                "Set TMPDIR to a folder with more space."
            ) from error
        self._chunks.setdefault(owner, []).append((position, len(packed)))


def _write_all(file: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """The number of records of a topic in a recording, and the first and the last offset."""

    count: int
    first_offset: int
    last_offset: int


Summaries = Mapping[str, TopicSummary]


@dataclass(frozen=True)
class CheckedRecording:
    """A valid recording; the spool has the records by topic that come after the first ``head_count`` of one topic."""

    path: Path
    summaries: Summaries
    head_count: int
    spool: LineSpool

    def events(self, topic: str) -> Iterator[RecordedEvent]:
        """A topic's records in the order of the file, without those that were appended after the check.

        Each call starts at the first record. Raises `RecordingError` if the file was changed and is now invalid.
        """
        if topic == next(iter(self.summaries), None):
            yield from (event for _, event in islice(read_recording(self.path), self.head_count))
        yield from (decode_line(line)[1] for line in self.spool.lines((self.path, topic)))


def check_recording(path: Path, spool: LineSpool, topics: Collection[str] | None = None) -> CheckedRecording:
    """Read a whole recording once and summarise its topics. Raises `RecordingError` as `read_recording` does.

    ``topics``: only these will be read from it (None: all), so the spool does not need the lines of others.
    """
    counts: Counter[str] = Counter()
    firsts: dict[str, int] = {}
    lasts: dict[str, int] = {}
    head_count = 0
    for topic, event, line in read_lines(path):
        counts[topic] += 1
        firsts.setdefault(topic, event.offset)
        lasts[topic] = event.offset
        if len(lasts) == 1:
            head_count += 1
        elif topics is None or topic in topics:
            spool.add((path, topic), line)
    spool.flush()
    summaries = {topic: TopicSummary(count, firsts[topic], lasts[topic]) for topic, count in counts.items()}
    return CheckedRecording(path, summaries, head_count, spool)


def files_by_topic(files: Iterable[tuple[Path, Summaries]]) -> dict[str, list[tuple[Path, Summaries]]]:
    """The checked files of each topic, in the order of its offsets. Raises `RecordingError`: a file has no records, or
    two have the same offsets.
    """
    found: dict[str, list[tuple[Path, Summaries]]] = {}
    for path, summaries in files:
        if not summaries:
            raise RecordingError(f"File '{path}' has no records. Leave it out, or record the topic again.")
        for topic in summaries:
            found.setdefault(topic, []).append((path, summaries))
    for topic, of_topic in found.items():
        of_topic.sort(key=lambda file: file[1][topic].first_offset)
        for (earlier, before), (later, after) in pairwise(of_topic):
            if after[topic].first_offset <= before[topic].last_offset:
                raise RecordingError(
                    f"Files '{earlier}' and '{later}' have the same offsets of {topic}. Leave one of them out."
                )
    return found
