"""The interfaces of metadata stores (MetadataStore of Samza), and one namespace of a store."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from eventlog.messages import Message
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey

Key = TypeVar("Key")


class MetadataStore(Protocol[Key]):
    """Durable values, as bytes, by key. Thread-safe."""

    def init(self) -> None:
        """Initialize the store. Safe to call again."""

    def get(self, key: Key) -> bytes | None:
        """The value of a key, None if it has none."""

    def put(self, key: Key, value: bytes) -> None:
        """Set a key. The value is durable when this returns."""

    def put_all(self, entries: Mapping[Key, bytes]) -> None:
        """Set several keys: like a `put` for each, but faster."""

    def delete(self, key: Key) -> None:
        """Delete a key, if it exists."""

    def delete_all(self, keys: Iterable[Key]) -> None:
        """Delete several keys."""

    def all(self) -> Mapping[Key, bytes]:
        """All keys with their current values, read-only."""

    def flush(self) -> None:
        """Wait until all writes are durable."""

    def close(self) -> None:
        """Close the store."""


class NamespaceAwareCoordinatorStreamStore:
    """The keys of one namespace (message type) of a store, as a `MetadataStore` of plain keys (Samza's class).

    `init` and `close` do nothing: the store is shared, and the caller opens and closes it (SAMZA-2167, SAMZA-2260).
    """

    def __init__(self, store: CoordinatorStreamStore, namespace: str) -> None:
        if not namespace:
            raise ValueError("namespace must be a message type such as 'set-config', not ''")
        self._store: Final = store
        self.namespace: Final = namespace

    def init(self) -> None:
        """Do nothing: the caller initializes the store."""

    def get(self, key: str) -> bytes | None:
        return self._store.get(self._in_namespace(key))

    def put(self, key: str, value: bytes) -> None:
        self._store.put(self._in_namespace(key), value)

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        self._store.put_all({self._in_namespace(key): value for key, value in entries.items()})

    def delete(self, key: str) -> None:
        self._store.delete(self._in_namespace(key))

    def delete_all(self, keys: Iterable[str]) -> None:
        self._store.delete_all([self._in_namespace(key) for key in keys])

    def all(self) -> Mapping[str, bytes]:
        """See `MetadataStore.all`; by the plain keys."""
        return MappingProxyType({name.key: value for name, value in self._store.all(self.namespace).items()})

    def messages(self) -> Mapping[str, Message]:
        return self._store.messages(self.namespace)

    def flush(self) -> None:
        self._store.flush()

    def close(self) -> None:
        """Do nothing: the caller closes the store."""

    def _in_namespace(self, key: str) -> NamespacedKey:
        return NamespacedKey(self.namespace, key)
