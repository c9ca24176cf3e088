"""A stream that is attached: its events go from the source through batches into its log."""

from collections.abc import Callable
from typing import Final, TypeVar

from eventlog.events import RecordedEvent
from eventlog.source import Read
from projections.follow.gathering import Gathering
from projections.follow.heartbeat import State
from projections.follow.outage import CONFLICTS
from projections.follow.reports import Progress
from projections.projector import Projector
from projections.tracked_logs import TrackedLog

CONFLICT_TRIES: Final = 5

Done = TypeVar("Done")


class Tail:
    """Follows one log. ``target``: the end as it was at the attachment; at it the stream is live.

    ``until``: the offset after which nothing is taken.
    """

    def __init__(self, log: TrackedLog, projector: Projector, target: int, until: int | None = None) -> None:
        self.stream_name = log.stream.stream_name
        self.log = log
        self.target = target
        self.gathering = Gathering(projector.next_offset)
        self._projector = projector
        self._limit = None if until is None else until + 1

    @property
    def position(self) -> int:
        """The offset after the last event that is applied."""
        return self._projector.next_offset

    @property
    def is_live(self) -> bool:
        """Whether all is applied that was there at the attachment, and the log is the one that is shown."""
        return self.log.is_complete and self.position >= self.target

    @property
    def has_replaced(self) -> bool:
        """Whether a new incarnation is read as far as it was when it was found, and may take the old one's place."""
        return not self.log.is_complete and self.position >= self.target

    @property
    def is_at_limit(self) -> bool:
        """Whether the offset to stop at is applied."""
        return self._limit is not None and self.position >= self._limit

    @property
    def state(self) -> State:
        """How the stream stands, as ``projection.position`` says it."""
        if not self.log.is_complete:
            return "replacing"
        return "live" if self.is_live else "catching-up"

    def add(self, read: Read, now: float) -> None:
        """Gather what a poll brought, up to the limit."""
        if self._limit is not None:
            events = [event for event in read.events if event.offset < self._limit]
            read = Read(read.stream_name, events, min(read.next_offset, self._limit))
        self.gathering.add(read, now)

    def apply(self) -> Progress:
        """Apply what is gathered, and move the position over offsets without events that follow it.

        Raises:
            PositionMoved: another follower is at work on the log.
        """
        first, (events, next_offset) = self.position, self.gathering.take()
        if events:
            _in_spite_of_conflicts(lambda: self._projector.apply(events))
        if next_offset > self.position:
            _in_spite_of_conflicts(lambda: self._projector.pass_to(next_offset))
        return Progress(
            self.stream_name, self.state, len(events), first, self.position, self.target, _last_time(events)
        )


def _in_spite_of_conflicts(step: Callable[[], Done]) -> Done:
    for _ in range(CONFLICT_TRIES):
        try:
            return step()
        except CONFLICTS:
            continue
    return step()


def _last_time(events: list[RecordedEvent]) -> int | None:
    return events[-1].timestamp if events else None
