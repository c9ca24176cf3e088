"""LoggedStore: a store that writes each of its changes to a changelog (Samza's LoggedStore)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from eventlog.changelog import Changelogs
from eventlog.checkpoint import CheckpointId
from eventlog.partition import SystemStreamPartition
from managers.state.key_value_store import KeyValueStore


class LoggedStore:
    """A `KeyValueStore` over another one. Errors are those of the other one and of `Changelogs`."""

    def __init__(self, store: KeyValueStore, changelog: SystemStreamPartition, changelogs: Changelogs) -> None:
        """``changelogs`` are those of the changelog's system. They are not closed with the store."""
        self._store: Final = store
        self._changelog: Final = changelog
        self._changelogs: Final = changelogs

    @property
    def directory(self) -> Path | None:
        """See `KeyValueStore.directory`."""
        return self._store.directory

    def get(self, key: bytes) -> bytes | None:
        """See `KeyValueStore.get`."""
        return self._store.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """See `KeyValueStore.put`."""
        self._store.put(key, value)
        self._changelogs.send(self._changelog, key, value)

    def delete(self, key: bytes) -> None:
        """See `KeyValueStore.delete`."""
        self._store.delete(key)
        self._changelogs.send(self._changelog, key, None)

    def range(self, start: bytes | None = None, end: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """See `KeyValueStore.range`."""
        return self._store.range(start, end)

    def flush(self) -> None:
        """See `KeyValueStore.flush`. Returns when the changelog has all changes as well."""
        self._store.flush()
        self._changelogs.flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        """See `KeyValueStore.checkpoint`."""
        return self._store.checkpoint(checkpoint_id)

    def close(self) -> None:
        """See `KeyValueStore.close`."""
        self._store.close()
