"""NamespacedKey, and KeyedState: the compacted view of a coordinator stream, the current value of each key."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from eventlog.errors import WireError
from eventlog.events import LOG_APPEND_TIME, RecordedEvent
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
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{text!r} contains an unpaired surrogate, which a key cannot have") from None
    return encode_key(namespace, key)


Value = TypeVar("Value")
Read = Callable[[bytes, bytes], Value | None]
"""Decodes the value of a key (exact bytes). None deletes it like a tombstone; `WireError` leaves it unchanged."""

ReadLog = Callable[[], Iterable[RecordedEvent]]
"""The events of the log as far as the raw values were read."""


class Spelling(NamedTuple, Generic[Value]):
    """One spelling of a key, with the offset of its event and its value.

    None: deleted by an event before which others are still to be read.
    """

    key_bytes: bytes
    offset: int
    value: Value | None


class KeyedState(Generic[Value]):
    """The values of all keys. Of several spellings of a key, the newest live one is its value.

    As in the projection, a tombstone deletes only the spelling that it has. A record without a readable key is ignored
    (the projection quarantines it). Not thread-safe.
    """

    def __init__(self, read: Read[Value]) -> None:
        self._read: Final = read
        self._namespaces: Final[dict[str, dict[str, dict[bytes, Spelling[Value]]]]] = defaultdict(dict)

    def apply(self, event: RecordedEvent, *, is_ahead: bool = False) -> NamespacedKey | None:
        """Apply an event, and return the name of its key; None if it has no readable key.

        Events are in the order of the log, except those with ``is_ahead``: earlier events that are applied later must
        not undo them.
        """
        name = read_name(event.key)
        if name is None or event.key is None:
            return None
        keys = self._namespaces[name.namespace]
        spellings = keys.get(name.key)
        known = None if spellings is None else spellings.get(event.key)
        if known is not None and event.offset < known.offset:
            return name
        try:
            value = None if event.value is None else self._read(event.key, event.value)
        except WireError:
            return name
        if value is not None or is_ahead:
            keys.setdefault(name.key, {})[event.key] = Spelling(event.key, event.offset, value)
        elif spellings is not None:
            spellings.pop(event.key, None)
            if not spellings:
                del keys[name.key]
        return name

    def get(self, name: NamespacedKey) -> Value | None:
        """The value of a key, by its canonical name; None if it has none."""
        return next((spelling.value for spelling in self.live_spellings(name)), None)

    def live_spellings(self, name: NamespacedKey) -> Sequence[Spelling[Value]]:
        """The spellings of a key that have a value, the newest first."""
        spellings = self._namespaces.get(name.namespace, {}).get(name.key, {})
        live = [each for each in spellings.values() if each.value is not None]
        return live if len(live) < 2 else sorted(live, key=lambda each: each.offset, reverse=True)

    def items(self, namespace: str | None = None) -> Iterator[tuple[NamespacedKey, Value]]:
        """The live keys of one namespace or of all, with their values."""
        namespaces = list(self._namespaces) if namespace is None else [namespace]
        for name in [NamespacedKey(each, key) for each in namespaces for key in self._namespaces.get(each, ())]:
            value = self.get(name)
            if value is not None:
                yield name, value


def decode_value(key: bytes, value: bytes) -> Message | None:
    """The message of a value; None if the value means a delete. Raises `WireError`."""
    message = decode_message(decode_key(key), value)
    return None if isinstance(message, Delete) else message


def decode_namespace(raw: KeyedState[bytes], namespace: str, position: int, read_log: ReadLog) -> dict[str, Message]:
    """The messages of a namespace, by key. Without an unreadable value the log is not read up to ``position``."""
    unreadable: set[bytes] = set()

    def read(key: bytes, value: bytes) -> Message | None:
        try:
            return decode_value(key, value)
        except WireError:
            unreadable.add(key)
            raise

    state: KeyedState[Message] = KeyedState(read)
    _apply_live(state, raw, [name for name, _ in raw.items(namespace)])
    found = dict(state.items(namespace))
    names = {name for key in unreadable if (name := read_name(key)) is not None}
    if names:
        found |= dict(_read_again(raw, names, position, read_log()).items(namespace))
    return {name.key: message for name, message in found.items()}


def _read_again(
    raw: KeyedState[bytes], names: Collection[NamespacedKey], position: int, events: Iterable[RecordedEvent]
) -> KeyedState[Message]:
    """All events of these keys, whose values include an unreadable one in one of their spellings."""
    state: KeyedState[Message] = KeyedState(decode_value)
    for event in events:
        if read_name(event.key) in names:
            state.apply(event)
    _apply_live(state, raw, names, position)  # appended here, and not visible on the log yet
    return state


def _apply_live(
    state: KeyedState[Message], raw: KeyedState[bytes], names: Iterable[NamespacedKey], first: int = 0
) -> None:
    """Apply the live spellings of keys from an offset on, the oldest first."""
    for spelling in (each for name in names for each in reversed(raw.live_spellings(name))):
        if spelling.offset >= first:
            state.apply(RecordedEvent(spelling.offset, 0, LOG_APPEND_TIME, spelling.key_bytes, spelling.value))
