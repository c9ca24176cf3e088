"""What a request asks of a page: its parameters, checked, and the page of a long list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final, NamedTuple
from urllib.parse import urlencode

from coordstream.queries.faults import JobLimits
from coordstream.queries.rows import Cut, Row
from coordstream.serve.application import BadRequest, NotFound
from coordstream.times import InvalidTime, parse_time
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, UnknownJob, find_job

AS_OF: Final = "as_of"
MOST_PAGES: Final = 100_000
NO_LIMITS: Final = JobLimits()


@dataclass(frozen=True)
class Asked:
    """The path, below that of a proxy, and the parameters of a request. An empty parameter counts as missing."""

    path: str
    values: Mapping[str, str] = field(default_factory=dict)
    limits: JobLimits = NO_LIMITS
    base: str = ""
    """The path of a proxy, which all addresses begin with."""

    def text(self, name: str) -> str | None:
        """A parameter without surrounding spaces; None if it is missing."""
        return self.values.get(name, "").strip() or None

    def required(self, name: str) -> str:
        """A parameter as it was given. Raises BadRequest if it is missing."""
        given = self.values.get(name)
        if not given:
            raise BadRequest(f'Missing parameter "{name}".')
        return given

    @cached_property
    def cut(self) -> Cut:
        """The state to show. Raises BadRequest for an invalid time."""
        return Cut(self.time(AS_OF))

    def time(self, name: str) -> datetime | None:
        """A time in any of the forms that the command line accepts. Raises BadRequest."""
        given = self.text(name)
        return None if given is None else time_of(name, given)

    @cached_property
    def page_number(self) -> int:
        """The page of a long list, from 1. Raises BadRequest."""
        given = self.text("page") or "1"
        number = int(given) if given.isascii() and given.isdigit() and len(given) < 7 else 0
        if not 1 <= number <= MOST_PAGES:
            raise BadRequest(f'Invalid value of "page": expected a number from 1 to {MOST_PAGES:,}.')
        return number

    def job(self, connection: Connection) -> Job:
        """The job of the parameter ``job``. Raises NotFound, with similar names."""
        return known_job(connection, self.required("job"))

    def link(self, path: str | None = None, **parameters: object) -> str:
        """The address of a page, or of this one with other parameters, as of the same time. None drops one."""
        kept = {AS_OF: self.moment} if path is not None else {**self.values, AS_OF: self.moment, "page": None}
        given = {name: str(value) for name, value in {**kept, **parameters}.items() if value not in (None, "")}
        address = f"{self.base}{path or self.path}"
        return f"{address}?{urlencode(given)}" if given else address

    @property
    def moment(self) -> str | None:
        """The as-of time as an absolute one, so that it means the same on the next page."""
        at = self.cut.time
        return None if at is None else at.isoformat(timespec="auto").replace("+00:00", "Z")


def time_of(name: str, given: str) -> datetime:
    """The time of a parameter. Raises BadRequest."""
    try:
        return parse_time(given)
    except InvalidTime as error:
        raise BadRequest(f'Parameter "{name}": {error}') from None


def known_job(connection: Connection, word: str) -> Job:
    """The job that a word names. Raises NotFound, with similar names."""
    try:
        return find_job(connection, word)
    except UnknownJob as error:
        raise NotFound(str(error)) from None


class Page(NamedTuple):
    """Some rows of a list, which page of it they are (from 1), and how long the list is."""

    rows: list[Row]
    number: int
    pages: int
    total: int
    first: int
    """The place in the list of the first row, from 1."""


def page_of(rows: Sequence[Row], number: int, page_rows: int) -> Page:
    """The page with a number; the last one if there are fewer."""
    page = page_to_fill(len(rows), number, page_rows)
    return page._replace(rows=list(rows[page.first - 1 :][:page_rows]))


def page_to_fill(total: int, number: int, page_rows: int) -> Page:
    """As `page_of`, of a list with ``total`` rows, but without its rows."""
    pages = max(-(-total // page_rows), 1)
    shown = min(number, pages)
    return Page([], shown, pages, total, (shown - 1) * page_rows + 1)
