"""The state of one stream that a follower follows, across attachments and database sessions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from eventlog.backoff import Backoff
from eventlog.source import StreamFacts
from projections.follow.heartbeat import AT_ONCE, Beat
from projections.follow.tail import Progress, Tail

RETRY_FIRST_SECONDS: Final = 1.0
RETRY_LONGEST_SECONDS: Final = 30.0


def _retries() -> Backoff:
    return Backoff(first_seconds=RETRY_FIRST_SECONDS, longest_seconds=RETRY_LONGEST_SECONDS)


class StreamActivity(NamedTuple):
    """A stream: ``waiting`` for brokers, a lock or the follower that holds it, ``over`` if it was read as planned or
    given up.

    ``lag``: offsets from ``next_offset`` to the end at the last heartbeat. None: unknown.
    """

    stream_name: str
    state: str
    events: int
    next_offset: int | None
    lag: int | None


class Activity(NamedTuple):
    """``idle_seconds``: since the last turn of the follower's loop. ``outage``: what it waits for, empty if nothing."""

    idle_seconds: float
    events: int
    outage: str
    streams: Sequence[StreamActivity]


@dataclass
class FollowedStream:
    """A stream is attached (it has a ``tail``), or waits to be attached at ``due_at``, or is over.

    Times are monotonic, in seconds. ``is_waiting``: another follower holds the stream. ``failure``: why it was given
    up. ``planned``: the stream when ``--once``, which reads to its end, was planned. ``events``: how many were applied.

    ``refusal``: why it cannot be followed at present. It is retried, and counts as refused until some of it was read or
    nothing failed until ``accepted_at``. ``is_missing``: it is refused because the source has no stream of that name.
    ``outage``: what it waits for before it is attached again; only this stream, since ``unavailable_since``.
    ``blockage``: why events of the tail cannot be applied at present; that is tried again at ``due_at``, and nothing is
    read until then. ``seen_end``: its end at the last heartbeat; None: it is unknown. ``longest_absence_ms``: see
    `continuity`.
    """

    stream_name: str
    due_at: float = AT_ONCE
    has_lock: bool = False
    is_waiting: bool = False
    tail: Tail | None = None
    log_id: int | None = None
    planned: StreamFacts | None = None
    is_over: bool = False
    failure: str = ""
    refusal: str = ""
    is_missing: bool = False
    outage: str = ""
    unavailable_since: float | None = None
    blockage: str = ""
    accepted_at: float = AT_ONCE
    events: int = 0
    next_offset: int | None = None
    seen_end: int | None = None
    longest_absence_ms: int | None = None
    retries: Backoff = field(default_factory=_retries)

    @property
    def is_to_attach(self) -> bool:
        return self.tail is None and not self.is_over

    @property
    def end(self) -> int | None:
        """Where ``--once`` ends; None: not known yet."""
        return None if self.planned is None else self.planned.end_offset

    def plan_end(self, facts: StreamFacts, *, is_new: bool = False) -> None:
        """Let ``--once`` end at the stream's end, unless an earlier one was planned, of the same topic.

        ``is_new``: a new incarnation is read, so an end that was planned before belongs to another one.
        """
        planned = self.planned
        is_other = planned is None or is_new or facts.topic_id != planned.topic_id
        if is_other or (planned is not None and facts.end_offset < planned.end_offset):
            self.planned = facts

    def attach(self, tail: Tail) -> None:
        self.tail, self.log_id, self.next_offset = tail, tail.log.log_id, tail.position
        self.outage = ""
        if self.unavailable_since is not None:
            self.unavailable_since = None
            self.retries.reset()

    def block(self, message: str, due_at: float) -> None:
        """Stop reading, but keep what was read, and try again at ``due_at``."""
        self.blockage, self.due_at = message, due_at

    def count(self, progress: Progress) -> None:
        self.events += progress.events
        self.next_offset = progress.next_offset

    def detach(self, due_at: float = AT_ONCE) -> None:
        self.tail, self.blockage, self.due_at, self.seen_end = None, "", due_at, None

    def finish(self, failure: str = "") -> None:
        """Stop reading for good: the stream was read as far as planned, or is given up because of ``failure``."""
        self.detach()
        self.is_over, self.failure = True, failure

    def wait(self, message: str, due_at: float) -> None:
        """Detach because of an outage, or of a lock; a refused stream keeps its later time to retry."""
        self.detach(max(due_at, self.due_at) if self.refusal else due_at)
        self.outage = message

    def be_unavailable(self, message: str, now: float) -> None:
        """Detach because only this stream of the source is unavailable; retry later."""
        self.wait(message, now + self.retries.next())
        if self.unavailable_since is None:
            self.unavailable_since = now

    def lose_session(self) -> None:
        self.detach()
        self.has_lock = False

    def refuse(self, message: str, now: float, *, is_missing: bool = False) -> None:
        """Detach because the stream cannot be followed at present; retry later."""
        self.refusal, self.is_missing, self.is_waiting = message, is_missing, False
        self.detach(now + self.retries.next())

    def accept(self) -> None:
        self.refusal, self.is_missing = "", False
        self.retries.reset()

    def beat(self, end_offset: int | None) -> Beat | None:
        """Return its heartbeat; None while another follower, or no log, is to be written."""
        if self.log_id is None or not self.has_lock:
            return None
        if self.refusal:
            return Beat(self.log_id, "refused", end_offset if self.tail else None, self.refusal)
        if self.tail is None:
            return Beat(self.log_id, "waiting" if self.outage else None, None, self.outage or None)
        return Beat(self.log_id, "waiting" if self.blockage else self.tail.state, end_offset, self.blockage or None)

    def activity(self) -> StreamActivity:
        next_offset, end = self.next_offset, self.seen_end
        lag = None if next_offset is None or end is None else max(end - next_offset, 0)
        return StreamActivity(self.stream_name, self._activity_state(), self.events, next_offset, lag)

    def _activity_state(self) -> str:
        if self.refusal or self.failure:
            return "refused"
        if self.is_over:
            return "over"
        if self.is_waiting or self.blockage or (self.outage and self.tail is None):
            return "waiting"
        return "catching-up" if self.tail is None else self.tail.state
