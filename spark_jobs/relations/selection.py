"""The job and the time that a user selects."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from eventlog.error_text import known_names, list_names, printable_text
from spark_jobs.errors import SparkJobError


class JobChoice(NamedTuple):
    """A selected job. `None` in its place selects all jobs."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.name}/{self.id}"


def choose_job(jobs: Collection[JobChoice], word: str) -> JobChoice:
    """The job that a word names: NAME/ID, or NAME if only one job has it. Raises SparkJobError."""
    found = sorted(job for job in jobs if word in (str(job), job.name))
    if len(found) == 1:
        return found[0]
    name = printable_text(word)
    if found:
        raise SparkJobError(f'Ambiguous job "{name}". Use one of: {list_names(list(map(str, found)))}.')
    if not jobs:
        raise SparkJobError("The database has no logs yet. Run `coordstream import FILE` or `coordstream follow`.")
    raise SparkJobError(f'No job "{name}".{known_names("jobs", word, sorted(map(str, jobs)))}')


def parse_moment(time: str | datetime) -> datetime:
    """An aware time from a datetime or an ISO 8601 text, which is in UTC unless it says otherwise.

    Raises SparkJobError for another text, and for a datetime without a time zone.
    """
    if isinstance(time, str):
        return _parse(time)
    if time.tzinfo is None:
        raise SparkJobError(f"The time {time} has no time zone. Expected one, as in datetime(2026, 1, 31, tzinfo=UTC).")
    return time


def _parse(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise SparkJobError(f"Invalid time {text!r}. Expected ISO 8601, for example 2026-01-31T12:00:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
