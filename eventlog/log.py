"""An event log: what was said, in order, whatever keeps it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Protocol, Self

from eventlog.errors import EventLogError
from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, NewEvent, RecordedEvent
from eventlog.streams import StreamKind
from eventlog.timestamps import ms_of

Clock = Callable[[], datetime]

_TIMES: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a log can do.

    ``keeps_superseded_events``: an event stays when its key is written again (a compacted topic drops it);
    ``conditional_append``: ``append`` honours ``expected_offset``.
    """

    can_append: bool
    keeps_superseded_events: bool
    conditional_append: bool


class EventLog(Protocol):
    """One log, from its first event that is kept to its end. Offsets rise; there may be gaps between them.

    A context manager that closes the log.
    """

    @property
    def stream_name(self) -> str:
        """The stream that this is the log of."""

    @property
    def stream_kind(self) -> StreamKind:
        """Whether it is a coordinator stream or a checkpoint topic."""

    @property
    def capabilities(self) -> Capabilities:
        """What this log can do."""

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """Append all of the events or none, and give their offsets.

        An event without a timestamp gets the time of the log's clock. With ``expected_offset`` nothing is appended
        unless that is the log's end.

        Raises:
            AppendConflict: the log's end is not ``expected_offset``.
            AppendRefused: the log cannot append, or not under a condition.
            ValueError: a timestamp has more than 64 bits.
        """

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """Events in offset order from ``first`` to before ``until``, none from beyond the end as it was at the call."""

    def start_offset(self) -> int:
        """The offset of the first event that is kept; of an empty log, its end."""

    def end_offset(self) -> int:
        """The offset that the next event will have."""

    def close(self) -> None:
        """Give up what the log holds open."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class LogExists(EventLogError):
    """The stream that was to be made is there already, and was left as it is."""


class AppendConflict(EventLogError):
    """Another writer was faster: the log does not end where the writer thought."""

    def __init__(self, stream_name: str, expected_offset: int, end_offset: int) -> None:
        self.stream_name = stream_name
        self.expected_offset = expected_offset
        self.end_offset = end_offset
        super().__init__(
            f"{stream_name} ends at offset {end_offset}, not at {expected_offset}: "
            "read what has been added, and append again if it still holds"
        )


class AppendRefused(EventLogError):
    """The log cannot be appended to in this way."""

    def __init__(self, stream_name: str, reason: str) -> None:
        self.stream_name = stream_name
        super().__init__(f"nothing can be appended to {stream_name}: {reason}")


def system_clock() -> datetime:
    """The time now."""
    return datetime.now(UTC)


def recorded(events: Sequence[NewEvent], first: int, now: datetime) -> list[RecordedEvent]:
    """The events as a log records them from offset ``first`` on; those without a timestamp get ``now``.

    Raises:
        ValueError: a timestamp has more than 64 bits.
    """
    return [_recorded(event, offset, now) for offset, event in enumerate(events, first)]


def _recorded(event: NewEvent, offset: int, now: datetime) -> RecordedEvent:
    key, value, timestamp, headers = event
    if timestamp is None:
        return RecordedEvent(offset, ms_of(now), LOG_APPEND_TIME, key, value, tuple(headers))
    check_timestamp(event)
    return RecordedEvent(offset, timestamp, CREATE_TIME, key, value, tuple(headers))


def check_timestamp(event: NewEvent) -> None:
    """Raise ValueError where an event's timestamp has more than 64 bits."""
    if event.timestamp is not None and event.timestamp not in _TIMES:
        raise ValueError(f"a timestamp must be milliseconds in 64 bits, not {event.timestamp}")
