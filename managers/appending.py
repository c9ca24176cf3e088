"""Appends: events that name their writer, in parts that a log accepts, retried until they are acknowledged."""

import getpass
import logging
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Final

from eventlog.backoff import Backoff, RetryDeadline, no_jitter
from eventlog.events import HOST_HEADER, USERNAME_HEADER, Headers, NewEvent
from eventlog.log import AppendRefused, EventLog
from eventlog.source import StreamRefused
from eventlog.wire.coordinator import ENVELOPED_TYPES
from managers.errors import ManagerError
from managers.wrapped_logs import LazyLog

PART_BYTES: Final = 500_000
"""Less than the topics of any Samza job accept at once (``max.message.bytes``, at least 1,000,012)."""
PART_EVENTS: Final = 5_000

_EVENT_BYTES: Final = 64
_NO_LOCK: Final = nullcontext()
_PERMANENT: Final = (AppendRefused, StreamRefused, TypeError, ValueError)
"""Errors that are not retried."""
_logger: Final = logging.getLogger(__name__)


def written_event(message_type: str, key: bytes, value: bytes | None) -> NewEvent:
    """An event to append, with headers that name its writer unless its value has an envelope. Samza ignores them."""
    has_envelope = value is not None and message_type in ENVELOPED_TYPES
    return NewEvent(key, value, headers=() if has_envelope else _own_headers())


@cache
def host_address() -> str:
    """This host's address; empty if it has none, as in Samza."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except (OSError, UnicodeError):  # UnicodeError: the host name is too long to look up
        _logger.warning("The address of this host is unknown. The messages that it writes name no host.")
        return ""


@cache
def user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


@cache
def _own_headers() -> Headers:
    values = {HOST_HEADER: host_address(), USERNAME_HEADER: user_name()}
    return tuple((name, value.encode("utf-8", "replace")) for name, value in values.items() if value)


def append_in_parts(log: EventLog, events: Sequence[NewEvent]) -> list[range]:
    """Append events in order, in parts that any log accepts, and return the offsets of each part."""
    return [log.append(part) for part in split_into_parts(events)]


def split_into_parts(events: Sequence[NewEvent]) -> Iterator[Sequence[NewEvent]]:
    """Split events into parts of less than `PART_BYTES`; a larger event is a part of its own."""
    first = size = 0
    for at, event in enumerate(events):
        added = _EVENT_BYTES + len(event.key or b"") + len(event.value or b"")
        if at > first and (size + added > PART_BYTES or at - first == PART_EVENTS):
            yield events[first:at]
            first, size = at, 0
        size += added
    if events:
        yield events[first:]


@dataclass(frozen=True, slots=True)
class Retry:
    """How long a write is retried, in seconds, with pauses that double; by default as in Samza (SAMZA-1572)."""

    longest: float = 900
    first_pause: float = 2
    longest_pause: float = 10
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep

    def begin(self) -> RetryDeadline:
        pauses = Backoff(no_jitter, first_seconds=self.first_pause, longest_seconds=self.longest_pause)
        return RetryDeadline(self.longest, pauses, clock=self.clock, sleep=self.sleep)


class AppendGaveUp(ManagerError):
    """No append was acknowledged in the time allowed. The events may be on the log nevertheless."""

    def __init__(self, tries: int) -> None:
        self.tries = tries
        super().__init__(f"Cannot append: {tries} tries failed. Check why the log accepts no events, then try again.")


def append_with_retries(
    log: LazyLog,
    events: Sequence[NewEvent],
    retry: Retry,
    lock: AbstractContextManager[object] = _NO_LOCK,
    is_wanted: Callable[[], bool] = lambda: True,
) -> range:
    """Append all events or none, and return their offsets. Opens the log again after each failure (SAMZA-1638).

    ``lock`` is held during each try, but not in the pauses. ``is_wanted`` is called before and after each pause; when
    it returns false, the append gives up. Raises `AppendRefused` at once, and `AppendGaveUp`.
    """
    deadline = retry.begin()
    tries, failure = 0, None
    while True:
        with lock:
            if failure is not None and not is_wanted():
                raise AppendGaveUp(tries) from failure
            tries += 1
            try:
                with log.use() as opened:
                    return opened.append(events)
            except _PERMANENT:
                raise
            except Exception as error:
                failure = error
        if deadline.is_over or not is_wanted():
            raise AppendGaveUp(tries) from failure
        _logger.warning("Append failed (try %d, %s): retrying with a new connection.", tries, type(failure).__name__)
        deadline.wait()
