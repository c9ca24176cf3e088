"""What is served of a follower (`follow --metrics-port`)."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from coordstream.http.figures import HANGS_AFTER_SECONDS, Figure, counter, gauge
from projections.follow.followed_stream import Activity, StreamActivity
from projections.follow.follower import Follower

_STREAM: Final = ("stream_name",)


class FollowerWatch:
    """The follower of a command, which it opens once the database answers."""

    def __init__(self) -> None:
        self._follower: Follower | None = None

    def set_follower(self, follower: Follower) -> None:
        """The follower is open."""
        self._follower = follower

    def activity(self) -> Activity | None:
        """What the follower is doing; None: it waits for the database to begin."""
        return None if self._follower is None else self._follower.activity()

    def failures(self) -> Iterator[str]:
        """Whether the follower hangs."""
        activity = self.activity()
        if activity is not None and activity.idle_seconds > HANGS_AFTER_SECONDS:
            yield f"The follower hangs: it has done nothing for {activity.idle_seconds:.0f} s."

    def figures(self) -> Iterator[Figure]:
        """The follower's own figures; nothing before it is open."""
        activity = self.activity()
        if activity is not None:
            yield from _of_follower(activity)
            yield from _of_streams(activity.streams)


def _of_follower(activity: Activity) -> Iterator[Figure]:
    idle, is_out = activity.idle_seconds, bool(activity.outage)
    yield gauge("follower_idle_seconds", "Time since the last turn of the follower's loop", idle)
    yield gauge("follower_outage", "1 while brokers or database do not answer, else 0", is_out)
    yield counter("follower_events", "Events applied to the relations", activity.events)


def _of_streams(streams: Sequence[StreamActivity]) -> Iterator[Figure]:
    states = [((stream.stream_name, stream.state), 1.0) for stream in streams]
    yield Figure("follower_stream_state", "1 for the state that the stream has", states, (*_STREAM, "state"))
    lags = [((stream.stream_name,), math.nan if stream.lag is None else stream.lag) for stream in streams]
    yield Figure("follower_stream_lag_offsets", "Offsets to the stream's end, NaN if unknown", lags, _STREAM)
    events = [((stream.stream_name,), stream.events) for stream in streams]
    help_text = "Events applied to the relations, by stream"
    yield Figure("follower_stream_events", help_text, events, _STREAM, is_counter=True)
