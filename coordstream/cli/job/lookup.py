"""Finds the job that a user names."""

from collections.abc import Sequence
from typing import Final

from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import Connection
from projections import job_choice
from projections.job_choice import Job, UnknownJob

DATABASE: Final = "the database"
NO_LOGS: Final = "The database has no logs yet. Run `coordstream import FILE` or `coordstream follow`."

_SERVERS: Final = "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"


def find_job(connection: Connection, word: str) -> Job:
    """Return the job of the database that a word names: ``name/id``, or ``name`` if only one job has it.

    Raises:
        CoordstreamError: No job or several jobs have the name.
    """
    rows = connection.execute("select distinct job_name, job_id from projection.job_log order by 1, 2")
    return choose_job([Job(*row) for row in rows.fetchall()], word)


def choose_job(jobs: Sequence[Job], word: str, place: str = DATABASE) -> Job:
    """Return the one of these jobs that a word names; ``place`` is where they were found. Raises as `find_job`."""
    if not jobs:
        raise CoordstreamError(NO_LOGS if place == DATABASE else f"No streams of a job in {place}. Check {_SERVERS}.")
    try:
        return job_choice.choose_job(jobs, word, "" if place == DATABASE else place)
    except UnknownJob as error:
        raise CoordstreamError(str(error)) from None
