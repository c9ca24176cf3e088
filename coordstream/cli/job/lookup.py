"""Finds the job that a user names."""

from collections.abc import Sequence
from typing import NamedTuple

from coordstream.errors import CoordstreamError
from eventlog.error_text import known_names, list_names, printable_text
from eventlog.postgres.connection import Connection

DATABASE = "the database"
NO_LOGS = "The database has no logs yet. Run `coordstream import FILE` or `coordstream follow`."


class Job(NamedTuple):
    """A job's name and id, as in its config."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.name}/{self.id}"


def find_job(connection: Connection, word: str) -> Job:
    """Return the job of the database that a word names: ``name/id``, or ``name`` if only one job has it.

    Raises:
        CoordstreamError: No job or several jobs have the name.
    """
    rows = connection.execute("select distinct job_name, job_id from projection.job_log order by 1, 2")
    return choose_job([Job(*row) for row in rows.fetchall()], word)


def choose_job(jobs: Sequence[Job], word: str, place: str = DATABASE) -> Job:
    """Return the one of these jobs that a word names; ``place`` is where they were found. Raises as `find_job`.

    ``_`` and ``-`` are the same, unless a job has exactly this name: names of topics have ``-`` for ``_``.
    """
    found = [job for job in jobs if word in (str(job), job.name)]
    folded = word.replace("_", "-")
    found = found or [job for job in jobs if folded in (str(job).replace("_", "-"), job.name.replace("_", "-"))]
    if len(found) == 1:
        return found[0]
    name = printable_text(word)
    if found:
        raise CoordstreamError(f'Ambiguous job "{name}". Use one of: {list_names(list(map(str, found)))}.')
    if not jobs:
        raise CoordstreamError(NO_LOGS if place == DATABASE else f"No streams of a job in {place}. Check {_SERVERS}.")
    known = known_names("jobs", word, list(map(str, jobs)) if "/" in word else _short_names(jobs))
    raise CoordstreamError(f'No job "{name}"{"" if place == DATABASE else f" in {place}"}.{known}')


_SERVERS = "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"


def _short_names(jobs: Sequence[Job]) -> list[str]:
    """The jobs as users may type them: without the id where only one job has the name."""
    names = [job.name for job in jobs]
    return [job.name if names.count(job.name) == 1 else str(job) for job in jobs]
