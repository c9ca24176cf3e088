"""The paths of `coordstream serve`, and what their handlers share."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from coordstream.serve.read_pool import ReadPool
from eventlog.postgres.connection import Connection


def service_routes() -> list[BaseRoute]:
    """All routes. Handlers are plain functions, which run in threads; they read with `snapshot`."""
    return [Route("/healthz", live)]


async def live(request: Request) -> PlainTextResponse:
    """The process answers. Whether the database does is said by /readyz: a restart does not help then."""
    del request
    return PlainTextResponse("ok\n")


@contextmanager
def snapshot(request: Request) -> Iterator[Connection]:
    """A connection with a reader's rights, all of whose queries see the same state."""
    pool: ReadPool = request.app.state.pool
    with pool.snapshot() as connection:
        yield connection
