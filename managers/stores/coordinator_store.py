"""CoordinatorStreamStore: the current values of a job's coordinator stream, by namespaced key."""

import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from types import MappingProxyType
from typing import Final, Protocol, Self, TypeVar

from eventlog.errors import WireError
from eventlog.events import LOG_APPEND_TIME, NewEvent, RecordedEvent
from eventlog.log import AppendConflict, EventLog, end_after
from eventlog.messages import Message
from eventlog.source import Closing
from eventlog.wire.coordinator import decode_key, encode_message
from managers.errors import NotReady
from managers.stores.keyed_state import KeyedState, NamespacedKey, canonical, decode_value, encode_name, read_name
from managers.wrapped_logs import require_kind, split_into_parts, written_event

_logger: Final = logging.getLogger(__name__)
Change = Callable[[Mapping[NamespacedKey, bytes]], Mapping[NamespacedKey, bytes | None]]
"""Maps the current values of some namespaces to the values to set, and None for keys to delete."""


Key = TypeVar("Key")


class MetadataStore(Protocol[Key]):
    """Durable values, as bytes, by key (MetadataStore of Samza). Thread-safe."""

    def init(self) -> None:
        """Initialize the store. Safe to call again."""
        return

    def get(self, key: Key) -> bytes | None:
        """The value of a key, None if it has none."""

    def put(self, key: Key, value: bytes) -> None:
        """Set a key. The value is durable when this returns."""
        self.put_all({key: value})

    def put_all(self, entries: Mapping[Key, bytes]) -> None:
        """Set several keys: like a `put` for each, but faster."""

    def delete(self, key: Key) -> None:
        """Delete a key, if it exists."""
        self.delete_all([key])

    def delete_all(self, keys: Iterable[Key]) -> None:
        """Delete several keys."""

    def all(self) -> Mapping[Key, bytes]:
        """All keys with their current values, read-only."""

    def flush(self) -> None:
        """Wait until all writes are durable; by default, each is when it returns."""
        return

    def close(self) -> None:
        """Close the store."""
        return


class CoordinatorStreamStore(MetadataStore[NamespacedKey], Closing):
    """The newest value of each key of a coordinator stream, as bytes: a `MetadataStore` of namespaced keys.

    Each read first catches up with the log, and each write returns once it is acknowledged. Thread-safe. The caller
    opens and closes the log, without a transaction around writes. A write is one append up to half a megabyte, or some
    1,900 small values. Methods raise what the log raises, `OffsetLost` if the stream was created again.
    """

    def __init__(self, log: EventLog) -> None:
        require_kind(log, "coordinator")
        self._log: Final = log
        self._lock: Final = RLock()
        self._state: KeyedState[bytes] = KeyedState(_keep_bytes)
        self._position = 0
        self._is_ready = False
        self._unreadable: set[tuple[bytes, bytes]] = set()
        self._messages: dict[str, KeyedState[Message]] = {}
        """The messages of each namespace that was asked for."""

    @property
    def position(self) -> int:
        """The next log offset to read."""
        return self._position

    def init(self) -> None:
        """Read the log to its current end. Does nothing when called again."""
        with self._lock:
            if not self._is_ready:
                self._is_ready = True
                self.catch_up()

    def catch_up(self) -> None:
        with self._caught_up():
            pass

    def get(self, key: NamespacedKey) -> bytes | None:
        with self._caught_up():
            return self._state.get(_named(key))

    def all(self, namespace: str | None = None) -> Mapping[NamespacedKey, bytes]:
        """The keys of a namespace, or of all namespaces, with their current values, read-only."""
        with self._caught_up():
            return MappingProxyType(dict(self._state.items(namespace)))

    def messages(self, namespace: str) -> Mapping[str, Message]:
        """The decoded messages of a namespace; of an unreadable value, the last readable one on the log."""
        with self._caught_up():
            found = self._messages_of(namespace).items(namespace)
            return MappingProxyType({name.key: message for name, message in found})

    def decode(self, values: Mapping[NamespacedKey, bytes]) -> Mapping[str, Message]:
        """The `messages` of the values of one namespace that `update` passes to a `Change`."""
        found: dict[str, Message] = {}
        for name, value in values.items():
            message = self._messages_of(name.namespace).get(name)
            if value != self._state.get(name):  # as it was before a write that is repeated
                message = decode_value(encode_name(name), value)
            if message is not None:
                found[name.key] = message
        return MappingProxyType(found)

    def put_all(self, entries: Mapping[NamespacedKey, bytes]) -> None:
        """Set several keys: all of them or none, if they are one append. Raises `AppendRefused`."""
        with self._caught_up():
            self._append([_event(_named(key), value) for key, value in entries.items()])

    def delete_all(self, keys: Iterable[NamespacedKey]) -> None:
        with self._caught_up():
            self._append([event for key in keys for event in self._deletes(_named(key))])

    def write(self, messages: Iterable[Message]) -> None:
        """Write messages in order: all of them or none, if they are one append. Raises `AppendRefused`.

        A `Delete` deletes its key in every spelling that was live before the call.
        """
        with self._caught_up():
            self._append([event for message in messages for event in self._events_of(message)])

    def update(self, change: Change, *namespaces: str, undoes: bool = False) -> None:
        """Atomically read some namespaces (or all) and write the changes that ``change`` returns, in their order.

        ``change`` must have no side effects: it is called again if others write at the same time. On a log without
        conditional appends (Kafka), a concurrent write is only detected afterwards and then written again; it is lost
        if the process is killed in between. With ``undoes``, an error of a later call undoes what the earlier ones
        have written. Raises `AppendRefused`, and what ``change`` raises.
        """
        with self._caught_up():
            base = {name: value for each in namespaces or (None,) for name, value in self._state.items(each)}
            touched: dict[NamespacedKey, bytes | None] = {}
            own: set[int] = set()
            others: Mapping[NamespacedKey, bytes | None] | None = {}
            while others is not None:
                base = {
                    name: value
                    for name, value in {**base, **others}.items()
                    if value is not None and (not namespaces or name.namespace in namespaces)
                }
                changes: dict[NamespacedKey, bytes | None] = {}
                refusal: Exception | None = None
                try:
                    changes = {_named(name): value for name, value in change(MappingProxyType(base)).items()}
                except Exception as error:
                    if not undoes:
                        raise
                    refusal = error
                touched = {**{name: base.get(name) for name in touched if name not in changes}, **changes}
                others = self._append_alone(self._events(touched), own)
                if others is None and refusal is not None:
                    raise refusal

    def close(self) -> None:
        """Close the store. The log stays open."""
        with self._lock:
            self._is_ready = False
            self._state, self._messages = KeyedState(_keep_bytes), {}
            self._position = 0

    def __enter__(self) -> Self:
        self.init()
        return self

    @contextmanager
    def _caught_up(self) -> Iterator[None]:
        with self._lock:
            if not self._is_ready:
                raise NotReady(f"the store of {self._log.stream_name}", "is not open", "call init() first")
            for _ in self._applied(end_after(self._log, self._position)):
                pass
            yield

    def _read_between(self, end: int, own: Container[int]) -> Mapping[NamespacedKey, bytes | None]:
        """Read to an offset, as far as it is visible, and return the current values of keys that others wrote."""
        if self._position >= end:
            return {}
        applied = self._applied(min(end, self._log.end_offset()))
        names = dict.fromkeys(name for offset, name in applied if offset not in own)
        return {name: self._state.get(name) for name in names}

    def _applied(self, end: int) -> Iterator[tuple[int, NamespacedKey]]:
        """Apply the events up to an offset, and yield their offsets and names. Must be exhausted."""
        if self._position < end:
            for event in self._log.read(self._position, end):
                if (name := self._apply(event)) is not None:
                    yield event.offset, name
                else:
                    text = "Ignoring the event at offset %d of %s: its key cannot be read."
                    _logger.warning(text, event.offset, self._log.stream_name)
            self._position = end

    def _apply(self, event: RecordedEvent) -> NamespacedKey | None:
        name, self._position = self._state.apply(event), event.offset + 1
        if name is not None and name.namespace in self._messages:
            self._messages[name.namespace].apply(event)
        return name

    def _messages_of(self, namespace: str) -> KeyedState[Message]:
        """The messages of a namespace, which the log is read for if some keys have no readable value."""
        if namespace not in self._messages:
            live, found = self._state, KeyedState[Message](self._decode)
            for name, _ in live.items(namespace):
                for key, value in live.spellings(name).items():
                    found.apply(RecordedEvent(0, 0, LOG_APPEND_TIME, key, value))
            names = (name for name, _ in live.items(namespace))
            lacking = {name for name in names if len(found.spellings(name)) < len(live.spellings(name))}
            for event in self._log.read(0, self._position) if lacking else ():
                if read_name(event.key) in lacking:
                    found.apply(event)
            self._messages[namespace] = found
        return self._messages[namespace]

    def _decode(self, key: bytes, value: bytes) -> Message | None:
        try:
            return decode_value(key, value)
        except WireError as error:
            if (key, value) not in self._unreadable:
                self._unreadable.add((key, value))
                kind = decode_key(key).message_type
                _logger.warning("Ignoring a value of %s in %s: %s", kind, self._log.stream_name, error)
            raise

    def _deletes(self, name: NamespacedKey) -> Sequence[NewEvent]:
        return [written_event(name.namespace, key, None) for key in self._state.spellings(name) or [encode_name(name)]]

    def _events_of(self, message: Message) -> Sequence[NewEvent]:
        name = _named(NamespacedKey(message.message_type, message.key))
        value = encode_message(message)[1]
        return self._deletes(name) if value is None else [_event(name, value)]

    def _append(self, events: Sequence[NewEvent]) -> None:
        for part in split_into_parts(events):
            self._apply_own(self._log.append(part), part)

    def _append_alone(self, events: Sequence[NewEvent], own: set[int]) -> Mapping[NamespacedKey, bytes | None] | None:
        """Append events; None if there was no concurrent write. Otherwise stop, and return what others wrote.

        ``own`` are the offsets appended so far, which may be read later, between the events of others.
        """
        is_conditional = self._log.has_conditional_append
        for part in split_into_parts(events):
            try:
                offsets = self._log.append(part, expected_offset=self._position if is_conditional else None)
            except AppendConflict:
                return self._read_between(self._log.end_offset(), own)
            others = self._read_between(offsets.start, own)
            self._apply_own(offsets, part)
            own.update(offsets)
            if others:
                return others
        return None

    def _events(self, changes: Mapping[NamespacedKey, bytes | None]) -> Sequence[NewEvent]:
        """The events that make changes, without values that are already current."""
        events: list[NewEvent] = []
        for name, value in changes.items():
            if value is not None and value != self._state.get(name):
                events.append(_event(name, value))
            elif value is None:
                events += [written_event(name.namespace, key, None) for key in self._state.spellings(name)]
        return events

    def _apply_own(self, offsets: range, events: Sequence[NewEvent]) -> None:
        """Apply events that were appended here, unless those of others come before them: then all are read in order."""
        if offsets == range(self._position, self._position + len(events)):
            for offset, event in zip(offsets, events, strict=True):
                self._apply(RecordedEvent(offset, 0, LOG_APPEND_TIME, event.key, event.value))


def _keep_bytes(_key: bytes, value: bytes) -> bytes:
    return value


def _event(name: NamespacedKey, value: bytes) -> NewEvent:
    if not isinstance(value, bytes):
        raise TypeError(f"a value must be bytes, not {type(value).__name__}; to remove a key, delete it")
    return written_event(name.namespace, encode_name(name), value)


def _named(key: NamespacedKey) -> NamespacedKey:
    return canonical(NamespacedKey(*key))
