"""The service of `coordstream serve`: its pool, application and server, opened and closed together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Final, NamedTuple, TypeVar

from coordstream.errors import CoordstreamError
from coordstream.http.address import Address, listen
from coordstream.http.http_server import HttpServer
from coordstream.serve.application import Report, build_app
from coordstream.serve.metrics import Metrics
from coordstream.serve.pages.error_page import error_response
from coordstream.serve.query_queue import QUERIES, QueryQueue
from coordstream.serve.read_pool import ReadPool
from coordstream.serve.readiness import readiness
from coordstream.serve.routes import service_routes
from coordstream.serve.shared_answer import SharedAnswer
from coordstream.serve.token import Token, read_token
from coordstream.settings import Settings
from eventlog.postgres.connection import Connection

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
    token = required_token(address, token_file, "--bind", "--token-file")
    pool = ReadPool(settings, url, query_seconds=limits.query_seconds, connections=QUERIES + _PROBES)
    app = build_app(service_routes(), token, report, error_response)
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


def _in_snapshot(pool: ReadPool, read: Callable[[Connection], Read]) -> Read:
    with pool.snapshot() as connection:
        return read(connection)


def required_token(address: Address, token_file: Path | None, option: str, token_option: str) -> Token | None:
    """The token; None if only programs on this machine can connect and none is given. The options are for the message.

    Raises:
        CoordstreamError: other machines can connect and no token is given, or it is invalid.
    """
    if token_file is not None:
        return read_token(token_file)
    if address.is_loopback:
        return None
    raise CoordstreamError(
        f"Refused to serve on {address} without a token: other machines can connect to it. Add {token_option} FILE, or "
        f"use {option} with an address of 127.0.0.1."
    )
