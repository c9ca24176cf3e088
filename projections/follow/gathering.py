"""Events that wait until they are a batch: many at a time in catch-up, each poll at once when live."""

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from eventlog.events import RecordedEvent
from eventlog.source import Read
from projections.projector import BATCH_EVENTS

BATCH_BYTES: Final = 64 << 20
GATHERED_BYTES: Final = 4 * BATCH_BYTES
"""What all streams together may hold back."""
PATIENCE_SECONDS: Final = 0.1
"""How long events wait for more of their stream while polls bring others only."""


class Batch(NamedTuple):
    """Events in offset order, and the offset to read next, which may lie beyond the last of them."""

    events: list[RecordedEvent]
    next_offset: int


class Gathering:
    """What was read of a stream and is not applied yet. ``since`` is when the first of it came, in seconds."""

    def __init__(self, next_offset: int) -> None:
        self.next_offset = next_offset
        self.bytes = 0
        self.since = 0.0
        self._events: list[RecordedEvent] = []
        self._is_waiting = False

    def add(self, read: Read, now: float) -> None:
        """Take what a poll brought."""
        if not self:
            self.since = now
        self._events.extend(read.events)
        self.bytes += _size(read.events)
        self.next_offset = read.next_offset
        self._is_waiting = True

    def __bool__(self) -> bool:
        return self._is_waiting

    @property
    def is_full(self) -> bool:
        """Whether it is as large as a batch may be."""
        return len(self._events) >= BATCH_EVENTS or self.bytes >= BATCH_BYTES

    def take(self) -> Batch:
        """The next batch, to be applied: all of it, unless more events wait than a batch may have."""
        rest = self._events[BATCH_EVENTS:]
        if rest:
            events, self._events = self._events[:BATCH_EVENTS], rest
            self.bytes = _size(rest)
            return Batch(events, events[-1].offset + 1)
        batch = Batch(self._events, self.next_offset)
        self._events, self.bytes, self._is_waiting = [], 0, False
        return batch


class Gatherer(Protocol):
    """A stream, as far as the choice of what to apply goes."""

    @property
    def stream_name(self) -> str: ...
    @property
    def gathering(self) -> Gathering: ...
    @property
    def is_live(self) -> bool: ...


def due_batches(streams: Iterable[Gatherer], read_names: set[str], now: float) -> list[str]:
    """The streams whose events are to be applied now; ``read_names`` are those that the last poll brought something of.

    Live ones at once. Others when their batch is full, when a poll brought nothing at all, when they waited long
    enough, and the largest one when all together hold back too much.
    """
    waiting = [stream for stream in streams if stream.gathering]
    due = {stream.stream_name for stream in waiting if not read_names or _is_due(stream, read_names, now)}
    if sum(stream.gathering.bytes for stream in waiting) > GATHERED_BYTES:
        due.add(max(waiting, key=lambda stream: stream.gathering.bytes).stream_name)
    return [stream.stream_name for stream in waiting if stream.stream_name in due]


def _is_due(stream: Gatherer, read_names: set[str], now: float) -> bool:
    gathering = stream.gathering
    waited = stream.stream_name not in read_names and now >= gathering.since + PATIENCE_SECONDS
    return stream.is_live or gathering.is_full or waited


def _size(events: Iterable[RecordedEvent]) -> int:
    return sum(len(event[3] or b"") + len(event[4] or b"") for event in events)
