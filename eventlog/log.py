"""The interface of an event log with its errors, and a log in memory."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from threading import Lock
from types import TracebackType
from typing import Final, Protocol, Self

from eventlog.errors import EventLogError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, NewEvent, RecordedEvent
from eventlog.partition import INT64, is_int_within
from eventlog.source import DATABASE, Closing, OffsetLost
from eventlog.streams import StreamIdentity, StreamKind
from eventlog.timestamps import ms_of

Clock = Callable[[], datetime]


class EventLog(Protocol):
    """One log, from the first retained event to its end. Offsets increase and may have gaps. A context manager."""

    @property
    def stream_name(self) -> str:
        """The name of the stream."""

    @property
    def stream_kind(self) -> StreamKind:
        """Whether it is a coordinator stream or a checkpoint topic."""

    @property
    def stream_id(self) -> str | None:
        """Differs if the stream is created again with the same name; None if that is unknown."""

    @property
    def has_conditional_append(self) -> bool:
        """Whether ``append`` supports ``expected_offset``."""

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """Append all of the events or none, and return their offsets.

        An event without a timestamp gets the time of the log's clock. With ``expected_offset`` the events are appended
        only if the log ends there. Raises `AppendConflict`: the log's end is not ``expected_offset``; `AppendRefused`:
        the log does not support appends, or conditional appends; `ValueError`, `TypeError`: as `check_append`.
        """

    def exclude_writers(self) -> AbstractContextManager[None]:
        """Let no one else append inside the context, and undo what was appended in it if it ends with an exception.

        Without effect on a log that does not support conditional appends, and in memory. Raises `AppendRefused`: the
        log does not support appends.
        """

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """Events in offset order from ``first`` to before ``until``, and none after the end of the log at the call."""

    def start_offset(self) -> int:
        """The offset of the first event that is retained; the end if the log is empty."""

    def end_offset(self) -> int:
        """The offset that the next event will have."""

    def close(self) -> None:
        """Close the connections and files of the log."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class StreamExists(EventLogError):
    """The stream to create already exists; it was not changed."""

    def __init__(self, stream_name: str, place: str) -> None:
        self.stream_name = stream_name
        noun = "stream" if place == DATABASE else "topic"
        super().__init__(f"{place} already has a {noun} {stream_name}. Use it, or check the name.")


class AppendConflict(EventLogError):
    """The log does not end at the expected offset, because another writer has appended to it."""

    def __init__(self, stream_name: str, expected_offset: int, end_offset: int) -> None:
        self.stream_name = stream_name
        self.expected_offset = expected_offset
        self.end_offset = end_offset
        super().__init__(
            f"{stream_name} ends at offset {end_offset}, not at {expected_offset}. "
            "Read the new events, and append again if that is still correct."
        )


class AppendRefused(EventLogError):
    def __init__(self, stream_name: str, reason: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"Cannot append to {stream_name}: {reason}.")


def end_after(log: EventLog, position: int, stream_id: str | None = None) -> int:
    """The end of a log that was read up to ``position``. Raises `OffsetLost`: it ends before, or has another id."""
    end = log.end_offset()
    if end < position or stream_id not in (None, log.stream_id):
        raise OffsetLost(log.stream_name, position)
    return end


def system_clock() -> datetime:
    return datetime.now(UTC)


def recorded(events: Sequence[NewEvent], first: int, now: datetime) -> list[RecordedEvent]:
    """The events as recorded from offset ``first`` on, without a timestamp at ``now``."""
    at_append = ms_of(now), LOG_APPEND_TIME
    return [
        RecordedEvent(offset, *(at_append if ms is None else (ms, CREATE_TIME)), key, value, tuple(headers))
        for offset, (key, value, ms, headers) in enumerate(events, first)
    ]


def check_append(events: Sequence[NewEvent], expected_offset: int | None) -> None:
    """Raise TypeError if the events are no list, or a key or value is no bytes; ValueError for invalid numbers."""
    if not isinstance(events, Sequence):  # a generator would be empty afterwards
        raise TypeError(f"the events of an append must be a list, not {type(events).__name__}")
    if not isinstance(expected_offset, int | None):
        raise ValueError(f"Invalid expected_offset {expected_offset!r}. Expected an integer, or None.")  # noqa: TRY004
    for event in events:
        for part in (event.key, event.value):
            if part is not None and not isinstance(part, bytes):
                raise TypeError(f"the key and the value of an event must be bytes or None, not {type(part).__name__}")
        if event.timestamp is not None and not is_int_within(INT64, event.timestamp):
            raise ValueError(f"Invalid timestamp {event.timestamp!r}. Expected milliseconds, an integer of 64 bits.")


class MemoryEventLog(Closing):
    """Keeps every event as long as the object exists. Thread-safe."""

    has_conditional_append: Final = True
    stream_id: Final = None

    def __init__(self, stream: StreamIdentity, *, clock: Clock = system_clock) -> None:
        self.stream_name: Final = stream.stream_name
        self.stream_kind: Final = stream.stream_kind
        self._clock = clock
        self._lock = Lock()
        self._events: list[RecordedEvent] = []

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        check_append(events, expected_offset)
        with self._lock:
            first = len(self._events)
            if expected_offset is not None and expected_offset != first:
                raise AppendConflict(self.stream_name, expected_offset, first)
            self._events += recorded(events, first, self._clock())
            return range(first, len(self._events))

    def exclude_writers(self) -> AbstractContextManager[None]:
        """See `EventLog.exclude_writers`: without effect."""
        return nullcontext()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        end = len(self._events)
        offsets = range(max(first, 0), end if until is None else min(until, end))
        return (self._events[offset] for offset in offsets)

    def start_offset(self) -> int:
        """See `EventLog.start_offset`: always 0."""
        return 0

    def end_offset(self) -> int:
        return len(self._events)

    def close(self) -> None:
        """Do nothing: the events exist as long as the object."""
