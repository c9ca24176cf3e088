"""KeyValueStore: the interface of a task's local stores (Samza's KeyValueStore and StorageEngine)."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from eventlog.checkpoint import CheckpointId


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
        """Keep the flushed files, unchanged by later writes, in the checkpoint directory of a commit.

        Returns the directory (`checkpoint_directory`); None if the store is in memory only.
        """

    def close(self) -> None:
        """Close the store. Entries that were not flushed may be lost."""


@runtime_checkable
class BulkLoading(Protocol):
    """A store that a restore can fill faster than with `KeyValueStore.put`."""

    def load_changes(self, changes: Mapping[bytes, bytes | None]) -> None:
        """Set keys, or delete them where the value is None. A crash before the next `flush` may lose this."""


StoreOpener = Callable[[str], KeyValueStore]
"""Opens a store of the task by its name, on its store directory if it has one."""
