"""The directories of stores and of their checkpoints, and the files in them that say which commit they hold."""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from glob import escape
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from eventlog.atomic_file import atomic_file
from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.checkpoint_topic import decode_v2, encode_v2
from eventlog.wire.jackson import as_object, dumps, loads, text_or_none

OFFSET_FILE: Final = "OFFSET-v2"
CHECKPOINT_FILE: Final = "CHECKPOINT-V2"
FILES_OF_COMMIT: Final = (CHECKPOINT_FILE, OFFSET_FILE)
"""The files in the directory of a store that say which commit it has."""

_FIRST_MS: Final = 10**12
"""A smaller number belongs to the name of a task, such as ``orders-2026-12``: ids are times since September 2001."""
_TABLE_SUFFIX: Final = ".sst"
_logger: Final = logging.getLogger(__name__)
Content = TypeVar("Content")


def is_outside(name: str) -> bool:
    """Whether a name would lead out of the directory that it is to be in, or to that directory itself."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name


def checkpoint_directory(directory: Path, checkpoint_id: CheckpointId) -> Path:
    """The directory with a store's files as of a commit: the store's directory, ``-`` and the checkpoint id."""
    return directory.with_name(f"{directory.name}-{checkpoint_id}")


def checkpoint_directories(directory: Path) -> Iterator[tuple[CheckpointId, Path]]:
    """The checkpoint directories of a store, in any order, not those of a task ``<this task>-1``."""
    for path in directory.parent.glob(f"{escape(directory.name)}-*"):
        text = path.name.removeprefix(f"{directory.name}-")
        with suppress(WireError):
            checkpoint_id = CheckpointId.parse(text)
            if str(checkpoint_id) == text and checkpoint_id.millis >= _FIRST_MS and path.is_dir():
                yield checkpoint_id, path


def copy_checkpoint(checkpoint: Path, directory: Path) -> None:
    """Make a store's directory from a checkpoint directory, which remains. ``directory`` must not exist.

    The tables of RocksDB never change and are linked; its other files are copied, because it appends to them.
    """
    shutil.copytree(checkpoint, directory, copy_function=_link_or_copy)


def delete_directory(directory: Path) -> None:
    """Delete a directory with its files; does nothing if it does not exist. Raises OSError.

    The files that say which commit it has go first: what is left after a crash is never taken for a whole store.
    """
    if directory.exists():
        for name in FILES_OF_COMMIT:
            (directory / name).unlink(missing_ok=True)
        shutil.rmtree(directory)


def _link_or_copy(source: str, target: str) -> str:
    if source.endswith(_TABLE_SUFFIX):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


def write_offset(directory: Path, changelog: SystemStreamPartition, offset: str | None) -> None:
    """Write the offset that a store holds of its changelog; None deletes it. Raises OSError."""
    if offset is None:
        (directory / OFFSET_FILE).unlink(missing_ok=True)
    else:
        _write(directory / OFFSET_FILE, dumps({str(changelog): offset}))


def read_offset(directory: Path, changelog: SystemStreamPartition) -> str | None:
    """The offset that a store holds of its changelog; None if there is no file, or it is damaged or of another one."""
    name = str(changelog)
    return _read(directory / OFFSET_FILE, lambda data: text_or_none(as_object(loads(data), "the file").get(name), name))


def write_checkpoint_file(directory: Path, checkpoint: CheckpointV2) -> None:
    """Write the checkpoint that a store belongs to. Raises OSError."""
    _write(directory / CHECKPOINT_FILE, encode_v2(checkpoint))


def read_checkpoint_file(directory: Path) -> CheckpointV2 | None:
    """The checkpoint that a store belongs to; None if there is no file, or it is damaged."""
    return _read(directory / CHECKPOINT_FILE, decode_v2)


def _write(path: Path, data: bytes) -> None:
    with atomic_file(path, mode=0o666) as file:
        file.write(data)


def _read(path: Path, parse: Callable[[bytes], Content]) -> Content | None:
    if not path.exists():
        return None
    try:
        return parse(path.read_bytes())
    except (OSError, WireError) as error:
        _logger.warning("Ignored %s: %s", path, error)
        return None


def is_stale(directory: Path, delete_retention_ms: int, now: datetime) -> bool:
    """Whether a store is as old as the changelog keeps tombstones, so it may have missed deletions.

    Its age is that of its checkpoint file, else of its offset file. Without any, it is stale.
    """
    paths = (directory / name for name in FILES_OF_COMMIT)
    written = next((path.stat().st_mtime for path in paths if path.exists()), 0.0)
    return (now.timestamp() - written) * 1000 >= delete_retention_ms
