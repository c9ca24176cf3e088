"""Errors as answers: a status and a sentence, never a value or a traceback."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from coordstream.database import DatabaseUnreachable
from coordstream.errors import CoordstreamError
from eventlog.errors import EventLogError
from projections.errors import ProjectionError

RETRY_SECONDS: Final = 5


class Refused(CoordstreamError):
    """A request that is answered with an error; ``status`` is that of HTTP."""

    status = 400

    def __init__(self, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.headers = dict(headers or {})
        super().__init__(message)


class BadRequest(Refused):
    """A parameter is invalid."""


class NotFound(Refused):
    """What the path names does not exist."""

    status = 404


class Unavailable(Refused):
    """The request can be answered later."""

    status = 503

    def __init__(self, message: str) -> None:
        super().__init__(message, {"Retry-After": str(RETRY_SECONDS)})


def as_refused(error: Exception) -> Refused:
    """Any error as an answer; that of an unexpected one says nothing about it."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, DatabaseUnreachable):
        return Unavailable(str(error))
    refused = _Failed(_sentence(error))
    refused.__cause__ = error
    return refused


def json_response(_scope: Scope, refused: Refused) -> Response:
    """The answer, as JSON."""
    return JSONResponse({"error": str(refused)}, refused.status, refused.headers)


class _Failed(Refused):
    status = 500


def _sentence(error: Exception) -> str:
    if isinstance(error, CoordstreamError | EventLogError | ProjectionError):
        return " ".join(str(error).split())
    return f"Unexpected error {type(error).__name__}. The log of the server has its traceback."
