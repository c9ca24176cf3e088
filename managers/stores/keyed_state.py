"""The compacted view of a coordinator stream: what each key says after the events that were applied."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from managers.stores.namespaced_key import NamespacedKey, read_name, spelled

Value = TypeVar("Value")
Read = Callable[[bytes, bytes], Value | None]
"""Reads the value of a key's exact bytes; None ends the key as a tombstone does, a `WireError` leaves it as it was."""

_BEFORE_ALL: Final = -1


class Spelling(NamedTuple, Generic[Value]):
    """One spelling of a key, and its value; None: deleted by an event that others before it have yet to reach.

    The offset is that of its event, or -1 where that is known to be before every other spelling's.
    """

    key_bytes: bytes
    offset: int
    value: Value | None


class _Spellings(dict[bytes, Spelling[Value]]):
    """The spellings of one key that is not just written as Samza writes it and read in order, as nearly all are."""


class KeyedState(Generic[Value]):
    """The values of all keys by their exact bytes; of a key's spellings, the newest that lives is its value.

    The projection shows the same: a tombstone ends the spelling that it is written in, and no other. A record without
    a key, or with one that can't be read, is passed over, as it is quarantined there. Not safe for threads.
    """

    def __init__(self, read: Read[Value]) -> None:
        self._read: Final = read
        # memory goes with the live data: a key that is spelled as Samza does has but its name and its value here
        self._namespaces: Final[dict[str, dict[str, Value | _Spellings[Value]]]] = {}

    def apply(self, event: RecordedEvent, *, is_ahead: bool = False) -> NamespacedKey | None:
        """Take an event in, and give the name of its key; None: it has no key that can be read.

        Events come in the order of the log, but for those that are ``is_ahead``: others before them are still to come,
        and must not undo them.
        """
        read = None if event.key is None else read_name(event.key)
        if read is None or event.key is None:
            return None
        name, is_plain = read
        entry = self._entry(name)
        spellings = entry if isinstance(entry, _Spellings) else None
        known = None if spellings is None else spellings.get(event.key)
        if known is not None and event.offset < known.offset:
            return name
        try:
            value = None if event.value is None else self._read(event.key, event.value)
        except WireError:
            return name
        if is_plain and not is_ahead and spellings is None:
            self._keep(name, value)
        else:
            self._spell(name, Spelling(event.key, event.offset, value), is_ahead)
        return name

    def get(self, name: NamespacedKey) -> Value | None:
        """The value of a key in its canonical spelling; None: it has none."""
        return _shown(self._entry(name))

    def living(self, name: NamespacedKey) -> Sequence[Spelling[Value]]:
        """The spellings of a key that live, newest first."""
        entry = self._entry(name)
        if isinstance(entry, _Spellings):
            return _living(entry)
        return () if entry is None else (Spelling(spelled(name), _BEFORE_ALL, entry),)

    def items(self, namespace: str | None = None) -> Iterator[tuple[NamespacedKey, Value]]:
        """The living keys of one namespace or of all, each with its value."""
        for each in self._namespaces if namespace is None else (namespace,):
            for key, entry in self._namespaces.get(each, {}).items():
                value = _shown(entry)
                if value is not None:
                    yield NamespacedKey(each, key), value

    def forget(self, name: NamespacedKey) -> None:
        """Know nothing of a key any more."""
        self._keep(name, None)

    def _entry(self, name: NamespacedKey) -> "Value | _Spellings[Value] | None":
        return self._namespaces.get(name.namespace, {}).get(name.key)

    def _keep(self, name: NamespacedKey, entry: "Value | _Spellings[Value] | None") -> None:
        if entry is not None:
            self._namespaces.setdefault(name.namespace, {})[name.key] = entry
        elif name.namespace in self._namespaces:
            self._namespaces[name.namespace].pop(name.key, None)

    def _spell(self, name: NamespacedKey, new: Spelling[Value], is_ahead: bool) -> None:
        spellings: _Spellings[Value] = _Spellings({each.key_bytes: each for each in self._spelled(name)})
        if new.value is None and not is_ahead:
            spellings.pop(new.key_bytes, None)
        else:
            spellings[new.key_bytes] = new
        self._keep(name, spellings or None)

    def _spelled(self, name: NamespacedKey) -> Sequence[Spelling[Value]]:
        entry = self._entry(name)
        return tuple(entry.values()) if isinstance(entry, _Spellings) else self.living(name)


def _living(spellings: _Spellings[Value]) -> Sequence[Spelling[Value]]:
    living = (spelling for spelling in spellings.values() if spelling.value is not None)
    return sorted(living, key=lambda spelling: spelling.offset, reverse=True)


def _shown(entry: Value | _Spellings[Value] | None) -> Value | None:
    if not isinstance(entry, _Spellings):
        return entry
    living = _living(entry)
    return living[0].value if living else None
