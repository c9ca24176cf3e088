"""What is served of a follower (`follow --metrics-port`)."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from projections.follow.follow_run import Activity
from projections.follow.follower import Follower

if TYPE_CHECKING:
    from prometheus_client.core import Metric

HANGS_AFTER_SECONDS: Final = 60.0
"""How long a turn of the follower's loop may take before its process counts as hanging."""


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

    def collect(self) -> "Iterator[Metric]":
        """The follower's own metrics; nothing before it is open."""
        from prometheus_client.core import (  # noqa: PLC0415 (followers without metrics run without the extra)
            CounterMetricFamily,
            GaugeMetricFamily,
        )

        activity = self._activity()
        if activity is None:
            return
        for name, text, value in (
            ("idle_seconds", "Time since the last turn of the follower's loop", activity.idle_seconds),
            ("outage", "1 while brokers or database do not answer, else 0", bool(activity.outage)),
        ):
            yield GaugeMetricFamily(f"coordstream_follower_{name}", text, value)
        yield CounterMetricFamily("coordstream_follower_events", "Events applied to the relations", activity.events)
        state = GaugeMetricFamily(
            "coordstream_follower_stream_state", "1 for the state that the stream has", labels=("stream_name", "state")
        )
        lag = GaugeMetricFamily(
            "coordstream_follower_stream_lag_offsets",
            "Offsets to the stream's end, NaN if unknown",
            labels=("stream_name",),
        )
        events = CounterMetricFamily(
            "coordstream_follower_stream_events", "Events applied to the relations, by stream", labels=("stream_name",)
        )
        for stream in activity.streams:
            state.add_metric((stream.stream_name, stream.state), 1)
            lag.add_metric((stream.stream_name,), math.nan if stream.lag is None else stream.lag)
            events.add_metric((stream.stream_name,), stream.events)
        yield from (state, lag, events)

    def _activity(self) -> Activity | None:
        """What the follower is doing; None: it waits for the database to begin."""
        return None if self._follower is None else self._follower.activity()
