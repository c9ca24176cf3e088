"""What a follower is doing at the moment, from its memory: for monitors that cannot or need not ask the database."""

from collections.abc import Sequence
from typing import NamedTuple

from projections.follow.followed_stream import FollowedStream


class StreamActivity(NamedTuple):
    """A stream: ``waiting`` if another follower holds it, ``over`` if it was read as planned or given up.

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


def stream_activity(stream: FollowedStream) -> StreamActivity:
    """A stream as it is now."""
    next_offset, end = stream.next_offset, stream.seen_end
    lag = None if next_offset is None or end is None else max(end - next_offset, 0)
    return StreamActivity(stream.stream_name, _state(stream), stream.events, next_offset, lag)


def _state(stream: FollowedStream) -> str:
    tail = stream.tail
    if stream.refusal or stream.failure:
        return "refused"
    if stream.is_over:
        return "over"
    if stream.is_waiting:
        return "waiting"
    return "catching-up" if tail is None else tail.state
