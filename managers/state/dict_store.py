"""DictStore: a store in memory, which can keep a copy in a file."""

import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct, error
from typing import Final

from eventlog.checkpoint import CheckpointId
from managers.state.state_errors import StoreUnreadable
from managers.state.store_directories import (
    DICT_STORE_FILE,
    checkpoint_directory,
    delete_directory,
    require_kind,
)

_LENGTHS: Final = Struct(">II")


class DictStore:
    """A `KeyValueStore` in a dict, for small stores: `flush` writes all entries to a file, `range` sorts all keys."""

    def __init__(self, directory: Path | None = None) -> None:
        """Read the entries that were flushed to ``directory``; None: keep them in memory only.

        Raises:
            StoreUnreadable: the file in the directory is incomplete, or the directory is that of a `RocksDbStore`.
        """
        self._directory: Final = directory
        self._entries: dict[bytes, bytes] = {}
        if directory is not None:
            require_kind(directory, "DictStore")
            directory.mkdir(parents=True, exist_ok=True)
            self._entries.update(_read(directory / DICT_STORE_FILE))

    @property
    def directory(self) -> Path | None:
        """See `KeyValueStore.directory`."""
        return self._directory

    def get(self, key: bytes) -> bytes | None:
        """See `KeyValueStore.get`."""
        return self._entries.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """See `KeyValueStore.put`."""
        self._entries[key] = value

    def delete(self, key: bytes) -> None:
        """See `KeyValueStore.delete`."""
        self._entries.pop(key, None)

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """See `KeyValueStore.range`. Entries may be written and deleted while it is read."""
        for key in sorted(self._entries):
            if (start is None or key >= start) and (end is None or key < end) and key in self._entries:
                yield key, self._entries[key]

    def flush(self) -> None:
        """See `KeyValueStore.flush`. The file is replaced at once. Raises OSError."""
        if self._directory is None:
            return
        path = self._directory / DICT_STORE_FILE
        written = path.with_suffix(".new")
        with written.open("wb") as file:
            for key, value in sorted(self._entries.items()):
                file.write(_LENGTHS.pack(len(key), len(value)) + key + value)
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        """See `KeyValueStore.checkpoint`. Raises OSError."""
        if self._directory is None:
            return None
        directory = checkpoint_directory(self._directory, checkpoint_id)
        delete_directory(directory)
        directory.mkdir()
        os.link(self._directory / DICT_STORE_FILE, directory / DICT_STORE_FILE)
        return directory

    def close(self) -> None:
        """See `KeyValueStore.close`."""


def _read(path: Path) -> Iterator[tuple[bytes, bytes]]:
    data = path.read_bytes() if path.exists() else b""
    position = 0
    while position < len(data):
        key, value, position = _read_entry(path, data, position)
        yield key, value


def _read_entry(path: Path, data: bytes, position: int) -> tuple[bytes, bytes, int]:
    try:
        key_length, value_length = _LENGTHS.unpack_from(data, position)
    except error:
        raise StoreUnreadable(path, "is incomplete") from None
    start = position + _LENGTHS.size
    end = start + key_length + value_length
    if end > len(data):
        raise StoreUnreadable(path, "is incomplete")
    return data[start : start + key_length], data[start + key_length : end], end
