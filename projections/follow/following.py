"""What a follower knows beyond the life of its connections."""

from dataclasses import dataclass

from projections.follow.backoff import BackOff
from projections.follow.followed_stream import FollowedStream
from projections.follow.outage import outage_reason, outage_sentence, refuses_us
from projections.follow.plan import FollowPlan
from projections.follow.reports import Reports
from projections.follow.stopping import Stopping


@dataclass
class Following:
    """The streams, what was told, how often tries failed in a row, and whether to stop.

    ``is_listed``: the source has said which streams it has. ``events``: how many were applied. ``patience``: a follower
    with an end waits for an outage no longer than so many seconds. ``outage`` is what it waits for since
    ``outage_since``, ``refusal`` why it can go on with no stream; both are empty where all is well.
    """

    plan: FollowPlan
    streams: dict[str, FollowedStream]
    reports: Reports
    backoff: BackOff
    stopping: Stopping
    is_listed: bool = False
    events: int = 0
    patience: float | None = None
    outage: str = ""
    outage_since: float = 0.0
    refusal: str = ""

    def is_over(self) -> bool:
        """Whether there is nothing more to do, or somebody wishes so."""
        return self.is_done() or self.stopping.is_set

    def is_done(self) -> bool:
        """Whether there is nothing more to do."""
        is_complete = self.is_listed or not self.plan.follows_all
        may_grow = self.plan.follows_all and not self.plan.once
        return is_complete and not may_grow and all(stream.is_over for stream in self.streams.values())

    def suffer(self, error: Exception, now: float) -> None:
        """Brokers or the database failed: wait; with an end, stop where they refuse us, or have been away too long."""
        if self.plan.has_end and refuses_us(error):
            self.refusal = outage_reason(error)
            self.reports.tell(self.refusal)
            self.stopping.set()
            return
        if not self.outage:
            self.outage, self.outage_since = outage_reason(error), now
        self.reports.begin_outage(outage_sentence(error))
        if self.plan.has_end and self.patience is not None and now >= self.outage_since + self.patience:
            self.stopping.set()

    def recover(self) -> None:
        """All is well again."""
        self.backoff.reset()
        self.outage = ""
        self.reports.end_outage()
