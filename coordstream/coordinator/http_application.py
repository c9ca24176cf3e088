"""The HTTP interface of a job coordinator, which Samza's containers read (JobServlet and LocalityServlet of Samza).

``/``: the job model with the job's config. ``/locality``: the containers' last hosts, or with ``?processorId=0`` that
of one. ``/containerHeartbeat``: whether a container may go on. An error is one sentence of plain text.
"""

import json
import logging
from asyncio import Semaphore
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from coordstream.coordinator.served_job_model import RequestCounts, ServedJobModel
from coordstream.http.address import is_for_loopback
from eventlog.errors import EventLogError
from managers.assignments.locality_manager import localities_to_json, locality_to_json
from managers.coordinator.serving_context import JobServingContext

JOB_MODEL_TYPE: Final = "application/json;charset=UTF-8"
JSON_TYPE: Final = "application/json"
PROCESSOR_ID: Final = "processorId"
EXECUTION_ID: Final = "executionContainerId"

_LOGGER: Final = logging.getLogger(__name__)
_LOCALITY_READS: Final = 2
"""How many requests read the stream at once. In an outage each takes seconds, and the job model needs threads, too."""
_PAGES: Final = "Expected /, /locality or /containerHeartbeat."


def coordinator_application(context: JobServingContext, counts: RequestCounts, *, is_local: bool = False) -> Starlette:
    """The application of one job. If it is local, only requests to a loopback name are answered."""
    return Starlette(
        routes=[
            Route("/", partial(_serve_job_model, ServedJobModel(context), counts)),
            Route("/locality", partial(_serve_locality, context, Semaphore(_LOCALITY_READS))),
            Route("/containerHeartbeat", _serve_heartbeat),
        ],
        middleware=[Middleware(LocalRequests)] if is_local else [],
        exception_handlers={HTTPException: _explain, Exception: _fail},
    )


class LocalRequests:
    """Middleware that rejects requests to other names than those of the loopback interface."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or reject it."""
        is_local = is_for_loopback(Headers(scope=scope).getlist("host"))
        answer = self._app if is_local else _sentence(421, "Only requests to localhost are answered.")
        await answer(scope, receive, send)


async def _serve_job_model(model: ServedJobModel, counts: RequestCounts, _request: Request) -> Response:
    counts.incoming_requests += 1
    try:
        body = await run_in_threadpool(model.json)
    except Exception:
        counts.failed_responses += 1
        raise
    if body is None:
        counts.failed_responses += 1
        return _sentence(404, "The job model is not available yet. Try again when the coordinator has started.")
    counts.successful_responses += 1
    return Response(body, headers={"Content-Type": JOB_MODEL_TYPE})


async def _serve_locality(context: JobServingContext, reads: Semaphore, request: Request) -> Response:
    """As in Samza, a container without a known host has an empty host, also if the job has no such container."""
    asked = request.query_params
    if len(asked) > 0 and (len(asked) > 1 or not asked.get(PROCESSOR_ID)):
        return _sentence(400, f"Invalid query. Expected no parameter, or {PROCESSOR_ID} with the id of a container.")
    try:
        async with reads:
            localities = await run_in_threadpool(context.read_locality)
    except EventLogError as error:
        _LOGGER.warning("The hosts of containers could not be read: %s", error)
        return _sentence(503, "The hosts of containers cannot be read now. Try again later.")
    container_id = asked.get(PROCESSOR_ID)
    if container_id is None:
        return Response(localities_to_json(localities), media_type=JSON_TYPE)
    return Response(locality_to_json(container_id, localities.get(container_id)), media_type=JSON_TYPE)


async def _serve_heartbeat(request: Request) -> Response:
    """A container stops if the answer is not alive, or if there is none."""
    if not request.query_params.get(EXECUTION_ID):
        return _sentence(400, f"Invalid query. Expected {EXECUTION_ID} with the id of a container's execution.")
    return Response(json.dumps({"alive": True}, separators=(",", ":")), media_type=JSON_TYPE)


async def _explain(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return _sentence(404, f"Page not found. {_PAGES}")
    if status == 405:
        return _sentence(405, "Method not allowed. Expected GET.")
    return _sentence(status, "The request is not valid.")


async def _fail(_request: Request, _error: Exception) -> Response:
    return _sentence(500, "The request failed because of an internal error. See the coordinator's log.")


def _sentence(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status)
