"""The values of a coordinator stream as messages, with unreadable ones replaced by earlier ones from the log."""

from collections.abc import Callable, Iterable

from eventlog.errors import WireError
from eventlog.events import LOG_APPEND_TIME, RecordedEvent
from eventlog.messages import Delete, Message
from eventlog.wire.coordinator import decode_key, decode_message
from managers.stores.keyed_state import KeyedState
from managers.stores.namespaced_key import NamespacedKey, read_name

ReadLog = Callable[[], Iterable[RecordedEvent]]
"""The events of the log as far as the raw values were read."""


def decode_value(key: bytes, value: bytes) -> Message | None:
    """The message of a value; None if the value means a delete. Raises `WireError`."""
    message = decode_message(decode_key(key), value)
    return None if isinstance(message, Delete) else message


def decode_namespace(raw: KeyedState[bytes], namespace: str, position: int, read_log: ReadLog) -> KeyedState[Message]:
    """The messages of a namespace. Without an unreadable value the log is not read.

    ``position`` is the next offset to read; events that were appended here may be beyond it.
    """
    unreadable: set[bytes] = set()

    def read(key: bytes, value: bytes) -> Message | None:
        try:
            return decode_value(key, value)
        except WireError:
            unreadable.add(key)
            raise

    state: KeyedState[Message] = KeyedState(read)
    for name, _ in raw.items(namespace):
        _apply_live(state, raw, name)
    names = {found[0] for key in unreadable if (found := read_name(key)) is not None}
    if names:
        _read_again(state, names, read_log())
        for name in names:
            _apply_live(state, raw, name, position)  # appended here, and not visible on the log yet
    return state


def _apply_live(state: KeyedState[Message], raw: KeyedState[bytes], name: NamespacedKey, first: int = -1) -> None:
    """Apply a key's live spellings from an offset on, the oldest first."""
    for spelling in reversed(raw.live_spellings(name)):
        if spelling.offset >= first:
            state.apply(RecordedEvent(spelling.offset, 0, LOG_APPEND_TIME, spelling.key_bytes, spelling.value))


def _read_again(state: KeyedState[Message], names: set[NamespacedKey], events: Iterable[RecordedEvent]) -> None:
    """Apply all events of these keys, whose values include an unreadable one in one of their spellings."""
    for name in names:
        state.forget(name)
    for event in events:
        found = None if event.key is None else read_name(event.key)
        if found is not None and found[0] in names:
            state.apply(event)
