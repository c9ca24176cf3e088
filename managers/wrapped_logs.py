"""Logs around other logs, and appends: by whom, in parts that a log accepts, and how long they are retried."""

import getpass
import logging
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Final

from eventlog.backoff import Backoff, RetryDeadline, no_jitter
from eventlog.errors import StreamKindError
from eventlog.events import HOST_HEADER, USERNAME_HEADER, Headers, NewEvent, RecordedEvent, batches
from eventlog.log import AppendConflict, EventLog
from eventlog.source import Closing
from eventlog.streams import StreamKind
from eventlog.wire.coordinator import ENVELOPED_TYPES
from managers.errors import Startable

LogOrOpener = EventLog | Callable[[], EventLog]
"""A log, which its owner closes, or a function that opens one."""


def require_kind(log: EventLog, kind: StreamKind) -> None:
    """Raise StreamKindError if the log is of the other kind: Samza would not start with our messages on it."""
    if log.stream_kind != kind:
        expected = "the coordinator stream" if kind == "coordinator" else "the checkpoint topic"
        raise StreamKindError(f"{log.stream_name} is not {expected} of a job. Pass the log that is.")


class LazyLog(Closing):
    """Opens a log when it is first needed, and closes only a log that it opened."""

    def __init__(self, log: LogOrOpener, kind: StreamKind | None = None) -> None:
        self._log_or_opener: Final = log
        self._kind: Final = kind
        self._log: EventLog | None = None

    def open(self) -> EventLog:
        """Return the log, opening it if necessary. Raises what the opener raises, and StreamKindError."""
        if self._log is None:
            self._log = self._log_or_opener() if callable(self._log_or_opener) else self._log_or_opener
        if self._kind is not None:
            require_kind(self._log, self._kind)
        return self._log

    @contextmanager
    def use(self) -> Iterator[EventLog]:
        """The log, for one operation. If that fails, it is closed, so that the next one opens the log again."""
        try:
            yield self.open()
        except Exception:
            with suppress(Exception):  # a log that failed may also fail to close
                self.close()
            raise

    def close(self) -> None:
        """Close the log if it was opened here. Safe to call again; `open` then opens a new one."""
        log, self._log = self._log, None
        if log is not None and callable(self._log_or_opener):
            log.close()


class StreamClient(Startable):
    """Opens a log at the start and again after a failed call, and closes it if it opened it. Thread-safe."""

    def __init__(self, log: LogOrOpener, kind: StreamKind = "coordinator") -> None:
        self._lazy_log: Final = LazyLog(log, kind)
        self._lock: Final = RLock()

    def start(self) -> None:
        """Open the log. Does nothing when called again."""
        with self._lock:
            self._lazy_log.open()
            self._is_running = True

    def stop(self) -> None:
        """Close the log if it was opened here. Safe to call before `start` and again."""
        self._is_running = False  # without the lock, so that a write that is retried in another thread gives up
        with self._lock:
            self._is_running = False  # a start in another thread may have finished since
            with suppress(Exception):  # a log that failed may also fail to close
                self._lazy_log.close()

    @contextmanager
    def _use(self) -> Iterator[EventLog]:
        with self._lock:
            self._require_running()
            with self._lazy_log.use() as log:
                yield log


class DelegatingLog(LazyLog):
    """Passes every call of the `EventLog` interface on to a log; `close` closes it only if it was opened here.

    With a function that opens the log, the log is opened again after a call of it has failed: a log in Postgres stays
    useless when its session has ended. Raises what that function raises.
    """

    def __init__(self, log: LogOrOpener) -> None:
        super().__init__(log)
        opened = self.open()
        self.stream_name: Final = opened.stream_name
        self.stream_kind: Final = opened.stream_kind
        self.stream_id: Final = opened.stream_id
        self.has_conditional_append = opened.has_conditional_append

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        with self.use() as log:
            return log.append(events, expected_offset=expected_offset)

    @contextmanager
    def exclude_writers(self) -> Iterator[None]:
        with self.use() as log, log.exclude_writers():
            yield

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        with self.use() as log:
            yield from log.read(first, until)

    def start_offset(self) -> int:
        with self.use() as log:
            return log.start_offset()

    def end_offset(self) -> int:
        with self.use() as log:
            return log.end_offset()


class FencedLog(DelegatingLog):
    """Calls ``require_lock`` before each append, which raises if this process has lost the job's lock.

    A process may be suspended after that, while another one coordinates the job. On a log with conditional appends, its
    append then fails if the other one has written, and the lock is checked again. On Kafka, that append is written.
    """

    def __init__(self, log: EventLog, require_lock: Callable[[], object]) -> None:
        super().__init__(log)
        self._require_lock: Final = require_lock

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. Raises what ``require_lock`` raises; nothing was appended then."""
        if expected_offset is not None or not self.has_conditional_append:
            self._require_lock()
            return super().append(events, expected_offset=expected_offset)
        while True:
            end = self.end_offset()
            self._require_lock()
            with suppress(AppendConflict):  # by a container, an operator or another coordinator
                return super().append(events, expected_offset=end)


PART_BYTES: Final = 500_000
PART_EVENTS: Final = 2_000
"""Less than the topics of any Samza job accept at once (``max.message.bytes``, at least 1,000,012), with headers."""

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


def split_into_parts(events: Iterable[NewEvent]) -> Iterator[list[NewEvent]]:
    """The events in parts that a log accepts; a larger event is a part of its own."""
    return batches(events, PART_EVENTS, PART_BYTES)


@dataclass(frozen=True, slots=True)
class Retry:
    """How long a write is retried, in seconds; the last try may take 30 s more. Defaults as in Samza (SAMZA-1572)."""

    longest: float = 900
    first_pause: float = 2
    longest_pause: float = 10
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep

    def begin(self) -> RetryDeadline:
        pauses = Backoff(no_jitter, first_seconds=self.first_pause, longest_seconds=self.longest_pause)
        return RetryDeadline(self.longest, pauses, clock=self.clock, sleep=self.sleep)
