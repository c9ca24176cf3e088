"""A stream that a follower was told to follow, and how it stands."""

from dataclasses import dataclass

from projections.follow.heartbeat import Beat
from projections.follow.tail import Tail
from projections.follow.timetable import AT_ONCE


@dataclass
class FollowedStream:
    """``due_at``: when to try to attach, in seconds. ``is_waiting``: for another follower. ``tail``: what is
    attached. ``failure``: why it was given up.

    ``end``: how far ``--once`` goes, the end when it was first asked for.
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

    @property
    def is_to_attach(self) -> bool:
        """Whether it waits to be attached."""
        return self.tail is None and not self.is_over

    def attach(self, tail: Tail) -> None:
        """Follow from now on."""
        self.tail, self.log_id = tail, tail.log.log_id

    def detach(self, due_at: float = AT_ONCE) -> None:
        """Stop reading; attach again at ``due_at``."""
        self.tail, self.due_at = None, due_at

    def lose_session(self) -> None:
        """The locks went with the session, and what was read from there on is read again."""
        self.detach()
        self.has_lock = False

    def beat(self, end_offset: int | None) -> Beat | None:
        """Its heartbeat, if it is ours to give."""
        if self.log_id is None or not self.has_lock:
            return None
        if self.tail is None:
            return Beat(self.log_id, "catching-up", None)
        return Beat(self.log_id, self.tail.state, end_offset)
