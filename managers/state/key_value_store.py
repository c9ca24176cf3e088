"""Key-value stores: their interface, one in memory, one in RocksDB, and one that logs its changes to a changelog."""

from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Final, Protocol, cast

from eventlog.checkpoint import CheckpointId
from eventlog.partition import SystemStreamPartition
from eventlog.system_admin import Changelogs
from managers.state.state_errors import StoreUnreadable, missing_package
from managers.state.store_directories import checkpoint_directory, delete_directory


class KeyValueStore(Protocol):
    """A task's values by key, both bytes. A read sees all earlier writes, flushed or not. For one thread."""

    @property
    def directory(self) -> Path | None:
        """The directory with the store's files; None: the store is in memory only."""

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, None if it has none."""

    def put(self, key: bytes, value: bytes) -> None:
        """Set a key."""

    def delete(self, key: bytes) -> None:
        """Delete a key, if it exists."""

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """The entries with ``start <= key < end`` in the order of their keys. None: no bound."""

    def flush(self) -> None:
        """Write all entries to ``directory``, if there is one, or wait until they are written."""

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        """Keep the flushed files, unchanged by later writes, in the `checkpoint_directory` of a commit; return it."""

    def close(self) -> None:
        """Close the store. Entries that were not flushed may be lost."""


StoreOpener = Callable[[str], KeyValueStore]
"""Opens a store of the task by its name, on its store directory if it has one."""


class DictStore:
    """A `KeyValueStore` in memory, for small stores: `range` sorts all keys."""

    directory: Final = None

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        return self._entries.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self._entries[key] = value

    def delete(self, key: bytes) -> None:
        self._entries.pop(key, None)

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """See `KeyValueStore.range`. Entries may be written and deleted while it is read."""
        for key in sorted(self._entries):
            if (start is None or key >= start) and (end is None or key < end) and key in self._entries:
                yield key, self._entries[key]

    def flush(self) -> None:
        """See `KeyValueStore.flush`."""

    def checkpoint(self, checkpoint_id: CheckpointId) -> None:
        """See `KeyValueStore.checkpoint`."""

    def close(self) -> None:
        """See `KeyValueStore.close`."""


class LoggedStore:
    """A `KeyValueStore` over another one. Errors are those of the other one and of `Changelogs`, and TypeError."""

    def __init__(self, store: KeyValueStore, changelog: SystemStreamPartition, changelogs: Changelogs) -> None:
        """``changelogs`` are those of the changelog's system. They are not closed with the store."""
        self._store: Final = store
        self._changelog: Final = changelog
        self._changelogs: Final = changelogs
        self.directory: Final = store.directory
        self.get: Final = store.get
        self.range: Final = store.range
        self.close: Final = store.close

    def put(self, key: bytes, value: bytes) -> None:
        _require_bytes(key, value)
        self._store.put(key, value)
        self._changelogs.send(self._changelog, key, value)

    def delete(self, key: bytes) -> None:
        _require_bytes(key)
        self._store.delete(key)
        self._changelogs.send(self._changelog, key, None)

    def flush(self) -> None:
        """See `KeyValueStore.flush`. Returns when the changelog has all changes as well."""
        self._store.flush()
        self._changelogs.flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        return self._store.checkpoint(checkpoint_id)


def _require_bytes(*given: object) -> None:
    """Raise TypeError for what no flush of the changelog could write."""
    if not all(isinstance(each, bytes) for each in given):
        raise TypeError(f"keys and values of a store must be bytes: encode {[type(each).__name__ for each in given]}")


_DAMAGED: Final = "Corruption"
"""How the text of an error of RocksDB begins if a file is damaged. rocksdict has one class for all errors."""


class RocksDbStore:
    """A `KeyValueStore` whose checkpoints share its sorted files by hard links, and take as long as its last flush."""

    def __init__(self, directory: Path) -> None:
        """Open the database in ``directory``, or create it.

        Raises what RocksDB raises, an Exception; `StateError` if rocksdict is not installed; `StoreUnreadable` if a
        file in the directory is damaged.
        """
        try:
            from rocksdict import Checkpoint, Options, Rdict  # noqa: PLC0415 (of the extra `state`)
        except ImportError as error:
            raise missing_package("A RocksDB store", "rocksdict") from error
        directory.mkdir(parents=True, exist_ok=True)
        self.directory: Final = directory
        try:
            self._database: Final = Rdict(str(directory), Options(raw_mode=True))
        except Exception as error:
            if not str(error).startswith(_DAMAGED):
                raise
            raise StoreUnreadable(directory, f"is damaged ({str(error).splitlines()[0].rstrip('.')})") from error
        self._checkpoint: Final = Checkpoint
        self._is_closed = False

    def get(self, key: bytes) -> bytes | None:
        return cast("bytes | None", self._database.get(key))

    def put(self, key: bytes, value: bytes) -> None:
        self._database.put(key, value)

    def delete(self, key: bytes) -> None:
        self._database.delete(key)

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """See `KeyValueStore.range`. Shows the entries as of the call."""
        entries = cast("Iterator[tuple[bytes, bytes]]", self._database.items(from_key=start))
        return entries if end is None else takewhile(lambda entry: entry[0] < end, entries)

    def flush(self) -> None:
        self._database.flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        directory = checkpoint_directory(self.directory, checkpoint_id)
        delete_directory(directory)
        self._checkpoint(self._database).create_checkpoint(str(directory))
        return directory

    def close(self) -> None:
        if not self._is_closed:
            self._database.close()
        self._is_closed = True
