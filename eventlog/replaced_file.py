"""Files that appear whole, or not at all."""

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

    Only its owner can read it. Raises OSError if it cannot be written.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as temporary:
        beside = Path(temporary.name)
        try:
            yield temporary
            temporary.flush()
            beside.replace(path)
        except BaseException:
            beside.unlink()
            raise
