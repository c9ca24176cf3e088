"""Selects jobs, or all of them, for commands that work on whole logs."""

from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

import typer

from coordstream.cli.completion import complete_job
from coordstream.cli.job.lookup import NO_LOGS, Job, find_job
from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import Connection
from projections.tracked_logs import TrackedLog, logs_of

_STREAMS: Final = "select distinct job_name, job_id, stream_name from projection.job_log order by 1, 2, 3"

Jobs = Annotated[
    list[str] | None,
    typer.Argument(metavar="JOB", help="Names, or name/id where several share one.", autocompletion=complete_job),
]
All = Annotated[bool, typer.Option("--all", help="All jobs.")]


class JobLog(NamedTuple):
    """A log, and the job that it belongs to."""

    job: Job
    log: TrackedLog


def require_selection(words: Sequence[str] | None, *, every: bool) -> None:
    """Raise BadParameter if neither jobs nor all of them are selected, or both."""
    if bool(words) == every:
        raise typer.BadParameter("Name one or more jobs, or use '--all'.")


def selected_logs(connection: Connection, words: Sequence[str]) -> list[JobLog]:
    """Return the logs of the jobs that the words name, or of every job without words, oldest incarnation first.

    Raises:
        CoordstreamError: Unknown job, or the database has no job.
    """
    streams = [
        (Job(name, job_id), stream_name) for name, job_id, stream_name in connection.execute(_STREAMS).fetchall()
    ]
    if not streams:
        raise CoordstreamError(NO_LOGS)
    wanted = {find_job(connection, word) for word in words}
    found = [(job, stream_name) for job, stream_name in streams if not words or job in wanted]
    return [JobLog(job, log) for job, stream_name in found for log in reversed(logs_of(connection, stream_name))]
