"""`coordstream quarantine retry`: rebuild the logs with events that this program can decode now."""

from collections.abc import Mapping, Sequence
from typing import Final

import typer

from coordstream.cli.arguments import Csv, Json, MaybeJob
from coordstream.cli.job.selection import JobLog, work_on_logs
from coordstream.cli.output import Column, OnProgress, print_rows
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.rows import Row, Rows
from eventlog.postgres.connection import Connection
from projections.errors import StreamBusy
from projections.fold.settings import FoldSettings
from projections.job_choice import Job, find_job
from projections.quarantine_retry import QuarantineCheck, check_quarantine, rebuild_checked_log
from projections.rebuild import TRACKED_BACKENDS, mark_for_rebuild
from projections.tracked_logs import TrackedLog

End = int | StreamBusy | str
"""How the retry of a log ended: the number of rebuilt events, or why there was no rebuild."""

_STREAMS: Final = "select distinct stream_name, job_name, job_id from projection.job_log order by stream_name"
RETRIED: Final = (
    *("job_name", "job_id", "stream_name", "stream_kind", "incarnation"),
    *("tried_count", "understood_count", "folded_count", "outcome"),
)
COLUMNS: Final = (
    Column("stream", "stream_name", no_wrap=True),
    Column("inc.", "incarnation", "right"),
    Column("tried", "tried_count", "right"),
    Column("understood", "understood_count", "right"),
    Column("rebuilt events", "folded_count", "right"),
    Column("outcome", "outcome"),
)


def retry(job: MaybeJob = None, as_json: Json = False, as_csv: Csv = False) -> None:
    """Retry the events in quarantine. If this program can decode one, its log is rebuilt from the archive.

    The relations are then as if the event had been decoded at once. Readers see the old rows until the rebuild is
    complete. Logs of an older version of this program, and logs whose rows were lost with their tables, are rebuilt
    too. The exit code is 1 if such a log is being followed or imported, or cannot be rebuilt.
    """
    with open_database(warns=False) as database:
        settings = FoldSettings(database.secrets)
        with database.connection.transaction():  # an unknown job means that nothing is marked
            mark_for_rebuild(database.connection, TRACKED_BACKENDS)
            jobs = _jobs_of_streams(database.connection, job)
        checks = check_quarantine(database.connection, jobs, settings)
        ends = _rebuild(database.connection, checks, jobs, settings)
    rows = Rows(RETRIED, (_row(jobs[check.log.stream.stream_name], check, ends.get(check)) for check in checks))
    print_rows(rows, COLUMNS, title=f"Quarantine of {job or 'all jobs'}, retried", as_json=as_json, as_csv=as_csv)
    refusals = [end for end in ends.values() if not isinstance(end, int)]
    for refusal in refusals:
        note(str(refusal))
    if refusals:
        raise typer.Exit(1)


def _jobs_of_streams(connection: Connection, word: str | None) -> dict[str, Job]:
    """The streams of the job that a word names, or of all jobs, each with its job."""
    wanted = None if word is None else find_job(connection, word)
    rows = connection.execute(_STREAMS).fetchall()
    jobs = {stream_name: Job(*names) for stream_name, *names in rows}
    return {stream_name: job for stream_name, job in jobs.items() if wanted in (None, job)}


def _rebuild(
    connection: Connection, checks: Sequence[QuarantineCheck], jobs: Mapping[str, Job], settings: FoldSettings
) -> dict[QuarantineCheck, End]:
    """Rebuild the logs that need it, one after the other."""
    wanted = {check.log.log_id: check for check in checks if check.needs_rebuild}

    def rebuild(log: TrackedLog, show: OnProgress) -> int | StreamBusy:
        try:
            return rebuild_checked_log(connection, wanted[log.log_id], settings, on_progress=show)
        except StreamBusy as error:
            return error

    logs = [JobLog(jobs[check.log.stream.stream_name], check.log) for check in wanted.values()]
    return dict(zip(wanted.values(), work_on_logs(logs, "rebuild", rebuild), strict=True))


def _row(job: Job, check: QuarantineCheck, end: End | None) -> Row:
    return {
        "job_name": job.name,
        "job_id": job.id,
        "stream_name": check.log.stream.stream_name,
        "stream_kind": check.log.stream.stream_kind,
        "incarnation": check.log.incarnation,
        "tried_count": check.unresolved,
        "understood_count": check.readable,
        "folded_count": end if isinstance(end, int) else None,
        "outcome": _outcome(end),
    }


def _outcome(end: End | None) -> str:
    if end is None:
        return "unchanged"
    return "rebuilt" if isinstance(end, int) else "busy" if isinstance(end, StreamBusy) else "failed"
