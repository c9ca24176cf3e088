"""A job whose starting offsets are to change: its coordinator stream and its checkpoints."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from coordstream.cli.job.logs import JobLogs, no_coordinator_stream, open_job_logs
from coordstream.errors import CoordstreamError
from eventlog.errors import ConfigError
from eventlog.log import Clock, EventLog
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import CheckpointError
from managers.checkpoints.checkpoint_place import checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.startpoints.next_starts import Checkpoints, StartpointFacts
from projections.job_choice import Job

MOST_BEHIND_MS: Final = 60 * 60 * 1000
"""How far a clock may be behind the newest record of the job's logs."""


class StartpointJob(NamedTuple):
    """What is known about a job. ``last_commit_ms`` is None if it has no checkpoint.

    ``checkpoint_error`` says why its checkpoints are unknown; it is empty if they are known.
    """

    job: Job
    logs: JobLogs
    log: EventLog
    facts: StartpointFacts
    checkpoints: Checkpoints
    last_commit_ms: int | None
    checkpoint_error: str = ""

    @property
    def newest_record_ms(self) -> int | None:
        """The latest time of any record of the job's logs."""
        return max((ms for ms in (self.facts.newest_record_ms, self.last_commit_ms) if ms is not None), default=None)

    def warnings(self) -> list[str]:
        """What is unknown about the job, in sentences."""
        sentences = []
        if self.checkpoint_error:
            reason = self.checkpoint_error.rstrip(".")
            sentences.append(f"The job's checkpoints, and whether it is running, are unknown: {reason}.")
        if self.facts.assigned_by == "checkpoint":
            sentences.append(
                "The job has no assignments of partitions to tasks. Each task is assumed to read the partitions in its "
                "checkpoint."
            )
        return sentences

    def require_checkpoints(self) -> None:
        """Raise CoordstreamError if the checkpoints are unknown."""
        if self.checkpoint_error:
            raise CoordstreamError(f"The job's checkpoints are unknown: {self.checkpoint_error}")


@contextmanager
def open_startpoint_job(word: str, clock: Clock) -> Iterator[StartpointJob]:
    """Open the job that a word names and read its logs.

    Raises:
        UnknownJob: no job or several jobs have the name.
        CoordstreamError: it has no coordinator stream.
    """
    with open_job_logs(word) as logs:
        if logs.coordinator is None:
            raise no_coordinator_stream(logs.job)
        facts = StartpointFacts.read(logs.coordinator)
        named = logs.named_in(facts.job.config)
        checkpoints, last_commit_ms, error = _checkpoints(logs, facts, clock)
        known = facts.with_checkpoints(checkpoints)
        yield StartpointJob(named, logs, logs.coordinator, known, checkpoints, last_commit_ms, error)


def clock_behind(found: StartpointJob, clock: Clock) -> str:
    """A sentence if the clock is more than an hour behind the newest record of the job's logs, or else empty.

    What is written then may lose against older startpoints, or expire too early.
    """
    newest, now = found.newest_record_ms, clock()
    behind_ms = 0 if newest is None else newest - ms_of(now)
    if behind_ms <= MOST_BEHIND_MS:
        return ""
    return (
        f"The clock of this computer ({now:%Y-%m-%d %H:%M} UTC) is {_hours(behind_ms)} behind the newest record of job "
        f"{found.job}. The time of a request decides its precedence and its expiry."
    )


def _checkpoints(logs: JobLogs, facts: StartpointFacts, clock: Clock) -> tuple[Checkpoints, int | None, str]:
    try:
        manager = checkpoint_manager(facts.job.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint)
        with CheckpointTool(manager, facts.job, clock=clock) as tool:
            return tool.current_inputs(), manager.last_commit_ms(), ""
    except (CheckpointError, ConfigError) as error:
        return {}, None, str(error)


def _hours(ms: int) -> str:
    hours = round(ms / 3_600_000, 1)
    if hours >= 72:
        return f"{hours / 24:.0f} days"
    return "1 hour" if hours == 1 else f"{hours:g} hours"
