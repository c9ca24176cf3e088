"""The paths of the pages, and errors as pages for people and as JSON for programs."""

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from coordstream.queries.faults import JobLimits
from coordstream.queries.rows import Row
from coordstream.serve.application import BadRequest, NotFound, Refused, json_error
from coordstream.serve.database import snapshot
from coordstream.serve.pages.asked import AS_OF, Asked
from coordstream.serve.pages.fleet import fleet, quarantine_page
from coordstream.serve.pages.job import anomalies_page, config_page, deployments_page, job_page, startpoints_page
from coordstream.serve.pages.rendering import STATIC, render, static_content
from coordstream.serve.pages.task import task_page
from eventlog.postgres.connection import Connection

View = Callable[[Connection, Asked], Row]

PAGES: Final[dict[str, tuple[str, View]]] = {
    "/": ("fleet.html", fleet),
    "/job": ("job.html", job_page),
    "/job/config": ("config.html", config_page),
    "/job/deployments": ("deployments.html", deployments_page),
    "/job/startpoints": ("startpoints.html", startpoints_page),
    "/job/anomalies": ("anomalies.html", anomalies_page),
    "/task": ("task.html", task_page),
    "/quarantine": ("quarantine.html", quarantine_page),
}
"""The template of each page, and what reads its values."""

_FOR_PROGRAMS: Final = ("/api", "/healthz", "/metrics", "/readyz", "/static/")
_YEAR_SECONDS: Final = 31_536_000


def page_routes() -> list[BaseRoute]:
    pages = [Route(path, _handler(template, view)) for path, (template, view) in PAGES.items()]
    return [*pages, Route("/static/{name}", static)]


def _handler(template: str, view: View) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        asked = Asked(request.url.path, dict(request.query_params), *_settings(request))
        with snapshot(request) as connection:
            values = view(connection, asked)
        return HTMLResponse(render(template, asked, values))

    return answer


def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise NotFound(f"Nothing at {request.url.path[:200]!r}.")
    headers = {"Cache-Control": f"max-age={_YEAR_SECONDS}, immutable"}
    return Response(static_content(name), media_type=STATIC[name], headers=headers)


def error_response(request: Request, refused: Refused) -> Response:
    """The answer: JSON at the addresses for programs, elsewhere a page."""
    if request.url.path.startswith(_FOR_PROGRAMS):
        return json_error(request, refused)
    values = {
        "sentence": str(refused),
        "may_try_again": refused.status >= 500,
        "given": request.query_params.get(AS_OF, ""),
    }
    return HTMLResponse(render("error.html", _asked(request), values), refused.status, refused.headers)


def _asked(request: Request) -> Asked:
    """What was asked, without a time that is invalid, and of the fleet instead of a page that does not exist."""
    settings = _settings(request)
    if request.url.path not in PAGES:
        return Asked("/", {}, *settings)
    given = dict(request.query_params)
    asked = Asked(request.url.path, given, *settings)
    return asked if _has_valid_time(asked) else Asked(asked.path, given | {AS_OF: ""}, *settings)


def _settings(request: Request) -> tuple[JobLimits, str]:
    return request.app.state.job_limits, request.app.state.base_path


def _has_valid_time(asked: Asked) -> bool:
    try:
        asked.time(AS_OF)
    except BadRequest:
        return False
    return True
