"""Selects archived logs: of jobs, of all of them, of a stream; and shows the progress of a command on each."""

from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Final, NamedTuple, TypeVar

import psycopg
import typer

from coordstream.cli.output import OnProgress, event_status
from coordstream.errors import CoordstreamError
from eventlog.errors import EventLogError, known_names
from eventlog.postgres.connection import Connection, server_reason
from projections.errors import ProjectionError, RebuildNeeded
from projections.job_choice import NO_LOGS, Job, choose_job, known_jobs
from projections.retired_streams import retired_jobs
from projections.tracked_logs import TRACKED_BACKENDS, TrackedLog, logs_of, untracked_logs

_STREAMS: Final = "select distinct job_name, job_id, stream_name from projection.job_log order by 1, 2, 3"
_IS_UNREAD: Final = "select from projection.unread_log where stream_name = %s"

ALL_RETIRED: Final = "The streams of all jobs are retired. Name a job to include it."
"""Why a command for all jobs has nothing to do."""

LOG_NAMES: Final = ("job_name", "job_id", "stream_name", "stream_kind", "incarnation")
"""The columns that name a log in a result."""

Result = TypeVar("Result")
Jobs = Annotated[list[str] | None, typer.Argument(metavar="JOB", help="Names, or name/id where several share one.")]
All = Annotated[bool, typer.Option("--all", help="All jobs.")]


class JobLog(NamedTuple):
    """A log, and the job that it belongs to."""

    job: Job
    log: TrackedLog

    @property
    def names(self) -> tuple[object, ...]:
        """The values of `LOG_NAMES`."""
        return (*self.job, self.log.stream.stream_name, self.log.stream.stream_kind, self.log.incarnation)


def require_selection(words: Sequence[str] | None, *, every: bool) -> None:
    """Raise BadParameter if neither jobs nor all of them are selected, or both."""
    if bool(words) == every:
        raise typer.BadParameter("Name one or more jobs, or use '--all'.")


def selected_jobs(connection: Connection, words: Sequence[str]) -> list[Job]:
    """Return the jobs that the words name, or every job without words, sorted.

    Raises `UnknownJob`: no job has a name, or several have it; `CoordstreamError`: the database has no job.
    """
    jobs = known_jobs(connection)
    if not jobs:
        raise CoordstreamError(NO_LOGS)
    return sorted({choose_job(jobs, word) for word in words}) if words else jobs


def expected_jobs(connection: Connection, words: Sequence[str]) -> list[Job]:
    """The same, but without words no job whose streams are all retired. Raises as `selected_jobs`."""
    retired = () if words else retired_jobs(connection)
    return [job for job in selected_jobs(connection, words) if job not in retired]


def selected_logs(connection: Connection, words: Sequence[str]) -> list[JobLog]:
    """Return the logs of `selected_jobs`, oldest incarnation first.

    Raises as `selected_jobs`, also if the rows of a log are missing altogether.
    """
    if not words and (lost := untracked_logs(connection, TRACKED_BACKENDS)):
        raise CoordstreamError(str(RebuildNeeded(lost[0].stream_name)))
    jobs = set(selected_jobs(connection, words))
    return [
        JobLog(Job(name, job_id), log)
        for name, job_id, stream_name in connection.execute(_STREAMS).fetchall()
        if (name, job_id) in jobs
        for log in reversed(logs_of(connection, stream_name))
    ]


def work_on_logs(
    logs: Sequence[JobLog], verb: str, work: Callable[[TrackedLog, OnProgress], Result | str]
) -> list[Result | str]:
    """Work on one log after the other. For a log that ``work`` cannot do, the result is a sentence that says why.

    ``verb`` is what is done, such as ``verify``; ``work`` calls its second argument with each further number of events.
    """
    with event_status() as started:

        def work_on(log: TrackedLog) -> Result | str:
            name = log.stream.stream_name
            try:
                return work(log, started(f"{name}, {verb}"))
            except (ProjectionError, EventLogError) as error:
                return f"Cannot {verb} {name}. {error}"
            except psycopg.errors.LockNotAvailable:
                return f"Cannot {verb} {name}: another session is rebuilding or writing it. Try again later."
            except psycopg.OperationalError as error:  # includes a full disk and a canceled statement
                if (reason := server_reason(error)) is None:  # the connection is lost
                    raise
                return f"Cannot {verb} {name}. The database reports: {reason}."

        return [work_on(each.log) for each in logs]


def find_log(connection: Connection, stream_name: str) -> TrackedLog:
    """The current log of a stream. Raises `CoordstreamError`: it is unknown, or no follower has read it yet."""
    log = next((log for log in logs_of(connection, stream_name) if log.is_current), None)
    if log is None:
        if connection.execute(_IS_UNREAD, (stream_name,)).fetchone() is not None:
            raise CoordstreamError(
                f"{stream_name} has not been followed yet. Run `coordstream follow {stream_name} --once` first."
            )
        streams = connection.execute(_STREAMS).fetchall()
        raise unknown_stream(stream_name, {name for *_, name in streams})
    return log


def unknown_stream(stream_name: str, names: Collection[str]) -> CoordstreamError:
    """An error that lists the known streams."""
    if not names:
        return CoordstreamError(NO_LOGS)
    return CoordstreamError(f"No stream {stream_name!r}.{known_names('streams', stream_name, sorted(names))}")
