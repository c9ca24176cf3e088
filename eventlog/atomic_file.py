"""Files that appear whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4


def cannot_write(path: Path, error: OSError) -> str:
    """The message for a file that cannot be written."""
    is_place = isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError)
    advice = " Name a file in a folder with write permission." if is_place else ""
    return f"Cannot write {path}: {error.strerror}.{advice}"


@contextmanager
def atomic_file(path: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A file beside ``path``, which takes its place at the end, durably, or is deleted after an error.

    ``mode`` are its permissions: by default, only its owner can read it. A symbolic link is kept, and its target
    replaced. A device or a FIFO is written to instead. Raises OSError if it cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{uuid4().hex}")
    with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            beside.replace(target)
        except BaseException:
            beside.unlink()
            raise
