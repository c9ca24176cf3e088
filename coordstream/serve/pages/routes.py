"""The paths of the pages."""

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from coordstream.queries.rows import Row
from coordstream.serve.failures import NotFound
from coordstream.serve.pages.anomalies import anomalies_page
from coordstream.serve.pages.asked import Asked
from coordstream.serve.pages.config import config_page
from coordstream.serve.pages.deployments import deployments_page
from coordstream.serve.pages.fleet import fleet
from coordstream.serve.pages.job import job_page
from coordstream.serve.pages.quarantine import quarantine_page
from coordstream.serve.pages.rendering import STATIC, render, static_content
from coordstream.serve.pages.startpoints import startpoints_page
from coordstream.serve.pages.task import task_page
from coordstream.serve.query_queue import queued
from coordstream.serve.snapshot import snapshot
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

_YEAR_SECONDS: Final = 31_536_000


def page_routes() -> list[BaseRoute]:
    """The pages, and the files that they need."""
    pages = [Route(path, queued(_handler(template, view))) for path, (template, view) in PAGES.items()]
    return [*pages, Route("/static/{name}", static)]


def _handler(template: str, view: View) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        asked = Asked(request.url.path, dict(request.query_params))
        with snapshot(request) as connection:
            values = view(connection, asked)
        return HTMLResponse(render(template, asked, values))

    return answer


def static(request: Request) -> Response:
    """A file of the pages."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise NotFound(f"Nothing at {request.url.path[:200]!r}.")
    headers = {"Cache-Control": f"max-age={_YEAR_SECONDS}, immutable"}
    return Response(static_content(name), media_type=STATIC[name], headers=headers)
