"""The paths of `coordstream serve`."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from coordstream.serve.api.routes import api_routes
from coordstream.serve.pages.routes import page_routes


def service_routes() -> list[BaseRoute]:
    """All routes. Handlers are plain functions, which run in threads; they read with `snapshot`."""
    return [Route("/healthz", live), *api_routes(), *page_routes()]


async def live(request: Request) -> PlainTextResponse:
    """The process answers. Whether the database does is said by /readyz: a restart does not help then."""
    del request
    return PlainTextResponse("ok\n")
