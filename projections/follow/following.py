"""What a follower knows beyond the life of its connections."""

from dataclasses import dataclass

from projections.follow.backoff import BackOff
from projections.follow.followed_stream import FollowedStream
from projections.follow.plan import FollowPlan
from projections.follow.reports import Reports
from projections.follow.stopping import Stopping


@dataclass
class Following:
    """The streams, what was told, how often tries failed in a row, and whether to stop.

    ``is_listed``: the source has said which streams it has. ``events``: how many were applied.
    """

    plan: FollowPlan
    streams: dict[str, FollowedStream]
    reports: Reports
    backoff: BackOff
    stopping: Stopping
    is_listed: bool = False
    events: int = 0

    def is_over(self) -> bool:
        """Whether there is nothing more to do."""
        is_complete = self.is_listed or not self.plan.follows_all
        may_grow = self.plan.follows_all and not self.plan.once
        is_done = is_complete and not may_grow and all(stream.is_over for stream in self.streams.values())
        return is_done or self.stopping.is_set
