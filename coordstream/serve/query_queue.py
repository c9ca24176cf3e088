"""The order in which requests read the database."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from coordstream.serve.failures import Unavailable

QUERIES: Final = 4
"""How many requests read the database at once."""
WAIT_SECONDS: Final = 30.0
"""How long a request waits for others."""

Handler = Callable[[Request], Response]


class QueryQueue:
    """Answers a few requests at once, in threads. The others wait in the order in which they came.

    Requests for the same address share the answer that is waiting or being made when they come.
    """

    def __init__(self) -> None:
        self._places: Final = asyncio.Semaphore(QUERIES)
        self._running: Final[dict[tuple[str, bytes], asyncio.Task[Response]]] = {}

    async def answer(self, handler: Handler, request: Request) -> Response:
        """The answer of a handler. Raises `Unavailable` if too many requests wait."""
        address = (request.url.path, request.scope["query_string"])
        task = self._running.get(address)
        if task is None:
            task = self._running[address] = asyncio.create_task(self._in_turn(handler, request))
            task.add_done_callback(lambda _: self._running.pop(address))
        return await asyncio.shield(task)  # the others get their answer if this client disconnects

    async def _in_turn(self, handler: Handler, request: Request) -> Response:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._places.acquire()
        except TimeoutError:
            raise Unavailable("Too many requests at once. Try again later.") from None
        try:
            return await run_in_threadpool(handler, request)
        finally:
            self._places.release()


def queued(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler that waits for its turn in the application's queue."""

    async def answer(request: Request) -> Response:
        queue: QueryQueue = request.app.state.queue
        return await queue.answer(handler, request)

    return answer
