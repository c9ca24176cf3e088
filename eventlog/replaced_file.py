"""Files that appear whole, or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO


def cannot_write(path: Path, error: OSError) -> str:
    """The message for a file that cannot be written."""
    return f"Cannot write {path}: {error.strerror}. Name a file in a folder with write permission."


@contextmanager
def replaced_file(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file beside ``path``, which takes its place at the end, or is deleted after an error.

    Only its owner can read it. A symbolic link is kept, and its target replaced. A device or a FIFO is not replaced but
    written to. Raises OSError if it cannot be written.
    """
    if _is_special(path):
        with path.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as temporary:
        beside = Path(temporary.name)
        try:
            yield temporary
            temporary.flush()
            beside.replace(target)
        except BaseException:
            beside.unlink()
            raise


def _is_special(path: Path) -> bool:
    """Whether the path is that of something other than a regular file."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
