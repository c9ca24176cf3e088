"""Runs an application on a socket, until it is stopped."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from coordstream.http.in_pieces import InPieces
from coordstream.http.protocol import KEEP_ALIVE_SECONDS, LONGEST_HEADERS, MOST_CONNECTIONS, LimitedProtocol
from coordstream.private_traceback import private_traceback

_GRACE_SECONDS: Final = 2
"""How long requests may continue after a stop."""
_END_SECONDS: Final = 4.0
_LOGGER: Final = logging.getLogger("uvicorn.error")


class HttpServer:
    """One server. `stop` may be called from a signal handler or another thread."""

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        report: Callable[[str], None],
        most_requests: int | None = MOST_CONNECTIONS // 2,
    ) -> None:
        """``most_requests``: with as many connections, requests are answered with 503; None: never."""
        self._listener = listener
        self._report = report
        self.failure: Exception | None = None
        """Why the thread of the server ended; None: it did not, or was stopped."""
        self._server = _Server(
            uvicorn.Config(
                InPieces(app),
                loop="asyncio",
                http=LimitedProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=most_requests,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
                h11_max_incomplete_event_size=LONGEST_HEADERS,
            )
        )

    def run(self) -> None:
        """Serve until stopped."""
        with self._listener, _report_warnings(self._report):
            asyncio.run(self._server.serve([self._listener]))

    @contextmanager
    def in_thread(self) -> Iterator[None]:
        """Serve during the block, in a thread of its own."""
        thread = Thread(target=self._run_in_thread, name="http", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.stop()
            thread.join(_END_SECONDS)

    def _run_in_thread(self) -> None:
        try:
            self.run()
        except Exception as error:
            self.failure = error
            self._report(f"The HTTP server ended: {type(error).__name__}.")
            self._report(private_traceback(error).rstrip())

    def stop(self) -> None:
        """Accept no more requests, and end."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the command."""
        yield


class _Reports(logging.Handler):
    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        """Report the message, and its traceback without what may repeat values."""
        self._report(record.getMessage().strip())
        error = record.exc_info and record.exc_info[1]
        if error:
            self._report(private_traceback(error).rstrip())


@contextmanager
def _report_warnings(report: Callable[[str], None]) -> Iterator[None]:
    """Report what uvicorn logs: malformed requests, too many connections."""
    handler, propagates = _Reports(report), _LOGGER.propagate
    _LOGGER.addHandler(handler)
    _LOGGER.propagate = False
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.propagate = propagates
