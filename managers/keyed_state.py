"""The compacted view of a coordinator stream: what each key says after the events that were applied."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, TypeVar

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.wire.coordinator import decode_key
from managers.namespaced_key import NamespacedKey, name_of

Value = TypeVar("Value")
Read = Callable[[bytes, bytes], Value | None]
"""Reads the value of a key's exact bytes; None ends the key as a tombstone does, a `WireError` leaves it as it was."""


class Spelling(Generic[Value]):
    """One spelling of a key, and its value; None: deleted by an event that others before it have yet to reach."""

    __slots__ = ("key_bytes", "name", "offset", "value")

    def __init__(self, name: NamespacedKey, key_bytes: bytes, offset: int, value: Value | None) -> None:
        self.name = name
        self.key_bytes = key_bytes
        self.offset = offset
        self.value = value


class KeyedState(Generic[Value]):
    """The values of all keys by their exact bytes; of a key's spellings, the newest that lives is its value.

    The projection shows the same: a tombstone ends the spelling that it is written in, and no other. A record without
    a key, or with one that can't be read, is passed over, as it is quarantined there. Not safe for threads.
    """

    def __init__(self, read: Read[Value]) -> None:
        self._read: Final = read
        self._spellings: Final[dict[bytes, Spelling[Value]]] = {}
        self._namespaces: Final[dict[str, dict[str, tuple[Spelling[Value], ...]]]] = {}

    def apply(self, event: RecordedEvent, *, is_ahead: bool = False) -> NamespacedKey | None:
        """Take an event in, and give the name of its key; None: it has no key that can be read.

        ``is_ahead``: events before this one are still to come, and must not undo it.
        """
        name = self.name_of(event)
        if name is not None and event.key is not None and not self._is_older(event):
            try:
                value = None if event.value is None else self._read(event.key, event.value)
            except WireError:
                return name
            self._keep(Spelling(name, event.key, event.offset, value), is_ahead)
        return name

    def name_of(self, event: RecordedEvent) -> NamespacedKey | None:
        """The name of an event's key; None: it has no key that can be read."""
        if event.key is None:
            return None
        known = self._spellings.get(event.key)
        return _name(event.key) if known is None else known.name

    def get(self, name: NamespacedKey) -> Value | None:
        """The value of a key in its canonical spelling; None: it has none."""
        living = self.living(name)
        return living[0].value if living else None

    def living(self, name: NamespacedKey) -> Sequence[Spelling[Value]]:
        """The spellings of a key that live, newest first."""
        return _living(self._namespaces.get(name.namespace, {}).get(name.key, ()))

    def names(self, namespace: str | None = None) -> Iterator[NamespacedKey]:
        """The living keys of one namespace or of all."""
        return (newest.name for newest in self._newest(namespace))

    def items(self, namespace: str | None = None) -> Iterator[tuple[NamespacedKey, Value]]:
        """The living keys of one namespace or of all, each with its value."""
        for newest in self._newest(namespace):
            if newest.value is not None:
                yield newest.name, newest.value

    def _newest(self, namespace: str | None) -> Iterator[Spelling[Value]]:
        for each in self._namespaces if namespace is None else (namespace,):
            for spellings in self._namespaces.get(each, {}).values():
                yield from _living(spellings)[:1]

    def _is_older(self, event: RecordedEvent) -> bool:
        known = None if event.key is None else self._spellings.get(event.key)
        return known is not None and event.offset < known.offset

    def _keep(self, new: Spelling[Value], is_ahead: bool) -> None:
        known = self._spellings.get(new.key_bytes)
        if new.value is None and not is_ahead:
            if known is not None:
                self._remove(known)
        elif known is not None:
            known.offset, known.value = new.offset, new.value
        else:
            self._add(new)

    def _add(self, spelling: Spelling[Value]) -> None:
        self._spellings[spelling.key_bytes] = spelling
        names = self._namespaces.setdefault(spelling.name.namespace, {})
        names[spelling.name.key] = (*names.get(spelling.name.key, ()), spelling)

    def _remove(self, spelling: Spelling[Value]) -> None:
        del self._spellings[spelling.key_bytes]
        names = self._namespaces[spelling.name.namespace]
        left = tuple(other for other in names.pop(spelling.name.key) if other is not spelling)
        if left:
            names[spelling.name.key] = left


def _living(spellings: tuple[Spelling[Value], ...]) -> Sequence[Spelling[Value]]:
    if len(spellings) == 1:  # as nearly all have
        return spellings if spellings[0].value is not None else ()
    living = (spelling for spelling in spellings if spelling.value is not None)
    return sorted(living, key=lambda spelling: spelling.offset, reverse=True)


def _name(key: bytes) -> NamespacedKey | None:
    try:
        namespace, text = name_of(decode_key(key))
    except WireError:
        return None
    return NamespacedKey(sys.intern(namespace), text)
