"""The paths of the pages, how they are rendered, and errors as pages for people and as JSON for programs.

Every value is escaped; pages contain neither scripts nor inline styles.
"""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from coordstream.queries.rows import Row, input_partition
from coordstream.serve.answers import shared
from coordstream.serve.application import Refused, json_error
from coordstream.serve.database import snapshot
from coordstream.serve.pages.asked import AS_OF, Asked
from coordstream.serve.pages.fleet import fleet, quarantine_page
from coordstream.serve.pages.job import anomalies_page, config_page, deployments_page, job_page, startpoints_page
from coordstream.serve.pages.task import task_page
from coordstream.times import duration, exact, in_words, moment
from eventlog.errors import known_names, printable_text
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import FINGERPRINT_PREFIX

View = Callable[[Connection, Asked], Row]

PAGES: Final[dict[str, tuple[str, View, tuple[str, ...]]]] = {
    "/": ("fleet.html", fleet, ("q", "show", "page")),
    "/job": ("job.html", job_page, ("job", "q", "page")),
    "/job/config": ("config.html", config_page, ("job", "key", "from", "page")),
    "/job/deployments": ("deployments.html", deployments_page, ("job",)),
    "/job/startpoints": ("startpoints.html", startpoints_page, ("job",)),
    "/job/anomalies": ("anomalies.html", anomalies_page, ("job",)),
    "/task": ("task.html", task_page, ("job", "task", "span", "page")),
    "/quarantine": ("quarantine.html", quarantine_page, ("job", "show", "page")),
}
"""The template of each page, what reads its values, and its parameters but for the time."""

_FOR_PROGRAMS: Final = ("/api", "/healthz", "/metrics", "/readyz", "/static/")
NO_VALUE: Final = "–"
SHOWN_DIGITS: Final = 12


def page_routes() -> list[BaseRoute]:
    pages = [Route(path, shared(_handler(*page))) for path, page in PAGES.items()]
    return [*pages, Mount("/static", StaticFiles(packages=[("coordstream.serve.pages", "static")]))]


def _handler(template: str, view: View, names: Collection[str]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        asked = _asked(request, request.url.path, dict(request.query_params))
        for name in sorted(asked.values.keys() - {AS_OF, *names}):
            known = known_names("parameters", name, [AS_OF, *names])
            raise Refused(f'Page "{asked.path}" has no parameter "{printable_text(name)}".{known}')
        with snapshot(request) as connection:
            values = view(connection, asked)
        return HTMLResponse(render(template, asked, values))

    return answer


def error_response(request: Request, refused: Refused) -> Response:
    """The answer: JSON at the addresses for programs, elsewhere a page."""
    if request.url.path.startswith(_FOR_PROGRAMS):
        return json_error(request, refused)
    values = {
        "sentence": str(refused),
        "may_try_again": refused.status >= 500,
        "given": request.query_params.get(AS_OF, ""),
    }
    return HTMLResponse(render("error.html", _asked_well(request), values), refused.status, refused.headers)


def _asked_well(request: Request) -> Asked:
    """What was asked, without an invalid time and unknown parameters; the fleet in place of an unknown page."""
    if request.url.path not in PAGES:
        return _asked(request, "/", {})
    given = {name: request.query_params.get(name, "") for name in (AS_OF, *PAGES[request.url.path][2])}
    asked = _asked(request, request.url.path, given)
    try:
        asked.time(AS_OF)
    except Refused:
        return _asked(request, asked.path, given | {AS_OF: ""})
    return asked


def _asked(request: Request, path: str, given: dict[str, str]) -> Asked:
    state = request.app.state
    return Asked(path, given, state.job_limits, state.tasks, state.base_path)


@cache
def environment() -> Environment:
    found = Environment(
        loader=PackageLoader("coordstream.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {
        "duration": lambda seconds: NO_VALUE if seconds is None else duration(int(seconds)),
        "exact": lambda time: NO_VALUE if time is None else exact(time),
        "moment": lambda time: moment(time) or NO_VALUE,
        "number": number,
        "partition": input_partition,
        "shown": shown,
        "utc": lambda time: f"{time:%Y-%m-%d %H:%M:%S}",
    }
    return found


def render(template: str, asked: Asked, values: Row) -> str:
    """A page. A template that uses an unknown name raises."""
    now = datetime.now(UTC)
    ago: dict[str, Any] = {"ago": lambda time: NO_VALUE if time is None else in_words(time, now)}
    given = {"asked": asked, "link": asked.link, **ago, **values}
    return environment().get_template(template).render(given)


def number(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:,}"


def shown(value: object) -> str:
    """A text on one line; of a secret's fingerprint the first digits."""
    if value is None:
        return NO_VALUE
    text = printable_text(str(value))
    return f"{text[: len(FINGERPRINT_PREFIX) + SHOWN_DIGITS]}…" if text.startswith(FINGERPRINT_PREFIX) else text
