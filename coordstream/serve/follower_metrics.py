"""What is served of a follower (`follow --metrics-port`)."""

from collections.abc import Iterator
from typing import Final

from coordstream.metric_text import gauge, metric
from projections.follow.follow_run import Activity
from projections.follow.follower import Follower

HANGS_AFTER_SECONDS: Final = 60.0
"""How long a turn of the follower's loop may take before its process counts as hanging."""
_STREAM: Final = ("stream_name",)


class FollowerMetrics:
    """The follower of a command, which it opens once the database answers."""

    def __init__(self) -> None:
        self._follower: Follower | None = None

    def set_follower(self, follower: Follower) -> None:
        self._follower = follower

    def failures(self) -> Iterator[str]:
        activity = self._activity()
        if activity is not None and activity.idle_seconds > HANGS_AFTER_SECONDS:
            yield f"The follower hangs: it has done nothing for {activity.idle_seconds:.0f} s."

    def collect(self) -> Iterator[str]:
        """The follower's own metrics; nothing before it is open."""
        activity = self._activity()
        if activity is None:
            return
        events, lags, states = {}, {}, {}
        for each in activity.streams:
            events[each.stream_name,] = each.events
            lags[each.stream_name,] = each.lag
            states[each.stream_name, each.state] = 1
        yield gauge("follower_idle_seconds", "Time since the last turn of the follower's loop", activity.idle_seconds)
        yield gauge("follower_outage", "1 while brokers or database do not answer, else 0", bool(activity.outage))
        text = "Events applied to the relations"
        yield metric("follower_events_total", text, (), [((), activity.events)], "counter")
        text = "1 for the state that the stream has"
        yield metric("follower_stream_state", text, (*_STREAM, "state"), states.items())
        yield metric(
            "follower_stream_lag_offsets", "Offsets to the stream's end, NaN if unknown", _STREAM, lags.items()
        )
        text = "Events applied to the relations, by stream"
        yield metric("follower_stream_events_total", text, _STREAM, events.items(), "counter")

    def _activity(self) -> Activity | None:
        """What the follower is doing; None: it waits for the database to begin."""
        return None if self._follower is None else self._follower.activity()
