"""What a request asks of a page: its parameters, checked, and the page of a long list."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from coordstream.queries.jobs import FleetTasks, JobLimits
from coordstream.queries.rows import Cut
from coordstream.serve.application import Refused
from coordstream.times import InvalidTime, parse_time
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, find_job

AS_OF: Final = "as_of"
MOST_PAGES: Final = 100_000


@dataclass(frozen=True)
class Asked:
    """The path, below that of a proxy, and the parameters of a request. An empty parameter counts as missing."""

    path: str
    values: Mapping[str, str]
    limits: JobLimits
    tasks: FleetTasks
    base: str
    """The path of a proxy, which all addresses begin with."""

    def text(self, name: str) -> str | None:
        """A parameter without surrounding spaces; None if it is missing."""
        return self.values.get(name, "").strip() or None

    def required(self, name: str) -> str:
        """A parameter as it was given. Raises Refused if it is missing."""
        given = self.values.get(name)
        if not given:
            raise Refused(f'Missing parameter "{name}".')
        return given

    def choice(self, name: str, known: Collection[str]) -> str | None:
        """A parameter that has one of some values; None if it is missing. Raises Refused."""
        given = self.text(name)
        if given is not None and given not in known:
            raise Refused(f'Invalid value of "{name}": expected one of {", ".join(known)}.')
        return given

    @cached_property
    def cut(self) -> Cut:
        """The state to show. Raises Refused for an invalid time."""
        return Cut(self.time(AS_OF))

    def time(self, name: str) -> datetime | None:
        """A time in any of the forms that the command line accepts. Raises Refused."""
        given = self.text(name)
        return None if given is None else time_of(name, given)

    @cached_property
    def page_number(self) -> int:
        """The page of a long list, from 1. Raises Refused."""
        return number_of("page", self.text("page") or "1", MOST_PAGES)

    def job(self, connection: Connection) -> Job:
        """The job of the parameter ``job``. Raises UnknownJob, with similar names."""
        return find_job(connection, self.required("job"))

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
    """The time of a parameter. Raises Refused."""
    try:
        return parse_time(given)
    except InvalidTime as error:
        raise Refused(f'Parameter "{name}": {error}') from None


def number_of(name: str, given: str, most: int) -> int:
    """The number of a parameter, from 1. Raises Refused."""
    if given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= most:
        return int(given)
    raise Refused(f'Invalid value of "{name}": expected a number from 1 to {most:,}.')


class Page(NamedTuple):
    """Some rows of a list, which page of it they are (from 1), and how long the list is."""

    rows: list[Any]
    number: int
    pages: int
    total: int
    first: int
    """The place in the list of the first row, from 1."""


def page_of(rows: Sequence[Any], number: int, page_rows: int) -> Page:
    """The page with a number; the last one if there are fewer."""
    pages = max(-(-len(rows) // page_rows), 1)
    shown = min(number, pages)
    first = (shown - 1) * page_rows
    return Page(list(rows[first:][:page_rows]), shown, pages, len(rows), first + 1)
