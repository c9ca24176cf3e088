"""Which job a user means."""

from typing import NamedTuple

from coordstream.errors import CoordstreamError
from eventlog.error_text import did_you_mean
from eventlog.postgres.connection import Connection

DATABASE = "the database"
NOTHING_IMPORTED = "the database holds no log yet: run `coordstream import FILE` or `coordstream follow`"


class Job(NamedTuple):
    """A job's name and id, as its config says them."""

    name: str
    id: str

    def __str__(self) -> str:
        return f"{self.name}/{self.id}"


def find_job(connection: Connection, word: str) -> Job:
    """The job that a word names: ``name/id``, or ``name`` where only one job has it.

    Raises:
        CoordstreamError: there is no such job, or more than one.
    """
    rows = connection.execute("select distinct job_name, job_id from projection.job_log order by 1, 2")
    return choose_job([Job(*row) for row in rows.fetchall()], word)


def choose_job(jobs: list[Job], word: str, place: str = DATABASE) -> Job:
    """The one of the jobs of a place that a word names; see `find_job`."""
    found = [job for job in jobs if word in (str(job), job.name)]
    if len(found) == 1:
        return found[0]
    if not jobs:
        has_none = f"{place} has no stream of a job: see that COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS names the right one."
        raise CoordstreamError(NOTHING_IMPORTED if place == DATABASE else has_none)
    if not found:
        raise CoordstreamError(f"there is no job {word!r} in {place}: it has {_listed(jobs)}.{_meant(jobs, word)}")
    raise CoordstreamError(f"{word!r} names several jobs: write one of {_listed(found)}.")


def _meant(jobs: list[Job], word: str) -> str:
    return did_you_mean(word, [str(job) for job in jobs] if "/" in word else {job.name for job in jobs})


def _listed(jobs: list[Job]) -> str:
    shown = ", ".join(str(job) for job in jobs[:10])
    return shown if len(jobs) <= 10 else f"{shown} and {len(jobs) - 10} more"
