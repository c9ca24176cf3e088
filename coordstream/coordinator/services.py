"""What runs beside a job coordinator, in threads: the HTTP server for containers, and monitors of the inputs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from coordstream.extras import require_packages
from coordstream.http.figures import Figure
from managers.coordinator.serving_context import JobServingContext
from managers.job_names import Config
from managers.streams.stream_creation import InputAdmin

OpenAdmins = Callable[[Config], AbstractContextManager[Mapping[str, InputAdmin]]]
"""Opens admins of the systems that a config's inputs name. An admin is not thread-safe: each thread opens its own."""


class Service(Protocol):
    """Runs in threads of its own from `start` to `stop`. `start` returns once it works."""

    def start(self) -> str:
        """Start, and return a line to print; empty: none. Raises `CoordstreamError`."""

    def stop(self) -> None:
        """Stop within a few seconds. Does nothing if it was not started."""

    @property
    def has_outage(self) -> bool:
        """Whether brokers or the database did not answer it last. Read in any thread."""

    def failures(self) -> Iterable[str]:
        """What does not work now, as sentences. Called in any thread."""

    def figures(self) -> Iterable[Figure]:
        """Its metrics. Called in any thread."""


@dataclass(frozen=True)
class ServiceOptions:
    """The options of `coordstream coordinator run` that services need. Port 0: any free port."""

    host: str
    port: int
    open_admins: OpenAdmins
    report: Callable[[str], None] = lambda _sentence: None
    """Gets a sentence about what a service cannot do now. Called in any thread."""


def services_of(context: JobServingContext, options: ServiceOptions) -> Sequence[Service]:
    """The services, in the order in which they start. They stop in reverse order.

    Raises `AddressUnavailable`: the server cannot listen at the address.
    """
    # loaded here: input_monitors imports this module, and the server is in the extra `serve`
    require_packages("starlette", "uvicorn")
    from coordstream.coordinator.http_server import CoordinatorServer  # noqa: PLC0415
    from coordstream.coordinator.input_monitors import InputMonitors  # noqa: PLC0415

    return (
        CoordinatorServer(context, options.host, options.port, options.report),
        InputMonitors(context, options.open_admins, options.report),
    )
