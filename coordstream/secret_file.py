"""A generated secret in a file that only its owner can read."""

import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

SECRET_BYTES: Final = 32


def read_or_make_secret(path: Path) -> str:
    """The secret in ``path``, created at the first use (hex text, mode 0600).

    A crash leaves no file or a complete one. Two processes that create it at once get the same secret.

    Raises:
        OSError: the file cannot be created or read.
    """
    if not path.exists():
        _make(path)
    return read_secret(path)


def read_secret(path: Path) -> str:
    """The secret in ``path``, without the white space around it.

    Raises:
        OSError: the file is missing or cannot be read.
        ValueError: the file is empty or not text.
    """
    secret = path.read_text(encoding="utf-8").strip()
    if not secret:
        raise ValueError("the file is empty")
    return secret


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(SECRET_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        _link_unless_present(Path(name), path)
    finally:
        Path(name).unlink()


def _link_unless_present(made: Path, path: Path) -> None:
    """Unlike a rename, a hard link never replaces a file: the first of two processes wins."""
    try:
        path.hardlink_to(made)
    except FileExistsError:
        return
