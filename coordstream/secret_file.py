"""A generated secret in a file that only its owner can read."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

SECRET_BYTES: Final = 32


def read_or_make_secret(path: Path) -> str:
    """The secret in ``path``, created at the first use (hex text, mode 0600).

    A crash leaves no file or a complete one. Two processes that create it at once get the same secret. Raises
    `OSError`: the file cannot be created or read.
    """
    if not path.exists():
        _make(path)
    return read_secret(path)


def read_secret(path: Path) -> str:
    """The secret in ``path``, without the white space around it.

    Raises `OSError`: the file is missing or cannot be read; `ValueError`: the file is empty or not text.
    """
    secret = path.read_text(encoding="utf-8").strip()
    if not secret:
        raise ValueError("the file is empty")
    return secret


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as file:
        file.write(secrets.token_hex(SECRET_BYTES) + "\n")
        file.flush()
        os.fsync(file.fileno())
        # unlike a rename, a hard link never replaces a file: the first of two processes wins
        with suppress(FileExistsError):
            path.hardlink_to(file.name)
