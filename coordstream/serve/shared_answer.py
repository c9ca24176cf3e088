"""One answer for all who ask at about the same time."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

FRESH_SECONDS: Final = 1.0

Answer = TypeVar("Answer")


class SharedAnswer(Generic[Answer]):
    """Computes an answer in a thread, once at a time, and gives it to everyone for ``FRESH_SECONDS``.

    Who waits takes no thread from other requests. An error is not kept.
    """

    def __init__(self, compute: Callable[[], Answer]) -> None:
        self._compute = compute
        self._lock = asyncio.Lock()
        self._answer: Answer | None = None
        self._expires_at = float("-inf")

    async def get(self) -> Answer:
        """The answer, at most ``FRESH_SECONDS`` old."""
        async with self._lock:
            answer = self._answer
            if answer is None or monotonic() >= self._expires_at:
                answer = self._answer = await run_in_threadpool(self._compute)
                self._expires_at = monotonic() + FRESH_SECONDS
            return answer
