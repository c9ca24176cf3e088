"""ConfigSubscription: the changes of a job's config, each once and in order (dynamic configuration)."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from threading import RLock
from typing import Final, NamedTuple

from eventlog.events import RecordedEvent
from eventlog.log import EventLog, end_after
from eventlog.messages import Message, SetConfig
from managers.stores.keyed_state import KeyedState, decode_value
from managers.stores.namespaced_key import read_name


class ConfigChange(NamedTuple):
    """A config key whose value changed at an offset of the log; None: not set before, or deleted."""

    log_offset: int
    config_key: str
    previous_value: str | None
    config_value: str | None


class ConfigSubscription:
    """The changes of a job's config from now on, or from the `position` of an earlier subscription. Thread-safe.

    Setting a key to its current value is no change. Of compacted events, only the last change of a key is reported.
    """

    def __init__(self, log: EventLog, keys: Iterable[str] = ("*",), *, position: int | None = None) -> None:
        """``keys`` are shell patterns, such as ``task.*``. ``position`` is that of an earlier subscription."""
        if isinstance(keys, str):  # each letter would be a pattern
            raise TypeError(f"keys must be a list of patterns, not the string {keys!r}")
        self._log: Final = log
        self._patterns: Final = tuple(keys)
        self._lock: Final = RLock()
        self._state: KeyedState[Message] = KeyedState(decode_value)
        self._position = log.end_offset() if position is None else min(position, log.end_offset())
        for event in log.read(0, self._position):
            self._change(event)

    def __repr__(self) -> str:
        keys = ", ".join(self._patterns)
        return f"<{type(self).__name__} to {keys} of {self._log.stream_name} read to offset {self._position}>"

    @property
    def position(self) -> int:
        """The offset up to which changes were returned. Save it to continue in another process."""
        return self._position

    def poll(self) -> tuple[ConfigChange, ...]:
        """The changes since the last call, in order. Raises `OffsetLost` if the stream was created again."""
        with self._lock:
            end = end_after(self._log, self._position)
            events = list(self._log.read(self._position, end)) if self._position < end else []
            self._position = end
            return tuple(change for event in events for change in self._change(event))

    def _change(self, event: RecordedEvent) -> list[ConfigChange]:
        found = None if event.key is None else read_name(event.key)
        if found is None or found[0].namespace != SetConfig.message_type:
            return []
        name = found[0]
        old = _value(self._state.get(name))
        self._state.apply(event)
        new = _value(self._state.get(name))
        if old == new or not any(fnmatchcase(name.key, pattern) for pattern in self._patterns):
            return []
        return [ConfigChange(event.offset, name.key, old, new)]


def _value(message: Message | None) -> str | None:
    return message.config_value if isinstance(message, SetConfig) else None
