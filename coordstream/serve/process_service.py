"""/healthz and /metrics of one process, such as a follower, which need no database."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from coordstream.http.address import Address, listen
from coordstream.http.figures import Figure
from coordstream.http.http_server import HttpServer
from coordstream.serve.application import Report, build_app
from coordstream.serve.failures import Unavailable
from coordstream.serve.metrics import TEXT_FORMAT, exposed
from coordstream.serve.token import required_token

PORT_OPTION: Final = "--metrics-port"
TOKEN_OPTION: Final = "--metrics-token-file"  # noqa: S105 (its name)

UNEXPLAINED: Final = "The process does not work as it should. Send the token to see why."


class Watched(NamedTuple):
    """What is served of a process: sentences about what does not work in it, and its metrics."""

    failures: Callable[[], Iterable[str]]
    figures: Callable[[], Iterable[Figure]]


@contextmanager
def serving_process(address: Address, token_file: Path | None, watched: Watched, report: Report) -> Iterator[None]:
    """Serve during the block.

    Raises:
        CoordstreamError: the address is taken, or a token is missing or invalid.
    """
    token = required_token(address, token_file, PORT_OPTION, TOKEN_OPTION)
    app = build_app([Route("/healthz", answer_health), Route("/metrics", answer_metrics)], token, TOKEN_OPTION, report)
    app.state.watched = watched
    with listen(address, PORT_OPTION) as listener:
        report(f"Serving /healthz and /metrics on http://{address._replace(port=listener.getsockname()[1])}/.")
        with HttpServer(app, listener, report).in_thread():
            yield


async def answer_health(request: Request) -> Response:
    """Whether the process works; while it waits for others, it does: a restart does not help then.

    What does not work is only said to who may read the metrics.
    """
    watched: Watched = request.app.state.watched
    failures = list(watched.failures())
    if failures:
        raise Unavailable(" ".join(failures) if request.state.is_authorized else UNEXPLAINED)
    return PlainTextResponse("ok\n")


async def answer_metrics(request: Request) -> Response:
    """The process's own figures; those of the relations are served by `coordstream serve`."""
    watched: Watched = request.app.state.watched
    return Response(exposed(map(_metric, watched.figures())), headers={"Content-Type": TEXT_FORMAT})


def _metric(figure: Figure) -> Metric:
    kind = CounterMetricFamily if figure.is_counter else GaugeMetricFamily
    metric = kind(f"coordstream_{figure.name}", figure.help, labels=figure.labels)
    for labels, value in figure.values:
        metric.add_metric(labels, value)
    return metric
