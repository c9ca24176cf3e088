"""The service of `coordstream serve`: its paths, and its pool, application and server, opened and closed together."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from coordstream.queries.jobs import FleetTasks, JobLimits
from coordstream.serve.answers import Answers
from coordstream.serve.api import api_routes
from coordstream.serve.application import build_app, required_token
from coordstream.serve.database import ReadPool
from coordstream.serve.monitoring import ANOMALIES, RowsByBucket, answer_metrics, answer_readiness
from coordstream.serve.pages.routes import error_response, page_routes
from coordstream.settings import Settings
from coordstream.web_server import Address, HttpServer, Report

TOKEN_OPTION: Final = "--token-file"  # noqa: S105 (its name)


class ServiceLimits(NamedTuple):
    """How long a query may take, how far a log may be behind its end where /readyz is ready, and what a job may do."""

    query_seconds: float = 10.0
    ready_lag: int = 1_000
    jobs: JobLimits = JobLimits()


@contextmanager
def open_service(
    settings: Settings,
    url: str,
    address: Address,
    token_file: Path | None,
    limits: ServiceLimits,
    report: Report,
    base_path: str = "",
) -> Iterator[HttpServer]:
    """The server, which listens on the address; connections to the database are opened when needed.

    ``base_path``: where a proxy shows it, such as ``/coordstream``. Raises `CoordstreamError`: the address is taken, or
    a token is missing or invalid.
    """
    token = required_token(address, token_file, "--bind", TOKEN_OPTION)
    probes = [Route("/healthz", live), Route("/readyz", answer_readiness), Route("/metrics", answer_metrics)]
    routes = [*probes, *api_routes(), *page_routes()]
    app = build_app(routes, token, TOKEN_OPTION, report, error_response, base_path)
    app.state.ready_lag, app.state.job_limits = limits.ready_lag, limits.jobs
    app.state.anomalies, app.state.tasks = RowsByBucket(ANOMALIES), FleetTasks()
    with closing(HttpServer(app, address, "--bind", report)) as server:
        app.state.pool = pool = ReadPool(settings, url, limits.query_seconds)
        app.state.answers = Answers(pool.version)
        with closing(pool):
            yield server


async def live(_request: Request) -> PlainTextResponse:
    """The process answers. Whether the database does is said by /readyz: a restart does not help then."""
    return PlainTextResponse("ok\n")
