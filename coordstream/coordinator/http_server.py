"""The HTTP server of a job coordinator: its URL and its thread (HttpServer of Samza)."""

import socket
from threading import Event, Thread
from typing import Final

from uvicorn import Config, Server

from coordstream.coordinator.address import is_loopback, listen, reachable_host
from coordstream.coordinator.http_application import coordinator_application
from coordstream.coordinator.served_job_model import RequestCounts
from managers.coordinator.container_launch import COORDINATOR_URL
from managers.coordinator.serving_context import JobServingContext

LOOPBACK: Final = "127.0.0.1"
ANY_PORT: Final = 0

_STOP_SECONDS: Final = 1


class CoordinatorServer:
    """A `Service` that serves a job's model and localities. Port 0 is a free port, as in Samza.

    It listens from the beginning: a container that connects before `start` waits for the answer. On a loopback
    address, a request is only answered if its ``Host`` is that address or localhost, so that a web page in a browser on
    this machine cannot read the job's config. ``counts`` counts requests for the job model.
    """

    def __init__(self, context: JobServingContext, host: str = LOOPBACK, port: int = ANY_PORT) -> None:
        """Listen at the address. Raises `AddressUnavailable`."""
        self.counts: Final = RequestCounts()
        self._is_loopback: Final = is_loopback(host)
        self._listener: Final = listen(host, port)
        self.url: Final = _url(reachable_host(host), self._listener.getsockname()[1])
        """The URL of the job model, which containers get. It ends with a slash."""
        context.coordinator_url = self.url
        allowed = (host, "localhost") if self._is_loopback else ("*",)
        config = Config(
            coordinator_application(context, self.counts, allowed),
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=_STOP_SECONDS,
        )
        self._server: Final = _SignallingServer(config)
        self._thread: Final = Thread(target=self._server.run, args=([self._listener],), name="http", daemon=True)

    def start(self) -> str:
        """Answer requests, and return a line that has the URL."""
        self._thread.start()
        self._server.is_ready.wait()
        line = f"Serving containers. {COORDINATOR_URL}={self.url}"
        if self._is_loopback:
            return line
        return f"Everyone who can connect to {self.url} can read the job's config, with its secrets.\n{line}"

    def stop(self) -> None:
        """Close all connections and the port."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()
        self._listener.close()


class _SignallingServer(Server):
    """Sets an event when it accepts connections, or has failed to start."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.is_ready: Final = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.is_ready.set()


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
