"""Reads and writes plans and undo files: whole, or not at all, even if the machine stops."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from eventlog.errors import system_reason
from managers.rewind.rewind_errors import RewindFileError

Model = TypeVar("Model", bound=BaseModel)

_WRITTEN_BY: Final = {
    "coordstream-rewind-plan": "`coordstream rewind plan`",
    "coordstream-rewind-undo": "`coordstream rewind apply`",
}
"""The command that writes each kind of file."""


def read_rewind_file(path: Path, model: type[Model]) -> tuple[Model, str]:
    """Read a file, and return its contents and the SHA-256 of its bytes.

    Raises:
        RewindFileError: the file cannot be read, or is not of this kind and version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RewindFileError(f"Cannot access '{path}': {system_reason(error)}.") from None
    try:
        return model.model_validate_json(data), hashlib.sha256(data).hexdigest()
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "its JSON"
        kind = model.model_fields["format"].default
        raise RewindFileError(
            f"'{path}' is not a valid {kind} (version 1): {place} is missing or invalid. "
            f"Name a file that {_WRITTEN_BY[kind]} wrote."
        ) from None


def write_rewind_file(path: Path, contents: BaseModel, *, may_replace: bool) -> None:
    """Write a file that is on disk when this returns.

    Raises:
        RewindFileError: the file exists, unless it ``may_replace`` it, or cannot be written.
    """
    text = contents.model_dump_json(indent=1) + "\n"
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if may_replace:
                Path(name).replace(path)
            else:
                path.hardlink_to(name)  # unlike a rename, it never replaces a file
        finally:
            Path(name).unlink(missing_ok=True)
        _sync_folder(path.parent)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise RewindFileError(f"Cannot access '{path}': {system_reason(error)}.") from None


def require_new_file(path: Path) -> None:
    """Raise `RewindFileError` if the file exists."""
    if path.exists():
        raise _exists(path)


def _exists(path: Path) -> RewindFileError:
    return RewindFileError(f"File '{path}' exists. Use another name, or delete it.")


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
