"""NamespacedKey, and KeyedState: the compacted view of a coordinator stream, the current value of each key."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from eventlog.errors import WireError, is_utf8
from eventlog.events import RecordedEvent
from eventlog.messages import Delete, Message, SetTaskPartitionMapping
from eventlog.wire.coordinator import decode_key, decode_message, encode_key
from eventlog.wire.jackson import decode_partition_key, dumps_text, encode_partition_key, loads

_PLAIN: Final = re.compile(rb'\[1,"([^"\\\x00-\x1f]*)","([^"\\\x00-\x1f]*)"\]')


class NamespacedKey(NamedTuple):
    """A namespace (message type) and a key in it (CoordinatorStreamStore of Samza)."""

    namespace: str
    key: str

    def __str__(self) -> str:
        """The JSON that Samza's store uses as a key in memory."""
        return dumps_text({"key": self.key, "namespace": self.namespace})

    @classmethod
    def parse(cls, text: str) -> "NamespacedKey":
        fields = loads(text)
        if not isinstance(fields, dict) or not all(isinstance(fields.get(name), str) for name in ("key", "namespace")):
            raise WireError("wrong_type", "a namespaced key is not an object with the strings key and namespace")
        return cls(fields["namespace"], fields["key"])


def read_name(key: bytes | None) -> NamespacedKey | None:
    """The name that a key means, however it is spelled; None if it is unreadable."""
    if key is None:
        return None
    plain = _PLAIN.fullmatch(key)
    try:
        if plain is not None:  # nearly all keys
            return NamespacedKey(sys.intern(plain[1].decode()), plain[2].decode())
        decoded = decode_key(key)
    except (UnicodeDecodeError, WireError):
        return None
    return canonical(NamespacedKey(decoded.message_type, decoded.key))


def canonical(name: NamespacedKey) -> NamespacedKey:
    """The canonical spelling of a name: different only for partition assignments, whose keys are JSON."""
    if name.namespace != SetTaskPartitionMapping.message_type:
        return name
    try:
        return NamespacedKey(name.namespace, encode_partition_key(decode_partition_key(name.key)))
    except WireError:
        return name


def encode_name(name: NamespacedKey) -> bytes:
    """The bytes of a key in Samza's spelling. Raises ValueError for an unpaired surrogate."""
    namespace, key = name
    for text in (namespace, key):
        if not isinstance(text, str):
            raise TypeError(f"a namespace and a key must be strings, not {type(text).__name__}")
        if not is_utf8(text):
            raise ValueError(f"{text!r} contains an unpaired surrogate, which a key cannot have")
    return encode_key(namespace, key)


Value = TypeVar("Value")
Read = Callable[[bytes, bytes], Value | None]
"""Decodes the value of a key (exact bytes). None deletes it like a tombstone; `WireError` leaves it unchanged."""


class KeyedState(Generic[Value]):
    """The values of all keys. Of several spellings of a key, the newest live one is its value.

    As in the projection, a tombstone deletes only the spelling that it has. A record without a readable key is ignored
    (the projection quarantines it). Not thread-safe.
    """

    def __init__(self, read: Read[Value]) -> None:
        self._read: Final = read
        self._namespaces: Final[dict[str, dict[str, dict[bytes, Value]]]] = defaultdict(dict)

    def apply(self, event: RecordedEvent) -> NamespacedKey | None:
        """Apply the next event of a log, and return the name of its key; None if it has no readable key."""
        name = read_name(event.key)
        if name is None or event.key is None:
            return None
        try:
            value = None if event.value is None else self._read(event.key, event.value)
        except WireError:
            return name
        keys = self._namespaces[name.namespace]
        spellings = keys.setdefault(name.key, {})
        spellings.pop(event.key, None)  # the newest is the last one
        if value is not None:
            spellings[event.key] = value
        elif not spellings:
            del keys[name.key]
        return name

    def get(self, name: NamespacedKey) -> Value | None:
        """The value of a key, by its canonical name; None if it has none."""
        return next(reversed(self.spellings(name).values()), None)

    def spellings(self, name: NamespacedKey) -> dict[bytes, Value]:
        """The live spellings of a key with their values, the newest last."""
        return self._namespaces.get(name.namespace, {}).get(name.key, {})

    def items(self, namespace: str | None = None) -> Iterator[tuple[NamespacedKey, Value]]:
        """The live keys of one namespace or of all, with their values."""
        for each in self._namespaces if namespace is None else (namespace,):
            for key, spellings in self._namespaces.get(each, {}).items():
                yield NamespacedKey(each, key), next(reversed(spellings.values()))


def decode_value(key: bytes, value: bytes) -> Message | None:
    """The message of a value; None if the value means a delete. Raises `WireError`."""
    message = decode_message(decode_key(key), value)
    return None if isinstance(message, Delete) else message
