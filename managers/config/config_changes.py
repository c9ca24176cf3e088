"""Changes of a running job's config, in order, each once (seed 001: dynamic configuration)."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from threading import RLock
from typing import Final, NamedTuple

from eventlog.events import RecordedEvent
from eventlog.log import EventLog
from eventlog.messages import Message, SetConfig
from managers.stores.coordinator_store import decode_value
from managers.stores.keyed_state import KeyedState
from managers.stores.namespaced_key import read_name


class ConfigChange(NamedTuple):
    """A config key that got another value at an offset of the log; None: it was not set, or is not any more."""

    log_offset: int
    config_key: str
    old_value: str | None
    new_value: str | None


class ConfigSubscription:
    """Tells what changes in a job's config from now on, or from a position that was told before.

    A deployment that sets a key to the value it has changes nothing. Where the log has forgotten superseded events,
    changes between them are not told: the last one is. Safe for threads.
    """

    def __init__(self, log: EventLog, keys: Iterable[str] = ("*",), *, position: int | None = None) -> None:
        """``keys``: as a shell matches them, such as ``task.*``. ``position``: a former subscription's `position`."""
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
        """The offset before which every change was told: keep it, to go on from there in another program."""
        return self._position

    def poll(self) -> tuple[ConfigChange, ...]:
        """The changes since the last call, up to where the log ends now, in order; empty if there are none."""
        with self._lock:
            end = self._log.end_offset()
            events = list(self._log.read(self._position, end)) if self._position < end else []
            self._position = max(self._position, end)
            return tuple(change for event in events for change in self._change(event))

    def _change(self, event: RecordedEvent) -> list[ConfigChange]:
        """What an event changes in what the job's config shows."""
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
