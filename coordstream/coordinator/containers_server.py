"""The HTTP server of a job coordinator, which Samza's containers read (JobServlet and LocalityServlet of Samza).

``/``: the job model with the job's config. ``/locality``: the containers' last hosts, or with ``?processorId=0`` that
of one. ``/containerHeartbeat``: whether a container may go on. An error is one sentence of plain text.
"""

import logging
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from coordstream.errors import describe_crash
from coordstream.metric_text import metric
from coordstream.web_server import Address, HttpServer, is_for_loopback, is_loopback
from eventlog.errors import EventLogError
from managers.assignments.job_model_assignments import localities_to_json, locality_to_json
from managers.coordinator.serving_context import COORDINATOR_URL, JobAttempt, JobServingContext
from managers.job_models.job_model_json import job_model_to_json

LOOPBACK: Final = "127.0.0.1"
JOB_MODEL_TYPE: Final = "application/json;charset=UTF-8"
JSON_TYPE: Final = "application/json"
PROCESSOR_ID: Final = "processorId"
EXECUTION_ID: Final = "executionContainerId"

_OPTIONS: Final = "--bind or --port"
_SENTENCES: Final = {
    404: "Page not found. Expected /, /locality or /containerHeartbeat.",
    405: "Method not allowed. Expected GET.",
}
_ANY_INTERFACE: Final = ("0.0.0.0", "::")  # noqa: S104 (what `--bind` may say)
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address for documentation: connecting a datagram socket to it sends nothing, but selects a network interface."""
_LOGGER: Final = logging.getLogger(__name__)


class CoordinatorServer:
    """Serves a job's model and localities. Port 0 is a free port, as in Samza.

    It listens from the beginning: a container that connects before `start` waits for the answer. On a loopback
    address, a request is only answered if its ``Host`` is one, too. ``answers`` counts the answers to requests for the
    job model, ``successful`` or ``failed`` (BaseServerMetrics of Samza).
    """

    def __init__(
        self,
        context: JobServingContext,
        host: str = LOOPBACK,
        port: int = 0,
        report: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        """Listen on the address; ``report`` gets what fails. Raises `CoordstreamError`."""
        self.answers: Final[Counter[str]] = Counter()
        self._context: Final = context
        self._report: Final = report
        self._encoded: tuple[JobAttempt, bytes] | None = None
        self._is_loopback: Final = is_loopback(host)
        self._server: Final = HttpServer(self._application(), Address(host, port), _OPTIONS, report)
        self.url: Final = f"http://{self._server.address._replace(host=reachable_host(host))}/"
        """The URL of the job model, which containers get. It ends with a slash."""
        self._running: Final = ExitStack()

    def start(self) -> str:
        """Answer requests, and return a line that has the URL."""
        self._running.enter_context(self._server.in_thread())
        line = f"Serving containers. {COORDINATOR_URL}={self.url}"
        if self._is_loopback:
            return line
        return f"Everyone who can connect to {self.url} can read the job's config, with its secrets.\n{line}"

    def stop(self) -> None:
        self._running.close()
        self._server.close()

    def failures(self) -> Iterator[str]:
        if self._server.failure is not None:
            yield f"The server for containers failed unexpectedly: {type(self._server.failure).__name__}."

    def collect(self) -> Iterator[str]:
        """The requests for the job model, as in Samza's BaseServerMetrics."""
        requests = [((), self.answers.total())]
        yield metric("coordinator_requests_total", "Requests for the job model", (), requests)
        answers = [((outcome,), self.answers[outcome]) for outcome in ("successful", "failed")]
        yield metric("coordinator_responses_total", "Answers to them", ("outcome",), answers)

    def _application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._serve_job_model),
                Route("/locality", self._serve_locality),
                Route("/containerHeartbeat", self._serve_heartbeat),
            ],
            middleware=[Middleware(BaseHTTPMiddleware, dispatch=_require_local)] if self._is_loopback else [],
            exception_handlers={HTTPException: self._explain, Exception: self._fail},
        )

    async def _serve_job_model(self, _request: Request) -> Response:
        """From memory, and without a thread: those may all wait for a log that does not answer."""
        try:
            body = self._job_model()
        except Exception:
            self.answers["failed"] += 1
            raise
        self.answers["failed" if body is None else "successful"] += 1
        if body is None:
            return _sentence(404, "The job model is not available yet. Try again when the coordinator has started.")
        return Response(body, headers={"Content-Type": JOB_MODEL_TYPE})

    def _job_model(self) -> bytes | None:
        """The current attempt's job model, encoded once (SAMZA-2439); None before it is computed."""
        attempt = self._context.attempt
        if attempt is None:
            return None
        if self._encoded is None or self._encoded[0] is not attempt:
            self._encoded = (attempt, job_model_to_json(attempt.job_model))
        return self._encoded[1]

    def _serve_locality(self, request: Request) -> Response:
        """As in Samza, a container without a known host has an empty host, also if the job has no such container."""
        asked = request.query_params
        if len(asked) > 0 and (len(asked) > 1 or not asked.get(PROCESSOR_ID)):
            return _sentence(
                400, f"Invalid query. Expected no parameter, or {PROCESSOR_ID} with the id of a container."
            )
        try:
            localities = self._context.read_locality()
        except EventLogError as error:
            _LOGGER.warning("The hosts of containers could not be read: %s", error)
            return _sentence(503, "The hosts of containers cannot be read now. Try again later.")
        container_id = asked.get(PROCESSOR_ID)
        if container_id is None:
            return Response(localities_to_json(localities), media_type=JSON_TYPE)
        return Response(locality_to_json(container_id, localities.get(container_id)), media_type=JSON_TYPE)

    async def _serve_heartbeat(self, request: Request) -> Response:
        """A container stops if the answer is not alive, or if there is none."""
        if not request.query_params.get(EXECUTION_ID):
            return _sentence(400, f"Invalid query. Expected {EXECUTION_ID} with the id of a container's execution.")
        return Response('{"alive":true}', media_type=JSON_TYPE)

    async def _explain(self, _request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return _sentence(status, _SENTENCES.get(status, "Invalid HTTP request. Expected GET."))

    async def _fail(self, _request: Request, error: Exception) -> Response:
        self._report(describe_crash(error))
        return _sentence(500, "The request failed because of an internal error. See the coordinator's log.")


async def _require_local(request: Request, answer: RequestResponseEndpoint) -> Response:
    if is_for_loopback(request.headers):
        return await answer(request)
    return _sentence(421, "Only requests to localhost are answered.")


def reachable_host(host: str) -> str:
    """The host for URLs: the given one, or for a wildcard address the name of this machine, as in Samza.

    If the machine's name only leads to itself, it is the machine's address in its network.
    """
    return _machine_name() if host in _ANY_INTERFACE else host


def _machine_name() -> str:
    name = socket.gethostname()
    try:
        if not is_loopback(socket.gethostbyname(name)):
            return name
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            return str(probe.getsockname()[0])
    except OSError:
        return name


def _sentence(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status)
