"""HTTP servers: their address, which requests may be answered without a token, and their thread."""

import errno
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Thread
from typing import Final, NamedTuple

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp

from coordstream.errors import CoordstreamError, describe_crash
from eventlog.errors import system_reason

_HOST: Final = r"(?P<host>[^:\[\]]+|\[[0-9a-fA-F:.]+\])"
_ADDRESS: Final = re.compile(rf"(?:{_HOST}:)?(?P<port>[0-9]{{1,5}})")
_HOST_HEADER: Final = re.compile(rf"{_HOST}(:[0-9]*)?")
_LARGEST_PORT: Final = 65_535
_KEEP_ALIVE_SECONDS: Final = 75
"""Longer than clients and proxies keep an idle connection: a request fails if the server closes it at that moment."""
_GRACE_SECONDS: Final = 2
"""How long requests may go on after a stop."""

Report = Callable[[str], None]
"""Prints a line. Called in any thread."""


class Address(NamedTuple):
    """A host and a port to listen on; port 0 is any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether a host is ``localhost`` or an address of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_for_loopback(headers: Headers) -> bool:
    """Whether a request names this machine as its ``Host``: only then it may be answered without a token.

    A page of another host could make its own name resolve to 127.0.0.1 and read the answers (DNS rebinding).
    """
    found = _HOST_HEADER.fullmatch(headers.get("host", ""))
    return found is not None and is_loopback(found["host"].strip("[]"))


def parse_address(text: str) -> Address:
    """``127.0.0.1:8470``, ``[::1]:8470``, ``localhost:8470``, or just a port, which is one of 127.0.0.1.

    Raises `ValueError`: it is none of these, or no port has this number.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _LARGEST_PORT:
        raise ValueError(
            f"Invalid address {text!r}. Expected PORT or HOST:PORT, such as 8470, 127.0.0.1:8470 or [::1]:8470, with a "
            f"port from 0 to {_LARGEST_PORT}."
        )
    return Address((found["host"] or "127.0.0.1").strip("[]"), int(found["port"]))


def listen(address: Address, option: str) -> socket.socket:
    """A socket that listens on an address. Raises `CoordstreamError`, with the option to change."""
    try:
        (family, _, _, _, place), *_ = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        return socket.create_server(place[:2], family=family)
    except (OSError, UnicodeError) as error:
        reason = "the host is not a valid name" if isinstance(error, UnicodeError) else system_reason(error)
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            reason = "another program uses this port"
        message = f"Cannot listen on {address}: {reason.partition(' (')[0]}. Choose another address with {option}."
        raise CoordstreamError(message) from None


class HttpServer:
    """Serves an application in a thread. It listens from the beginning. `stop` may be called from a signal handler."""

    def __init__(self, app: ASGIApp, address: Address, option: str, report: Report) -> None:
        """``option`` is the one that selects the address. Raises `CoordstreamError`: it cannot listen there."""
        self.failure: Exception | None = None
        """Why the thread ended; None: it did not, or was stopped."""
        self._listener = listen(address, option)
        self.address: Final = address._replace(port=self._listener.getsockname()[1])
        """The address, with the port that was chosen."""
        self._report = report
        self._thread = Thread(target=self._run, name="http", daemon=True)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",  # applications report their errors, without values
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )

    @contextmanager
    def in_thread(self) -> Iterator[None]:
        """Serve during the block."""
        self._thread.start()
        try:
            yield
        finally:
            self.stop()
            self._thread.join(2 * _GRACE_SECONDS)

    def close(self) -> None:
        """Listen no longer. After `in_thread` nothing is left to close."""
        self._listener.close()

    def wait(self) -> None:
        self._thread.join()

    def stop(self) -> None:
        self._server.should_exit = True

    def _run(self) -> None:
        try:
            with self._listener:
                self._server.run([self._listener])
        except Exception as error:
            self.failure = error
            self._report(f"The HTTP server ended: {type(error).__name__}.")
            self._report(describe_crash(error))
