"""Answers that clients share: one computation for all who wait for the same, kept while the database stays the same."""

import hashlib
from asyncio import Task, create_task, shield, wait
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from time import monotonic
from typing import Final, Generic, NamedTuple, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse

KEPT_SECONDS: Final = 1.0
"""How long an answer is kept, with its ages and whatever else the clock decides."""
MOST_KEPT: Final = 256
MOST_BYTES: Final = 32 << 20
LARGEST: Final = 2 << 20
"""An answer that has more bytes is not kept."""

T = TypeVar("T")


class Kept(NamedTuple):
    """An answer, the version of the database before it was computed, and when it expires, by a monotonic clock."""

    response: Response
    version: object
    expires_at: float


class Rounds(Generic[T]):
    """Computations by key, one at a time of each. All who asked before one began get its result."""

    def __init__(self) -> None:
        self._newest: dict[Hashable, Task[T]] = {}
        self._waiting: set[Hashable] = set()
        """The keys whose newest computation has not begun."""

    async def result(self, key: Hashable, compute: Callable[[], Awaitable[T]]) -> T:
        """What a computation returns, or raises, that begins after this call."""
        if key not in self._waiting:
            self._waiting.add(key)
            self._newest[key] = create_task(self._run(key, compute, self._newest.get(key)))
        return await shield(self._newest[key])

    async def _run(self, key: Hashable, compute: Callable[[], Awaitable[T]], before: Task[T] | None) -> T:
        if before is not None:
            await wait([before])
        self._waiting.remove(key)
        try:
            return await compute()
        finally:
            if key not in self._waiting:
                del self._newest[key]


class Answers:
    """Answers by path and query. Who may read them, may read all: they do not depend on the token."""

    def __init__(self, version: Callable[[], object]) -> None:
        """``version`` reads what differs after each change of the database."""
        self._version = version
        self._versions: Rounds[object] = Rounds()
        self._rounds: Rounds[Response] = Rounds()
        self._kept: dict[Hashable, Kept] = {}

    async def answer(self, request: Request, compute: Callable[[Request], Response]) -> Response:
        """An answer that has all that was committed before the request. Only successes are kept: errors are raised."""
        key = request.scope["path"], request.scope["query_string"]
        return await self._rounds.result(key, partial(self._current, key, partial(compute, request)))

    async def _current(self, key: Hashable, compute: Callable[[], Response]) -> Response:
        version = await self._versions.result("", partial(run_in_threadpool, self._version))
        kept = self._kept.get(key)
        if kept is not None and kept.version == version and monotonic() < kept.expires_at:
            return kept.response
        response = await run_in_threadpool(compute)
        response.headers["ETag"] = f'"{hashlib.sha256(response.body).hexdigest()}"'
        response.headers["Cache-Control"] = "private, no-cache"
        self._keep(key, Kept(response, version, monotonic() + KEPT_SECONDS))
        return response

    def _keep(self, key: Hashable, kept: Kept) -> None:
        self._kept.pop(key, None)
        if len(kept.response.body) <= LARGEST:
            self._kept[key] = kept
        while len(self._kept) > MOST_KEPT or sum(len(each.response.body) for each in self._kept.values()) > MOST_BYTES:
            del self._kept[next(iter(self._kept))]


def shared(compute: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """A handler that shares its answers, and says only that they are unchanged to a client that has them."""

    async def answer(request: Request) -> Response:
        answers: Answers = request.app.state.answers
        found = await answers.answer(request, compute)
        known = request.headers.get("If-None-Match", "").strip()
        is_known = known == "*" or found.headers["ETag"] in known
        return NotModifiedResponse(found.headers) if is_known else found

    return answer
