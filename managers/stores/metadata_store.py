"""The interfaces of metadata stores (MetadataStore of Samza)."""

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from eventlog.messages import Message
from managers.stores.namespaced_key import NamespacedKey

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


class NamespacedStore(MetadataStore[NamespacedKey], Protocol):
    """A store whose keys are in namespaces."""

    def all(self, namespace: str | None = None) -> Mapping[NamespacedKey, bytes]:
        """The keys of a namespace, or of all namespaces, with their values."""

    def messages(self, namespace: str) -> Mapping[str, Message]:
        """The messages of a namespace, by key."""
