"""Errors as pages for people, and as JSON for programs."""

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from coordstream.serve.failures import BadRequest, Refused, json_response
from coordstream.serve.pages.asked import AS_OF, Asked
from coordstream.serve.pages.rendering import render
from coordstream.serve.pages.routes import PAGES

_FOR_PROGRAMS: Final = ("/api", "/healthz", "/metrics", "/readyz", "/static/")


def error_response(scope: Scope, refused: Refused) -> Response:
    """The answer: JSON at the addresses for programs, elsewhere a page."""
    request = Request(scope)
    if request.url.path.startswith(_FOR_PROGRAMS):
        return json_response(scope, refused)
    values = {
        "sentence": str(refused),
        "may_try_again": refused.status >= 500,
        "given": request.query_params.get(AS_OF, ""),
    }
    return HTMLResponse(render("error.html", _asked(request), values), refused.status, refused.headers)


def _asked(request: Request) -> Asked:
    """What was asked, without a time that is invalid, and of the fleet instead of a page that does not exist."""
    if request.url.path not in PAGES:
        return Asked("/")
    given = dict(request.query_params)
    asked = Asked(request.url.path, given)
    return asked if _has_valid_time(asked) else Asked(asked.path, given | {AS_OF: ""})


def _has_valid_time(asked: Asked) -> bool:
    try:
        asked.time(AS_OF)
    except BadRequest:
        return False
    return True
