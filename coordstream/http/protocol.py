"""uvicorn's protocol with a time limit for each request, so that slow clients hold no connections."""

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 600
"""More are closed at once. From the maximum number of requests on, each new one closes one that is idle."""
HEAD_SECONDS: Final = 10.0
"""From the first byte of a request to the end of its headers, and from the connection to the first request."""
ANSWER_SECONDS: Final = 60.0
"""From a request to the end of its answer, as far as the client takes it."""
KEEP_ALIVE_SECONDS: Final = 75
"""How long a connection may be idle: longer than clients keep one (Java's HTTP client 5 s, nginx and load balancers
60 s), so that the client closes it. If the server does, a request that is sent at that moment fails."""
LONGEST_HEADERS: Final = 16_384
"""Bytes."""


class LimitedProtocol(H11Protocol):
    """Closes a connection whose client sends its request, or takes the answer, too slowly."""

    _timer: asyncio.TimerHandle | None = None
    idle_since: float | None = None
    """The event loop's time at which the last answer was complete; None: a request is expected or being answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, and close another one that is idle if there are many."""
        super().connection_made(transport)
        is_crowded = len(self.connections) >= min(self.limit_concurrency or MOST_CONNECTIONS, MOST_CONNECTIONS)
        if is_crowded and not self._close_longest_idle() and len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._expect_within(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Read on; the first byte of a request starts its time."""
        if self.idle_since is not None:
            self.idle_since = None
            self._expect_within(HEAD_SECONDS)
        was_answering = self._is_answering
        super().data_received(data)
        if self._is_answering and not was_answering:
            self._expect_within(ANSWER_SECONDS)

    def on_response_complete(self) -> None:
        """End the time of a request, and start that of the next one if the client has sent it already."""
        super().on_response_complete()
        if self._is_answering:
            self._expect_within(ANSWER_SECONDS)
        else:
            self.idle_since = self.loop.time()
            has_unsent = self.transport.get_write_buffer_size() > 0
            self._expect_within(ANSWER_SECONDS if has_unsent else HEAD_SECONDS + KEEP_ALIVE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        super().connection_lost(exc)
        self._cancel()

    def _close_longest_idle(self) -> bool:
        """Whether there was one. It counts as a connection until the event loop has closed it."""
        idle = [each for each in self.connections if isinstance(each, LimitedProtocol) and each.idle_since is not None]
        longest = min(idle, key=lambda each: each.idle_since or 0.0, default=None)
        if longest is None:
            return False
        longest.idle_since = None
        longest.shutdown()
        return True

    @property
    def _is_answering(self) -> bool:
        return not getattr(self.cycle, "response_complete", True)  # None before the first request

    def _expect_within(self, seconds: float) -> None:
        self._cancel()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _unsupported_upgrade_warning(self) -> None:
        """An upgrade is ignored, as HTTP allows."""
