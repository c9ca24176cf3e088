"""The job that a user names."""

from collections.abc import Collection
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
