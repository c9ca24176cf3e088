"""The store of all that a job's coordinator stream says (CoordinatorStreamStore of Samza; seeds 000 and 001)."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from types import MappingProxyType, TracebackType
from typing import Final, Self

from eventlog.errors import WireError
from eventlog.events import LOG_APPEND_TIME, NewEvent, RecordedEvent
from eventlog.log import AppendConflict, EventLog
from eventlog.messages import Delete, Message
from eventlog.source import OffsetLost
from eventlog.wire.coordinator import decode_key, decode_message, encode_message
from managers.appending import split_into_parts
from managers.errors import NotReady
from managers.stores.keyed_state import KeyedState
from managers.stores.namespaced_key import NamespacedKey, canonical, read_name, spelled

Change = Callable[[Mapping[NamespacedKey, bytes]], Mapping[NamespacedKey, bytes | None]]
"""Gives, for keys with their values, those of the same namespaces to be set, each with its value, or deleted (None)."""


class CoordinatorStreamStore:
    """The newest value of each key of a coordinator stream, as bytes; a `MetadataStore` of namespaced keys.

    Each read first catches up with the log, so that it shows what this program and all others wrote. Each write is
    acknowledged by the log before it returns. Safe for threads. A context manager; the log stays the caller's.

    What asks the log raises as the log does, and `OffsetLost` where the log was made again since and is shorter.
    """

    def __init__(self, log: EventLog) -> None:
        self._log: Final = log
        self._lock: Final = RLock()
        self._state: KeyedState[bytes] = KeyedState(_as_it_is)
        self._position = 0
        self._is_ready = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._log.stream_name} read to offset {self._position}>"

    @property
    def position(self) -> int:
        """The offset of the log that is to be read next."""
        return self._position

    def init(self) -> None:
        """Read the log to its end as it is now; once, more often does no harm."""
        with self._lock:
            if not self._is_ready:
                self._is_ready = True
                self._catch_up()

    def get(self, key: NamespacedKey) -> bytes | None:
        """The value of a key; None: it has none."""
        with self._caught_up():
            return self._state.get(_named(key))

    def all(self, namespace: str | None = None) -> Mapping[NamespacedKey, bytes]:
        """The keys of a namespace or of all with their values, as they are now; can't be changed."""
        with self._caught_up():
            return MappingProxyType(dict(self._state.items(namespace)))

    def messages(self, namespace: str) -> Mapping[str, Message]:
        """What the keys of a namespace say, by key.

        As the relations show it: a value that says that the key is deleted is none, and where the newest value can't
        be read, the last readable one that the log still has stands.
        """
        with self._caught_up():
            readable = self._readable(namespace)
        return MappingProxyType({name.key: message for name, message in readable.items(namespace)})

    def put(self, key: NamespacedKey, value: bytes) -> None:
        """Set a key."""
        self.put_all({key: value})

    def put_all(self, entries: Mapping[NamespacedKey, bytes]) -> None:
        """Set some keys: all of them or none, unless they are more than half a megabyte.

        Raises:
            AppendRefused: the log takes no such events.
        """
        self._append([NewEvent(spelled(_named(key)), _checked(value)) for key, value in entries.items()])

    def delete(self, key: NamespacedKey) -> None:
        """Delete a key, in every spelling that lives."""
        self.delete_all([key])

    def delete_all(self, keys: Iterable[NamespacedKey]) -> None:
        """Delete some keys, in every spelling that lives."""
        with self._caught_up():
            self._append([event for key in keys for event in self._deletes(_named(key))])

    def write(self, messages: Iterable[Message]) -> None:
        """Write messages in their order: all of them or none, unless they are more than half a megabyte.

        A `Delete` ends its key in every spelling that lived before the call.

        Raises:
            AppendRefused: the log takes no such events.
        """
        with self._caught_up():
            self._append([event for message in messages for event in self._events_of(message)])

    def update(self, change: Change, *namespaces: str) -> None:
        """Write what ``change`` makes of some namespaces (or of all) as they are now, as if nobody wrote meanwhile.

        ``change`` gives values to be set and None for keys to be deleted; they are written in its order, all or none
        of them unless they are more than half a megabyte. It is asked anew where others wrote at the same time, so it
        does nothing but answer. Where a log has no conditional appends (Kafka), that shows only afterwards: what
        others wrote is then put in place again, and lost only if the program is killed between the two.

        Raises:
            AppendRefused: the log takes no such events.
        """
        with self._caught_up():
            base = {name: value for each in namespaces or (None,) for name, value in self._state.items(each)}
            touched: dict[NamespacedKey, bytes | None] = {}
            own: set[int] = set()
            others: Mapping[NamespacedKey, bytes | None] | None = {}
            while others is not None:
                _overlay(base, others, namespaces)
                made = {_named(name): value for name, value in change(MappingProxyType(base)).items()}
                touched = {**{name: base.get(name) for name in touched if name not in made}, **made}
                others = self._append_alone(self._events(touched), own)

    def flush(self) -> None:
        """Do nothing: what was written is acknowledged."""

    def close(self) -> None:
        """End: nothing is read or written any more."""
        with self._lock:
            self._is_ready = False
            self._state = KeyedState(_as_it_is)
            self._position = 0

    def __enter__(self) -> Self:
        self.init()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _ready(self) -> Iterator[None]:
        with self._lock:
            if not self._is_ready:
                raise NotReady(f"the store of {self._log.stream_name}", "is not open", "call init() first")
            yield

    @contextmanager
    def _caught_up(self) -> Iterator[None]:
        with self._ready():
            self._catch_up()
            yield

    def _catch_up(self) -> None:
        """Read on to where the log ends now; one that ends before what was read was made again, or cut."""
        end = self._log.end_offset()
        if end < self._position:
            raise OffsetLost(self._log.stream_name, self._position)
        for _ in self._applied(end):
            pass

    def _read_between(self, end: int, own: Container[int]) -> Mapping[NamespacedKey, bytes | None]:
        """Read on to an offset, as far as the log shows it yet, and give what the keys are now that others wrote of."""
        if self._position >= end:
            return {}
        applied = self._applied(min(end, self._log.end_offset()))
        names = dict.fromkeys(name for offset, name in applied if offset not in own)
        return {name: self._state.get(name) for name in names}

    def _applied(self, end: int) -> Iterator[tuple[int, NamespacedKey]]:
        """The offsets and names of events up to an offset, each taken in; the end says how far it was read."""
        if self._position < end:
            for event in self._log.read(self._position, end):
                name = self._state.apply(event)
                self._position = event.offset + 1
                if name is not None:
                    yield event.offset, name
            self._position = end

    def _deletes(self, name: NamespacedKey) -> Sequence[NewEvent]:
        living = [spelling.key_bytes for spelling in self._state.living(name)] or [spelled(name)]
        return [NewEvent(key, None) for key in living]

    def _events_of(self, message: Message) -> Sequence[NewEvent]:
        name = _named(NamespacedKey(message.message_type, message.key))
        value = encode_message(message)[1]
        return self._deletes(name) if value is None else [NewEvent(spelled(name), value)]

    def _append(self, events: Sequence[NewEvent]) -> None:
        with self._ready():
            for part in split_into_parts(events):
                self._take_in(self._log.append(part), part)

    def _append_alone(self, events: Sequence[NewEvent], own: set[int]) -> Mapping[NamespacedKey, bytes | None] | None:
        """Append events; None: they are there, and nobody wrote between. Else what others wrote, and it stops there.

        ``own`` are the offsets of what was appended so far: they may be read only later, among what others wrote.
        """
        is_conditional = self._log.capabilities.conditional_append
        for part in split_into_parts(events):
            try:
                offsets = self._log.append(part, expected_offset=self._position if is_conditional else None)
            except AppendConflict:
                return self._read_between(self._log.end_offset(), own)
            others = self._read_between(offsets.start, own)
            self._take_in(offsets, part)
            own.update(offsets if len(offsets) == len(part) else ())
            if others:
                return others
        return None

    def _events(self, changes: Mapping[NamespacedKey, bytes | None]) -> Sequence[NewEvent]:
        """What makes keys what they are to be, and are not yet."""
        events: list[NewEvent] = []
        for name, value in changes.items():
            if value is not None and value != self._state.get(name):
                events.append(NewEvent(spelled(name), _checked(value)))
            elif value is None:
                events += [NewEvent(spelling.key_bytes, None) for spelling in self._state.living(name)]
        return events

    def _take_in(self, offsets: range, events: Sequence[NewEvent]) -> None:
        """Know at once what was written here: an open transaction of others may hide it from a read for a while."""
        if len(offsets) != len(events):
            return  # events of others stand between: they are read in their order
        for offset, event in zip(offsets, events, strict=True):
            is_next = offset == self._position
            self._state.apply(_as_recorded(offset, event.key, event.value), is_ahead=not is_next)
            self._position += is_next

    def _readable(self, namespace: str) -> KeyedState[Message]:
        """What the values say, read again from the log where one can't be read."""
        unreadable: set[bytes] = set()

        def read(key: bytes, value: bytes) -> Message | None:
            try:
                return decode_value(key, value)
            except WireError:
                unreadable.add(key)
                raise

        state: KeyedState[Message] = KeyedState(read)
        for name, _ in self._state.items(namespace):
            self._apply_living(state, name)
        self._read_again(state, unreadable)
        return state

    def _apply_living(self, state: KeyedState[Message], name: NamespacedKey, first: int = -1) -> None:
        """Let a state know a key's spellings from an offset on, the oldest first."""
        for held in reversed(self._state.living(name)):
            if held.offset >= first:
                state.apply(_as_recorded(held.offset, held.key_bytes, held.value))

    def _read_again(self, state: KeyedState[Message], unreadable: set[bytes]) -> None:
        """Let a state know all that the log has of keys whose newest value can't be read in one of their spellings."""
        names = {found[0] for key in unreadable if (found := read_name(key)) is not None}
        for name in names:
            state.forget(name)
        for event in self._log.read(0, self._position) if names else ():
            found = None if event.key is None else read_name(event.key)
            if found is not None and found[0] in names:
                state.apply(event)
        for name in names:
            self._apply_living(state, name, self._position)  # what was written here and is not to be read yet


def decode_value(key: bytes, value: bytes) -> Message | None:
    """What a value says; None: that its key is deleted. Raises `WireError`."""
    message = decode_message(decode_key(key), value)
    return None if isinstance(message, Delete) else message


def _as_it_is(_key: bytes, value: bytes) -> bytes:
    return value


def _as_recorded(offset: int, key: bytes | None, value: bytes | None) -> RecordedEvent:
    return RecordedEvent(offset, 0, LOG_APPEND_TIME, key, value)


def _named(key: NamespacedKey) -> NamespacedKey:
    return canonical(NamespacedKey(*key))


def _overlay(
    base: dict[NamespacedKey, bytes], changes: Mapping[NamespacedKey, bytes | None], namespaces: Sequence[str]
) -> None:
    for name, value in changes.items():
        if value is None:
            base.pop(name, None)
        elif not namespaces or name.namespace in namespaces:
            base[name] = value


def _checked(value: bytes) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"a value is bytes, not {type(value).__name__}: to end a key, delete it")
    return value
