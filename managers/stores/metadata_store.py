"""Stores of metadata by key: Samza's MetadataStore (seed 001)."""

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from eventlog.messages import Message
from managers.stores.namespaced_key import NamespacedKey

Key = TypeVar("Key")


class MetadataStore(Protocol[Key]):
    """Keys and the bytes that they stand for, which outlive the program. Safe for threads."""

    def init(self) -> None:
        """Make the store ready; more than once does no harm."""

    def get(self, key: Key) -> bytes | None:
        """The value of a key; None: it has none."""

    def put(self, key: Key, value: bytes) -> None:
        """Set a key. When this returns, the value is written for good."""

    def put_all(self, entries: Mapping[Key, bytes]) -> None:
        """Set some keys and leave the others; as a put for each, faster."""

    def delete(self, key: Key) -> None:
        """Delete a key; one that is not there does no harm."""

    def delete_all(self, keys: Iterable[Key]) -> None:
        """Delete some keys."""

    def all(self) -> Mapping[Key, bytes]:
        """All keys with their values, as they are now; can't be changed."""

    def flush(self) -> None:
        """Return when all that was put or deleted is written."""

    def close(self) -> None:
        """Give up what the store holds open."""


class NamespacedStore(MetadataStore[NamespacedKey], Protocol):
    """A store whose keys are in namespaces."""

    def all(self, namespace: str | None = None) -> Mapping[NamespacedKey, bytes]:
        """The keys of a namespace or of all with their values."""

    def messages(self, namespace: str) -> Mapping[str, Message]:
        """What the keys of a namespace say, by key."""
