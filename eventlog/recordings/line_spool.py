"""Lines of several owners, kept apart in a temporary file so that each owner's can be read without the others'."""

import os
import zlib
from collections.abc import Callable, Hashable, Iterator
from io import BytesIO
from multiprocessing.reduction import DupFd
from tempfile import TemporaryFile, gettempdir
from types import TracebackType
from typing import IO, Any, Final, Self

from eventlog.errors import RecordingError

CHUNK_BYTES: Final = 1 << 20
"""Of one owner, and what a reader holds in memory (more only where a single line is longer)."""

HELD_BYTES: Final = 64 << 20
"""Of all owners, before they are written to the file."""

_COMPRESSION_LEVEL: Final = 1

Chunk = tuple[int, int]
"""Position and size in the file."""


class LineSpool:
    """Takes lines in any order of owners, and gives each owner's back in the order in which they came.

    The file has no name, so that nothing of it is left when the process ends, however it ends. A pickle of a spool
    reads the same file in another process. A context manager.
    """

    def __init__(self, file: IO[bytes] | None = None, chunks: dict[Hashable, list[Chunk]] | None = None) -> None:
        self._file = file
        self._chunks: Final[dict[Hashable, list[Chunk]]] = {} if chunks is None else chunks
        self._held: Final[dict[Hashable, bytearray]] = {}
        self._held_bytes = 0

    def add(self, owner: Hashable, line: bytes) -> None:
        """Keep a line. Raises `RecordingError` where the temporary file cannot be written."""
        held = self._held.setdefault(owner, bytearray())
        held += line
        if not line.endswith(b"\n"):  # the last one of a file
            held += b"\n"
        self._held_bytes += len(line)
        if len(held) >= CHUNK_BYTES:
            self._write(owner)
        elif self._held_bytes >= HELD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is still in memory; `lines` gives only what was written. Raises as `add` does."""
        for owner in list(self._held):
            self._write(owner)

    def lines(self, owner: Hashable) -> Iterator[bytes]:
        """An owner's lines; several readers do not disturb each other."""
        if self._file is not None:
            for position, size in self._chunks.get(owner, ()):
                yield from BytesIO(zlib.decompress(os.pread(self._file.fileno(), size, position)))

    def close(self) -> None:
        """Delete the file; does no harm a second time."""
        if self._file is not None:
            self._file.close()

    def _write(self, owner: Hashable) -> None:
        lines = self._held.pop(owner)
        self._held_bytes -= len(lines)
        packed = zlib.compress(lines, _COMPRESSION_LEVEL)
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 closed by close()
            position = self._file.seek(0, os.SEEK_END)
            _write_whole(self._file, packed)
        except OSError as error:
            raise RecordingError(
                f"a temporary file in {gettempdir()} cannot be written: {error.strerror}; "
                "set TMPDIR to a folder with more room"
            ) from error
        self._chunks.setdefault(owner, []).append((position, len(packed)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., "LineSpool"], tuple[Any, ...]]:
        return _received, (None if self._file is None else DupFd(self._file.fileno()), self._chunks)


def _write_whole(file: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _received(file: Any, chunks: dict[Hashable, list[Chunk]]) -> LineSpool:
    return LineSpool(None if file is None else os.fdopen(file.detach(), "rb", buffering=0), chunks)
