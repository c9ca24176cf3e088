"""The job and the time that a user selects."""

from collections.abc import Collection
from datetime import UTC, datetime

from projections import job_choice
from projections.job_choice import Job, UnknownJob
from spark_jobs.errors import SparkJobError


def choose_job(jobs: Collection[Job], word: str) -> Job:
    """The job that a word names: NAME/ID, or NAME if only one job has it. Raises SparkJobError."""
    try:
        return job_choice.choose_job(sorted(jobs), word)
    except UnknownJob as error:
        raise SparkJobError(str(error)) from None


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
