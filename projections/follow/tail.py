"""The tail of a log: buffers the events that polls return, and applies them in batches."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Final, NamedTuple

from eventlog.events import RecordedEvent, bytes_of
from eventlog.source import OffsetLost, Read
from projections.follow.heartbeat import State
from projections.projector import BATCH_BYTES, BATCH_EVENTS, Projector, retry_conflicts
from projections.tracked_logs import TrackedLog

BUFFERED_BYTES: Final = 4 * BATCH_BYTES
"""How much all streams together may buffer."""
BUFFER_SECONDS: Final = 0.1
"""How long a stream that catches up waits for more events while polls return other streams' events."""
TRANSACTION_SECONDS: Final = 3.0
"""How long a transaction takes further batches of a stream that catches up: current rows are kept once, at its end."""

ReadAhead = Callable[[float], bool]


class Progress(NamedTuple):
    """A batch that was applied: the offsets from ``first_offset`` to before ``next_offset``. ``target``: the end to
    catch up to. ``timestamp``: the last event's record time in ms since 1970; None if there was no event.
    """

    stream_name: str
    state: State
    events: int
    first_offset: int
    next_offset: int
    target: int
    timestamp: int | None


class EventBuffer:
    """Events of a stream that were read and not yet applied. ``since``: when the first of them came, in seconds."""

    def __init__(self, next_offset: int) -> None:
        self.next_offset = next_offset
        self.bytes = 0
        self.since = 0.0
        self._events: list[RecordedEvent] = []
        self._has_news = False

    def add(self, read: Read, now: float) -> None:
        if not self:
            self.since = now
        self._events.extend(read.events)
        self.bytes += bytes_of(read.events)
        self.next_offset = read.next_offset
        self._has_news = True

    def __bool__(self) -> bool:
        return self._has_news

    @property
    def is_full(self) -> bool:
        return len(self._events) >= BATCH_EVENTS or self.bytes >= BATCH_BYTES

    def pop_batch(self) -> tuple[list[RecordedEvent], int]:
        """Remove and return the next events, as many as a batch may have, and the next offset to read."""
        rest = self._events[BATCH_EVENTS:]
        if rest:
            events, self._events = self._events[:BATCH_EVENTS], rest
            self.bytes = bytes_of(rest)
            return events, events[-1].offset + 1
        events = self._events
        self._events, self.bytes, self._has_news = [], 0, False
        return events, self.next_offset


class Tail:
    """Reads one log on. It is live once it has reached ``target``, the end when it was attached."""

    def __init__(self, log: TrackedLog, projector: Projector, target: int) -> None:
        self.stream_name = log.stream.stream_name
        self.log = log
        self.target = target
        self.buffer = EventBuffer(projector.next_offset)
        self._projector = projector

    @property
    def position(self) -> int:
        return self._projector.next_offset

    @property
    def is_live(self) -> bool:
        """Whether the log has caught up, and is the incarnation that readers see."""
        return self.log.is_complete and self.position >= self.target

    @property
    def is_read_to_target(self) -> bool:
        """Whether all events below the target were read; they may not be applied."""
        return self.buffer.next_offset >= self.target

    @property
    def is_replacement_complete(self) -> bool:
        """Whether a new incarnation has caught up, and can replace the current one."""
        return not self.log.is_complete and self.position >= self.target

    @property
    def state(self) -> State:
        """The log's state, as in ``projection.position``."""
        if not self.log.is_complete:
            return "replacing"
        return "live" if self.is_live else "catching-up"

    def add(self, read: Read, now: float) -> None:
        self.buffer.add(read, now)

    def apply(self, read_ahead: ReadAhead = lambda _: False, may_go_on: Callable[[], bool] = lambda: False) -> Progress:
        """Apply a batch, and move the position over offsets without events that follow it.

        ``read_ahead`` waits at most as many seconds for events, may `add` some, and returns whether any came. If a full
        batch is applied, full ones that come within `TRANSACTION_SECONDS` are part of its transaction, as long as
        ``may_go_on``. Raises PositionMoved if another follower writes the log, LockNotAvailable if another session
        blocks it for longer than this session waits for locks. After an error, what was read and not applied has to be
        read again.
        """
        first, taken = self.position, _Taken()
        is_full = self.buffer.is_full
        events = taken.pop(self.buffer)

        def apply() -> None:
            if taken.events > len(events):  # what came after the first batch is gone: it has to be read again
                raise OffsetLost(self.stream_name, self.position)
            further = self._further(taken, read_ahead, may_go_on) if is_full else ()
            self._projector.apply(events, meanwhile=lambda: read_ahead(0.0), further=further)

        if events:
            retry_conflicts(apply)
        if taken.next_offset > self.position:
            retry_conflicts(lambda: self._projector.pass_to(taken.next_offset))
        return Progress(
            self.stream_name, self.state, taken.events, first, self.position, self.target, taken.last_timestamp
        )

    def _further(
        self, taken: "_Taken", read_ahead: ReadAhead, may_go_on: Callable[[], bool]
    ) -> Iterator[list[RecordedEvent]]:
        until = monotonic() + TRANSACTION_SECONDS
        while monotonic() < until and may_go_on():
            if self.buffer.is_full:
                yield taken.pop(self.buffer)
            elif self.is_read_to_target or not read_ahead(BUFFER_SECONDS):
                return


@dataclass
class _Taken:
    """What was taken from a buffer for one transaction."""

    events: int = 0
    next_offset: int = 0
    last_timestamp: int | None = None

    def pop(self, buffer: EventBuffer) -> list[RecordedEvent]:
        events, self.next_offset = buffer.pop_batch()
        self.events += len(events)
        if events:
            self.last_timestamp = events[-1].timestamp
        return events


def due_tails(tails: Iterable[Tail], read_names: set[str], now: float) -> list[Tail]:
    """Return the tails with a batch to apply now; ``read_names`` are the streams that the last poll returned.

    Those that were read to their target are due at once: a job that keeps writing would fill the batch only slowly.
    Others are due when their batch is full, when a poll returned nothing, or when they have waited long enough; the
    largest buffer is also due when all of them together hold too much.
    """
    waiting = [tail for tail in tails if tail.buffer]
    due = {tail.stream_name for tail in waiting if not read_names or _is_due(tail, read_names, now)}
    if sum(tail.buffer.bytes for tail in waiting) > BUFFERED_BYTES:
        due.add(max(waiting, key=lambda tail: tail.buffer.bytes).stream_name)
    return [tail for tail in waiting if tail.stream_name in due]


def _is_due(tail: Tail, read_names: set[str], now: float) -> bool:
    has_waited = tail.stream_name not in read_names and now >= tail.buffer.since + BUFFER_SECONDS
    return tail.is_read_to_target or tail.buffer.is_full or has_waited
