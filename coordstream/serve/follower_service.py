"""/healthz and /metrics of a follower (`follow --metrics-port`), which need no database."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from coordstream.http.address import Address, listen
from coordstream.http.http_server import HttpServer
from coordstream.serve.application import Report, build_app
from coordstream.serve.failures import Unavailable
from coordstream.serve.metrics import TEXT_FORMAT, exposed
from coordstream.serve.service import required_token
from projections.follow.activity import Activity, StreamActivity
from projections.follow.follower import Follower

HANGS_AFTER_SECONDS: Final = 60.0
OPTION: Final = "--metrics-port"
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


@contextmanager
def serving_follower(address: Address, token_file: Path | None, watch: FollowerWatch, report: Report) -> Iterator[None]:
    """Serve during the block.

    Raises:
        CoordstreamError: the address is taken, or a token is missing or invalid.
    """
    token = required_token(address, token_file, OPTION, "--metrics-token-file")
    app = build_app([Route("/healthz", answer_health), Route("/metrics", answer_metrics)], token, report)
    app.state.watch = watch
    with listen(address, OPTION) as listener:
        report(f"Serving /healthz and /metrics on http://{address._replace(port=listener.getsockname()[1])}/.")
        with HttpServer(app, listener, report).in_thread():
            yield


async def answer_health(request: Request) -> Response:
    """Whether the follower works. It does while it waits for brokers or database: a restart does not help then."""
    activity = _activity(request)
    if activity is not None and activity.idle_seconds > HANGS_AFTER_SECONDS:
        raise Unavailable(f"The follower hangs: it has done nothing for {activity.idle_seconds:.0f} s.")
    return PlainTextResponse("ok\n")


async def answer_metrics(request: Request) -> Response:
    """The follower's own figures; those of the relations are served by `coordstream serve`."""
    activity = _activity(request)
    families = [] if activity is None else [*_of_follower(activity), *_of_streams(activity.streams)]
    return Response(exposed(families), headers={"Content-Type": TEXT_FORMAT})


def _activity(request: Request) -> Activity | None:
    watch: FollowerWatch = request.app.state.watch
    return watch.activity()


def _of_follower(activity: Activity) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "coordstream_follower_idle_seconds", "Time since the last turn of the follower's loop", activity.idle_seconds
    )
    yield GaugeMetricFamily(
        "coordstream_follower_outage", "1 while brokers or database do not answer, else 0", bool(activity.outage)
    )
    yield CounterMetricFamily("coordstream_follower_events", "Events applied to the relations", activity.events)


def _of_streams(streams: Sequence[StreamActivity]) -> Iterator[Metric]:
    state = GaugeMetricFamily(
        "coordstream_follower_stream_state", "1 for the state that the stream has", labels=(*_STREAM, "state")
    )
    lag = GaugeMetricFamily(
        "coordstream_follower_stream_lag_offsets", "Offsets to the stream's end, NaN if unknown", labels=_STREAM
    )
    events = CounterMetricFamily(
        "coordstream_follower_stream_events", "Events applied to the relations, by stream", labels=_STREAM
    )
    for stream in streams:
        state.add_metric([stream.stream_name, stream.state], 1)
        lag.add_metric([stream.stream_name], math.nan if stream.lag is None else stream.lag)
        events.add_metric([stream.stream_name], stream.events)
    yield from (state, lag, events)
