"""A stream that a follower was told to follow, and how it stands."""

from dataclasses import dataclass, field
from typing import Final

from projections.follow.backoff import BackOff
from projections.follow.heartbeat import Beat
from projections.follow.reports import Progress
from projections.follow.tail import Tail
from projections.follow.timetable import AT_ONCE

RETRY_FIRST_SECONDS: Final = 1.0
RETRY_MOST_SECONDS: Final = 30.0


def _retries() -> BackOff:
    return BackOff(first_seconds=RETRY_FIRST_SECONDS, most_seconds=RETRY_MOST_SECONDS)


@dataclass
class FollowedStream:
    """``due_at``: when to try to attach, in seconds. ``is_waiting``: for another follower. ``tail``: what is
    attached. ``failure``: why it was given up. ``end``: how far ``--once`` goes, the end when it was first asked for.

    ``refusal``: why it cannot be followed as it is; it is tried again, ever less often, and counts as refused until
    something of it was read, or nothing failed until ``believed_at``. ``is_missing``: it is refused because there is
    none of its name. ``outage``: what it waits for with all others. ``events``: how many were applied, and
    ``next_offset`` the one after them.
    """

    stream_name: str
    due_at: float = AT_ONCE
    has_lock: bool = False
    is_waiting: bool = False
    tail: Tail | None = None
    log_id: int | None = None
    end: int | None = None
    is_over: bool = False
    failure: str = ""
    refusal: str = ""
    is_missing: bool = False
    outage: str = ""
    believed_at: float = AT_ONCE
    events: int = 0
    next_offset: int | None = None
    retries: BackOff = field(default_factory=_retries)

    @property
    def is_to_attach(self) -> bool:
        """Whether it waits to be attached."""
        return self.tail is None and not self.is_over

    def attach(self, tail: Tail) -> None:
        """Follow from now on."""
        self.tail, self.log_id, self.next_offset = tail, tail.log.log_id, tail.position
        self.outage = ""

    def take(self, progress: Progress) -> None:
        """Count what was applied."""
        self.events += progress.events
        self.next_offset = progress.next_offset

    def detach(self, due_at: float = AT_ONCE) -> None:
        """Stop reading; attach again at ``due_at``."""
        self.tail, self.due_at = None, due_at

    def lose_source(self, due_at: float, sentence: str) -> None:
        """Nobody answers, as ``sentence`` says: attach again at ``due_at``, or later if it was refused before."""
        self.detach(max(due_at, self.due_at) if self.refusal else due_at)
        self.outage = sentence

    def refuse(self, sentence: str, now: float, *, is_missing: bool = False) -> None:
        """It cannot be followed as it is: try again later."""
        self.refusal, self.is_missing = sentence, is_missing
        self.detach(now + self.retries.next())

    def believe(self) -> None:
        """It can be followed again."""
        self.refusal, self.is_missing = "", False
        self.retries.reset()

    def lose_session(self) -> None:
        """The locks went with the session, and what was read from there on is read again."""
        self.detach()
        self.has_lock = False

    def beat(self, end_offset: int | None) -> Beat | None:
        """Its heartbeat, if it is ours to give."""
        if self.log_id is None or not self.has_lock:
            return None
        if self.refusal:
            return Beat(self.log_id, "refused", end_offset if self.tail else None, self.refusal)
        if self.tail is None:
            return Beat(self.log_id, "catching-up", None, self.outage or None)
        return Beat(self.log_id, self.tail.state, end_offset)
