"""The HTTP server of a job coordinator: its URL and its thread (HttpServer of Samza)."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

from coordstream.coordinator.http_application import coordinator_application
from coordstream.coordinator.reachable_host import reachable_host
from coordstream.coordinator.served_job_model import RequestCounts
from coordstream.coordinator.thread_failure import describe_failure
from coordstream.http.address import Address, listen
from coordstream.http.figures import Figure, counter
from coordstream.http.http_server import HttpServer
from managers.coordinator.serving_context import COORDINATOR_URL, JobServingContext

LOOPBACK: Final = "127.0.0.1"
ANY_PORT: Final = 0

_OPTIONS: Final = "--bind or --port"


class CoordinatorServer:
    """A `Service` that serves a job's model and localities. Port 0 is a free port, as in Samza.

    It listens from the beginning: a container that connects before `start` waits for the answer. On a loopback
    address, a request is only answered if its ``Host`` is one, too. ``counts`` counts requests for the job model.
    """

    def __init__(
        self,
        context: JobServingContext,
        host: str = LOOPBACK,
        port: int = ANY_PORT,
        report: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        """Listen on the address; ``report`` gets what the server logs. Raises `AddressUnavailable`."""
        self.counts: Final = RequestCounts()
        address = Address(host, port)
        self._is_loopback: Final = address.is_loopback
        self._listener: Final = listen(address, _OPTIONS)
        self.url: Final = f"http://{Address(reachable_host(host), self._listener.getsockname()[1])}/"
        """The URL of the job model, which containers get. It ends with a slash."""
        context.coordinator_url = self.url
        app = coordinator_application(context, self.counts, is_local=self._is_loopback)
        # answers come from memory, and many containers start at once: none is rejected because others are served
        self._server: Final = HttpServer(app, self._listener, report, most_requests=None)
        self._running: Final = ExitStack()

    def start(self) -> str:
        """Answer requests, and return a line that has the URL."""
        self._running.enter_context(self._server.in_thread())
        line = f"Serving containers. {COORDINATOR_URL}={self.url}"
        if self._is_loopback:
            return line
        return f"Everyone who can connect to {self.url} can read the job's config, with its secrets.\n{line}"

    @property
    def has_outage(self) -> bool:
        """Never: what it serves comes from memory."""
        return False

    def failures(self) -> Iterator[str]:
        """Whether its thread has ended."""
        if self._server.failure is not None:
            yield describe_failure("server for containers", self._server.failure)

    def figures(self) -> Iterator[Figure]:
        """The requests for the job model, as in Samza's BaseServerMetrics."""
        counts = self.counts
        yield counter("coordinator_requests", "Requests for the job model", counts.incoming_requests)
        answers = [(("successful",), counts.successful_responses), (("failed",), counts.failed_responses)]
        yield Figure("coordinator_responses", "Answers to them", answers, ("outcome",), is_counter=True)

    def stop(self) -> None:
        """Close all connections and the port."""
        self._running.close()
        self._listener.close()
