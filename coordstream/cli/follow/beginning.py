"""What a follower follows, in the sentence that it begins with."""

from typing import Final

from coordstream.settings import Settings
from projections.follow.follow_run import FollowPlan

_NAMED: Final = 3


def beginning(plan: FollowPlan, settings: Settings, database: str) -> str:
    """Which streams, from where to where, and how far; ``database`` is its place in words."""
    place = "Postgres" if settings.kafka is None else settings.kafka.place
    return f"following {_streams(plan)} of {place} into {database}{_end(plan)}"


def _streams(plan: FollowPlan) -> str:
    if plan.follows_all:
        return "all streams" if plan.once else "all streams, also those to come,"
    names, more = plan.stream_names[:_NAMED], len(plan.stream_names) - _NAMED
    listed = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    return f"{len(plan.stream_names)} {'stream' if len(plan.stream_names) == 1 else 'streams'} ({listed})"


def _end(plan: FollowPlan) -> str:
    if plan.until is not None:
        return f", to offset {plan.until}"
    return ", to the ends as they are now" if plan.once else ""
