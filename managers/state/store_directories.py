"""Directories of stores and of their checkpoints, with the names that Samza gives them (StorageManagerUtil)."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from eventlog.checkpoint import CheckpointId
from eventlog.errors import WireError
from managers.state.state_errors import StoreUnreadable

OFFSET_FILE: Final = "OFFSET-v2"
LEGACY_OFFSET_FILE: Final = "OFFSET"
SIDE_INPUT_OFFSET_FILE: Final = "SIDE-INPUT-OFFSETS"
CHECKPOINT_FILE: Final = "CHECKPOINT-V2"
FILES_OF_COMMIT: Final = (OFFSET_FILE, LEGACY_OFFSET_FILE, SIDE_INPUT_OFFSET_FILE, CHECKPOINT_FILE)
"""The files in the directory of a store that say which commit it has."""

StoreKind = Literal["DictStore", "RocksDbStore"]
DICT_STORE_FILE: Final = "entries"
_ROCKSDB_FILE: Final = "CURRENT"
_FILES: Final[Mapping[StoreKind, str]] = {"DictStore": DICT_STORE_FILE, "RocksDbStore": _ROCKSDB_FILE}
_TABLE_SUFFIX: Final = ".sst"


def store_directory(base: Path, store_name: str, task_name: str) -> Path:
    """The directory of a task's store: ``<base>/<store>/<task>``, with ``_`` for each space."""
    return base / store_name.replace(" ", "_") / task_name.replace(" ", "_")


def checkpoint_directory(directory: Path, checkpoint_id: CheckpointId) -> Path:
    """The directory with a store's files as of a commit: the store's directory, ``-`` and the checkpoint id."""
    return directory.with_name(f"{directory.name}-{checkpoint_id}")


def checkpoint_directories(directory: Path) -> Iterator[tuple[CheckpointId, Path]]:
    """The checkpoint directories of a store, in any order."""
    prefix = f"{directory.name}-"
    candidates = directory.parent.iterdir() if directory.parent.is_dir() else iter(())
    for path in candidates:
        checkpoint_id = _parse(path.name.removeprefix(prefix)) if path.name.startswith(prefix) else None
        if checkpoint_id is not None and path.is_dir():
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


def set_aside(files: Path, directory: Path) -> Path:
    """Rename a directory of a store to ``<directory>.kept``, which nothing reads, and return it. Raises OSError.

    While that exists, it is ``<directory>.kept-last``, which is replaced: a task that crashes at each start keeps its
    first files.
    """
    kept = directory.with_name(f"{directory.name}.kept")
    if kept.is_dir():
        kept = directory.with_name(f"{directory.name}.kept-last")
        delete_directory(kept)
    return files.rename(kept)


def require_kind(directory: Path, kind: StoreKind) -> None:
    """Raise `StoreUnreadable` if a directory has a file of another kind of store, which would not see its entries."""
    for other, file in _FILES.items():
        if other != kind and (directory / file).exists():
            raise StoreUnreadable(directory / file, f"is that of a {other}, not of a {kind}")


def _parse(text: str) -> CheckpointId | None:
    """The checkpoint id with exactly this text, None if there is none (the directory of a task ``task-1``)."""
    try:
        checkpoint_id = CheckpointId.parse(text)
    except WireError:
        return None
    return checkpoint_id if str(checkpoint_id) == text else None


def _link_or_copy(source: str, target: str) -> str:
    if source.endswith(_TABLE_SUFFIX):
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))
