"""/healthz and /metrics of one process, such as a coordinator, which need no database."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from coordstream.metric_text import gauge
from coordstream.serve.application import Refused, build_app, required_token
from coordstream.web_server import Address, HttpServer, Report

PORT_OPTION: Final = "--metrics-port"
TOKEN_OPTION: Final = "--metrics-token-file"  # noqa: S105 (its name)

TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"
UNEXPLAINED: Final = "The process is unhealthy. Send the token to see why."


class Watched(Protocol):
    """What is served of a process."""

    def failures(self) -> Iterable[str]:
        """What does not work in it, as sentences."""

    def collect(self) -> Iterable[str]:
        """Its metrics, as `metric_text` writes them."""


@contextmanager
def serving_process(address: Address, token_file: Path | None, watched: Watched, report: Report) -> Iterator[None]:
    """Serve during the block.

    Raises:
        CoordstreamError: the address is taken, or a token is missing or invalid.
    """
    token = required_token(address, token_file, PORT_OPTION, TOKEN_OPTION)
    app = build_app([Route("/healthz", answer_health), Route("/metrics", answer_metrics)], token, TOKEN_OPTION, report)
    app.state.watched = watched
    server = HttpServer(app, address, PORT_OPTION, report)
    report(f"Serving /healthz and /metrics on http://{server.address}/.")
    with server.in_thread():
        yield


def metrics_response(metrics: Iterable[str]) -> Response:
    """Metrics, as `metric_text` writes them, and those of this process."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return Response("".join([generate_latest(registry).decode(), *metrics]), media_type=TEXT_FORMAT)


async def answer_health(request: Request) -> Response:
    """Whether the process works; while it waits for others, it does: a restart does not help then.

    What does not work is only said to who may read the metrics.
    """
    failures = list(request.app.state.watched.failures())
    if failures:
        raise Refused(" ".join(failures) if request.state.is_authorized else UNEXPLAINED, 503)
    return PlainTextResponse("ok\n")


async def answer_metrics(request: Request) -> Response:
    """The process's own metrics; those of the relations are served by `coordstream serve`."""
    watched: Watched = request.app.state.watched
    healthy = gauge("healthy", "1 if /healthz has status 200, else 0", not [*watched.failures()])
    return metrics_response([healthy, *watched.collect()])
