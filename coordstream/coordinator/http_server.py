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
    """Serves a job's model and localities in a thread of its own. Port 0 is a free port, as in Samza.

    On a loopback address, a request is only answered if its ``Host`` is that address or localhost, so that a web page
    in a browser on this machine cannot read the job's config. ``counts`` counts requests for the job model.
    """

    def __init__(self, context: JobServingContext, host: str = LOOPBACK, port: int = ANY_PORT) -> None:
        self._context: Final = context
        self._host: Final = host
        self._port: Final = port
        self._running: _Running | None = None
        self.counts: Final = RequestCounts()
        self.url = ""
        """The URL of the job model, which containers get; it ends with a slash. Empty while the server does not run."""

    def start(self) -> str:
        """Listen, and return a line that has the URL. Raises `AddressUnavailable`."""
        allowed = (self._host, "localhost") if is_loopback(self._host) else ("*",)
        application = coordinator_application(self._context, self.counts, allowed)
        config = Config(
            application,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="off",
            timeout_graceful_shutdown=_STOP_SECONDS,
        )
        self._running = _Running(config, listen(self._host, self._port))
        host = reachable_host(self._host)
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self._running.port}/"
        return f"Serving containers. {COORDINATOR_URL}={self.url}"

    def stop(self) -> None:
        """Close all connections and the port."""
        if self._running is not None:
            self._running.stop()
            self._running, self.url = None, ""


class _Running:
    """A server that accepts connections on a socket."""

    def __init__(self, config: Config, listener: socket.socket) -> None:
        self._listener: Final = listener
        self.port: Final[int] = listener.getsockname()[1]
        self._server: Final = _SignallingServer(config)
        self._thread: Final = Thread(target=self._server.run, args=([listener],), name="http", daemon=True)
        self._thread.start()
        self._server.is_ready.wait()

    def stop(self) -> None:
        self._server.should_exit = True
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
