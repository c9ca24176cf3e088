"""An event log in memory, for tests and experiments."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from types import TracebackType
from typing import Final, Self

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import AppendConflict, Capabilities, Clock, recorded, system_clock
from eventlog.streams import StreamIdentity, StreamKind


class MemoryEventLog:
    """Keeps every event as long as the object exists. Thread-safe."""

    capabilities: Final = Capabilities(can_append=True, keeps_superseded_events=True, conditional_append=True)

    def __init__(self, stream: StreamIdentity, *, clock: Clock = system_clock) -> None:
        self._stream = stream
        self._clock = clock
        self._lock = Lock()
        self._events: list[RecordedEvent] = []

    @property
    def stream_name(self) -> str:
        """The name of the stream."""
        return self._stream.stream_name

    @property
    def stream_kind(self) -> StreamKind:
        """Whether it is a coordinator stream or a checkpoint topic."""
        return self._stream.stream_kind

    @property
    def stream_id(self) -> str | None:
        """None: the log has no name outside of its object."""
        return None

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`."""
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
        """See `EventLog.read`."""
        end = len(self._events)
        offsets = range(max(first, 0), end if until is None else min(until, end))
        return (self._events[offset] for offset in offsets)

    def start_offset(self) -> int:
        """See `EventLog.start_offset`: always 0."""
        return 0

    def end_offset(self) -> int:
        """See `EventLog.end_offset`."""
        return len(self._events)

    def close(self) -> None:
        """Do nothing: the events exist as long as the object."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
