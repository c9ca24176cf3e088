"""A secret of the installation in a file of its own, readable by its owner only."""

import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

SECRET_BYTES: Final = 32


def read_or_make_secret(path: Path) -> str:
    """The secret in ``path``; at the first use one is made (hex text, mode 0600).

    A crash leaves either no file or a whole one, and two first uses at once agree on one secret.

    Raises:
        OSError: the file can't be made or read.
    """
    if not path.exists():
        _make(path)
    return read_secret(path)


def read_secret(path: Path) -> str:
    """The secret in ``path``, without the white space around it.

    Raises:
        OSError: there is no such file, or it can't be read.
        ValueError: the file is empty or no text.
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
    """A link, unlike a rename, never replaces: the first of two makers wins."""
    try:
        path.hardlink_to(made)
    except FileExistsError:
        return
