"""Requests wait for their turn, share equal answers, and are refused after a while."""

import asyncio
from collections.abc import Callable, Coroutine
from threading import Event
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from coordstream.serve import query_queue
from coordstream.serve.failures import RETRY_SECONDS, BadRequest, Unavailable
from coordstream.serve.query_queue import QUERIES, QueryQueue
from tests.fixtures.waiting import PATIENCE


def request_of(path: str, query: str = "") -> Request:
    return Request({"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []})


class Handler:
    """Answers with the path, after it was let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = Event()

    def __call__(self, request: Request) -> Response:
        self.begun.append(request.url.path)
        assert self.may_end.wait(PATIENCE)
        return Response(request.url.path)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


def run(scenario: Callable[[QueryQueue, Handler], Coroutine[Any, Any, None]]) -> None:
    async def running() -> None:
        await scenario(QueryQueue(), Handler())

    asyncio.run(running())


def test_a_few_requests_read_at_once() -> None:
    async def scenario(queue: QueryQueue, handler: Handler) -> None:
        requests = [request_of(f"/{number}") for number in range(3 * QUERIES)]
        answers = [asyncio.create_task(queue.answer(handler, request)) for request in requests]
        await until(lambda: len(handler.begun) == QUERIES)
        handler.may_end.set()
        assert [bytes((await answer).body).decode() for answer in answers] == [request.url.path for request in requests]

    run(scenario)


def test_requests_wait_in_the_order_in_which_they_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_queue, "QUERIES", 1)

    async def scenario(queue: QueryQueue, handler: Handler) -> None:
        paths = [f"/{number}" for number in range(20)]
        handler.may_end.set()
        await asyncio.gather(*(queue.answer(handler, request_of(path)) for path in paths))
        assert handler.begun == paths

    run(scenario)


def test_equal_requests_share_an_answer_until_it_is_complete() -> None:
    async def scenario(queue: QueryQueue, handler: Handler) -> None:
        asked = [("/a", "x=1")] * 3 + [("/a", "x=2")]
        answers = [asyncio.create_task(queue.answer(handler, request_of(*each))) for each in asked]
        await until(lambda: len(handler.begun) == 2)
        answers[0].cancel()
        handler.may_end.set()
        first, second, other = [await answer for answer in answers[1:]]
        assert first is second
        assert other is not first
        assert await queue.answer(handler, request_of("/a", "x=1")) is not first
        assert handler.begun == ["/a"] * 3

    run(scenario)


def test_a_request_that_waits_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_queue, "WAIT_SECONDS", 0.01)

    async def scenario(queue: QueryQueue, handler: Handler) -> None:
        held = [asyncio.create_task(queue.answer(handler, request_of(f"/{number}"))) for number in range(QUERIES)]
        await until(lambda: len(handler.begun) == QUERIES)
        with pytest.raises(Unavailable, match="Too many requests at once") as refused:
            await queue.answer(handler, request_of("/late"))
        assert refused.value.headers == {"Retry-After": str(RETRY_SECONDS)}
        handler.may_end.set()
        await asyncio.gather(*held)
        assert (await queue.answer(handler, request_of("/late"))).body == b"/late"

    run(scenario)


def test_an_error_ends_a_turn_and_is_not_kept() -> None:
    def fail(_request: Request) -> Response:
        raise BadRequest("No.")

    async def scenario(queue: QueryQueue, handler: Handler) -> None:
        handler.may_end.set()
        for _ in range(QUERIES + 1):
            with pytest.raises(BadRequest):
                await queue.answer(fail, request_of("/a"))
        assert (await queue.answer(handler, request_of("/a"))).body == b"/a"

    run(scenario)
