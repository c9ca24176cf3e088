"""The paths of `coordstream serve`."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from coordstream.serve.api.routes import api_routes
from coordstream.serve.metrics import answer_metrics
from coordstream.serve.pages.routes import page_routes
from coordstream.serve.readiness import answer_readiness


def service_routes() -> list[BaseRoute]:
    """All routes. What reads the database waits in the `QueryQueue`, except for the probes."""
    probes = [Route("/healthz", live), Route("/readyz", answer_readiness), Route("/metrics", answer_metrics)]
    return [*probes, *api_routes(), *page_routes()]


async def live(request: Request) -> PlainTextResponse:
    """The process answers. Whether the database does is said by /readyz: a restart does not help then."""
    del request
    return PlainTextResponse("ok\n")
