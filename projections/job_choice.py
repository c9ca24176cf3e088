"""Chooses the job that a user names."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from eventlog.errors import known_names, list_names, printable_text
from eventlog.postgres.connection import Connection
from projections.errors import ProjectionError

NO_LOGS: Final = "The database has no logs yet. Run `coordstream import FILE` or `coordstream follow`."


class Job(NamedTuple):
    """A job's name and id, as in its config."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.name}/{self.id}"


class UnknownJob(ProjectionError):
    """No job has the name that a user typed, or several have it."""


def known_jobs(connection: Connection) -> list[Job]:
    """The jobs of the database, sorted."""
    rows = connection.execute("select distinct job_name, job_id from projection.job_log order by 1, 2")
    return [Job(*row) for row in rows.fetchall()]


def find_job(connection: Connection, word: str) -> Job:
    """Return the job of the database that a word names. Raises as `choose_job`."""
    return choose_job(known_jobs(connection), word)


def choose_job(jobs: Sequence[Job], word: str, place: str = "") -> Job:
    """Return the one of these jobs that a word names: ``name/id``, or ``name`` if only one job has it; else raise
    UnknownJob.

    ``_`` and ``-`` are the same, unless a job has exactly this name: names of topics have ``-`` for ``_``. ``place`` is
    where the jobs were found, for the error; empty: in the database.
    """
    if not jobs and not place:
        raise UnknownJob(NO_LOGS)
    found = _named(jobs, word)
    if len(found) == 1:
        return found[0]
    name = printable_text(word)
    if found:
        raise UnknownJob(f'Ambiguous job "{name}". Use one of: {list_names(list(map(str, found)))}.')
    known = list(map(str, jobs)) if "/" in word else _short_names(jobs)
    raise UnknownJob(f'No job "{name}"{f" in {place}" if place else ""}.{known_names("jobs", word, known)}')


def _named(jobs: Sequence[Job], word: str) -> list[Job]:
    exact = [job for job in jobs if word in (str(job), job.name)]
    folded = word.replace("_", "-")
    return exact or [job for job in jobs if folded in (str(job).replace("_", "-"), job.name.replace("_", "-"))]


def _short_names(jobs: Sequence[Job]) -> list[str]:
    """The jobs as users may type them: without the id where only one job has the name."""
    names = [job.name for job in jobs]
    return [job.name if names.count(job.name) == 1 else str(job) for job in jobs]
