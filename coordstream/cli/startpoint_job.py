"""A job whose starting offsets are to change: its coordinator stream, its checkpoints, and how both are written."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple

from coordstream.cli.event_logs import JobLogs, no_coordinator_stream, open_job_logs
from coordstream.errors import CoordstreamError
from eventlog.errors import ConfigError
from eventlog.log import EventLog, system_clock
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import CheckpointError, CheckpointsChanged
from managers.checkpoints.checkpoint_manager import checkpoint_manager, writing_manager
from managers.checkpoints.checkpoint_tool import CheckpointChange, CheckpointTool
from managers.job_facts import JobFacts
from managers.startpoints.next_starts import Checkpoints, StartpointFacts
from managers.startpoints.startpoint_records import StartpointsChanged
from managers.startpoints.startpoint_request import RequestValues, write_unless_changed
from managers.stores.coordinator_store import CoordinatorStreamStore
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

    def clock_behind(self, now: datetime) -> str:
        """A sentence if the clock is more than an hour behind the newest record of the job's logs, or else empty.

        What is written then may lose against older startpoints, or expire too early.
        """
        newest = max(self.facts.newest_record_ms or 0, self.last_commit_ms or 0)
        behind_ms = newest - ms_of(now)
        if behind_ms <= MOST_BEHIND_MS:
            return ""
        return (
            f"The clock of this computer ({now:%Y-%m-%d %H:%M} UTC) is {behind_ms / 3_600_000:.1f} hours behind the "
            f"newest record of job {self.job}. The time of a request decides its precedence and its expiry."
        )

    def change_requests(self, requests: RequestValues) -> None:
        """Write or delete startpoint requests.

        Raises CoordstreamError if another writer has changed them since the job was read.
        """
        try:
            with self.log.exclude_writers(), CoordinatorStreamStore(self.log) as store:
                write_unless_changed(store, self.log, self.facts.log_offset, requests)
        except StartpointsChanged as error:
            raise CoordstreamError(f"{error} Look at `coordstream startpoint show {self.job}`.") from None


@contextmanager
def open_startpoint_job(word: str) -> Iterator[StartpointJob]:
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
        checkpoints, last_commit_ms, error = _checkpoints(logs, facts)
        known = facts.with_checkpoints(checkpoints)
        yield StartpointJob(named, logs, logs.coordinator, known, checkpoints, last_commit_ms, error)


@contextmanager
def checkpoint_tool(logs: JobLogs, facts: JobFacts) -> Iterator[CheckpointTool]:
    """A tool that writes the job's checkpoints where its config says."""
    manager = writing_manager(
        facts.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint, job_name=str(logs.job)
    )
    with CheckpointTool(manager, facts, clock=system_clock) as tool:
        yield tool


def write_checkpoints(tool: CheckpointTool, changes: list[CheckpointChange]) -> None:
    """Write checkpoints. Raises CoordstreamError if another writer has written one of the tasks' since the plan."""
    try:
        with tool.log.exclude_writers():
            tool.write(changes)
    except CheckpointsChanged as error:
        raise CoordstreamError(f"{error} Stop the job, and look at its checkpoints before you write again.") from None


def counted(count: int, noun: str) -> str:
    """``1 startpoint``, ``2 startpoints``."""
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _checkpoints(logs: JobLogs, facts: StartpointFacts) -> tuple[Checkpoints, int | None, str]:
    try:
        manager = checkpoint_manager(facts.job.config, coordinator=logs.coordinator, checkpoint=logs.checkpoint)
        with CheckpointTool(manager, facts.job) as tool:
            return tool.current_inputs(), manager.last_commit_ms(), ""
    except (CheckpointError, ConfigError) as error:
        return {}, None, str(error)
