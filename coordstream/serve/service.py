"""The service of `coordstream serve`: its paths, and its pool, application and server, opened and closed together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from coordstream.http.address import Address, listen
from coordstream.http.http_server import HttpServer
from coordstream.serve.api.routes import api_routes
from coordstream.serve.application import Report, build_app
from coordstream.serve.metrics import Metrics, answer_metrics
from coordstream.serve.pages.error_page import error_response
from coordstream.serve.pages.routes import page_routes
from coordstream.serve.query_queue import QUERIES, QueryQueue
from coordstream.serve.read_pool import ReadPool
from coordstream.serve.readiness import answer_readiness, readiness
from coordstream.serve.shared_answer import SharedAnswer
from coordstream.serve.token import required_token
from coordstream.settings import Settings
from eventlog.postgres.connection import Connection

TOKEN_OPTION: Final = "--token-file"  # noqa: S105 (its name)

_PROBES: Final = 2
"""/readyz and /metrics, each of which reads once at a time and waits for no page."""
_QUERY_GRACE_SECONDS: Final = 1.5
"""After a stop, how long queries may go on before they are cancelled."""

Read = TypeVar("Read")


class ServiceLimits(NamedTuple):
    """How long a query may take, and how far a log may be behind its end where /readyz is ready."""

    query_seconds: float = 10.0
    ready_lag: int = 1_000


@dataclass(frozen=True)
class Service:
    """A server that listens already, and the address where. Run it with ``server.run()``, and end it with `stop`."""

    server: HttpServer
    pool: ReadPool
    address: Address

    def stop(self) -> None:
        """End the server, and soon the queries that still run. May be called from a signal handler."""
        self.server.stop()
        timer = Timer(_QUERY_GRACE_SECONDS, self.pool.close)
        timer.daemon = True
        timer.start()


@contextmanager
def open_service(
    settings: Settings, url: str, address: Address, token_file: Path | None, limits: ServiceLimits, report: Report
) -> Iterator[Service]:
    """The service, which listens on the address; connections to the database are opened when needed.

    Raises:
        CoordstreamError: the address is taken, or a token is missing or invalid.
    """
    token = required_token(address, token_file, "--bind", TOKEN_OPTION)
    pool = ReadPool(settings, url, query_seconds=limits.query_seconds, connections=QUERIES + _PROBES)
    app = build_app(_routes(), token, TOKEN_OPTION, report, error_response)
    app.state.pool = pool
    app.state.queue = QueryQueue()
    app.state.readiness = SharedAnswer(partial(_in_snapshot, pool, partial(readiness, most_lag=limits.ready_lag)))
    app.state.metrics = SharedAnswer(partial(_in_snapshot, pool, Metrics(limits.ready_lag).render))
    with listen(address, "--bind") as listener:
        port = listener.getsockname()[1]
        try:
            yield Service(HttpServer(app, listener, report), pool, address._replace(port=port))
        finally:
            pool.close()


def _routes() -> list[BaseRoute]:
    """All paths. What reads the database waits in the `QueryQueue`, except for the probes."""
    probes = [Route("/healthz", live), Route("/readyz", answer_readiness), Route("/metrics", answer_metrics)]
    return [*probes, *api_routes(), *page_routes()]


async def live(request: Request) -> PlainTextResponse:
    """The process answers. Whether the database does is said by /readyz: a restart does not help then."""
    del request
    return PlainTextResponse("ok\n")


def _in_snapshot(pool: ReadPool, read: Callable[[Connection], Read]) -> Read:
    with pool.snapshot() as connection:
        return read(connection)
