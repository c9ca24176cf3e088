"""How handlers read the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from coordstream.serve.read_pool import ReadPool
from eventlog.postgres.connection import Connection


@contextmanager
def snapshot(request: Request) -> Iterator[Connection]:
    """A connection with a reader's rights, all of whose queries see the same state."""
    pool: ReadPool = request.app.state.pool
    with pool.snapshot() as connection:
        yield connection
