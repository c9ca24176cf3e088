"""A job as who moves its starting offsets sees it: its coordinator stream, and its checkpoints."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from coordstream.cli.job.logs import JobLogs, open_job_logs
from coordstream.cli.job.lookup import Job
from coordstream.errors import CoordstreamError
from eventlog.errors import ConfigError
from eventlog.log import Clock, EventLog
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import CheckpointError
from managers.checkpoints.checkpoint_place import checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool, job_alive
from managers.job_names import JOB_ID, JOB_NAME
from managers.startpoints.startpoint_plan import Checkpoints, StartpointFacts

MOST_LAG_MS: Final = 60 * 60 * 1000
"""How much a clock may be behind the newest record of the job's logs."""


class StartpointJob(NamedTuple):
    """What is known of a job; ``last_commit_ms`` is None where it has no checkpoint.

    ``unknown_checkpoints`` says why its checkpoints are not known, empty where they are.
    """

    job: Job
    log: EventLog
    facts: StartpointFacts
    checkpoints: Checkpoints
    last_commit_ms: int | None
    unknown_checkpoints: str = ""

    @property
    def newest_record_ms(self) -> int | None:
        """The latest time of any record of the job's logs."""
        return max((ms for ms in (self.facts.newest_record_ms, self.last_commit_ms) if ms is not None), default=None)

    def warnings(self) -> tuple[str, ...]:
        """What is not known of the job, in sentences."""
        told = []
        if self.unknown_checkpoints:
            told.append(f"where the tasks are, and whether they run, is not known: {self.unknown_checkpoints}")
        if self.facts.assigned_by == "checkpoint":
            told.append(
                "the job has no assignments of partitions to tasks, so each task is taken to read what its checkpoint "
                "names"
            )
        return tuple(told)

    def require_writable(self) -> None:
        """Refuse before anybody is asked, rather than after."""
        if not self.log.capabilities.can_append:
            self.log.append([])  # says why


@contextmanager
def open_startpoint_job(word: str, clock: Clock) -> Iterator[StartpointJob]:
    """The job that a word names, as its logs have it now.

    Raises:
        CoordstreamError: there is no such job, or it has no coordinator stream.
    """
    with open_job_logs(word) as logs:
        if logs.coordinator is None:
            raise CoordstreamError(
                f"job {logs.job} has no coordinator stream, where startpoints stand: look at the job's name, "
                "or make the stream (`coordstream log create`)."
            )
        facts = StartpointFacts.read(logs.coordinator)
        config = facts.job.config
        named = Job(config.get(JOB_NAME, logs.job.name), config.get(JOB_ID, logs.job.id))
        checkpoints, last_commit_ms, unknown = _checkpoints(logs, facts, clock)
        known = facts.with_checkpoints(checkpoints)
        yield StartpointJob(named, logs.coordinator, known, checkpoints, last_commit_ms, unknown)


def clock_behind(found: StartpointJob, clock: Clock) -> str:
    """What is wrong with a clock that is hours behind the job's: what it writes might lose, or expire too early.

    Empty where it is not more than an hour behind the newest record of the job's logs.
    """
    newest, now = found.newest_record_ms, clock()
    behind_ms = 0 if newest is None else newest - ms_of(now)
    if behind_ms <= MOST_LAG_MS:
        return ""
    return (
        f"this computer's clock says {now:%Y-%m-%d %H:%M} UTC, {_hours(behind_ms)} before the newest record of job "
        f"{found.job}: startpoints outrank each other and expire by when they were written"
    )


def require_stopped(found: StartpointJob, clock: Clock) -> None:
    """Refuse to do what a job that runs would not notice.

    Raises:
        CoordstreamError: a checkpoint was written less than three times ``task.commit.ms`` ago.
    """
    alive = job_alive(found.last_commit_ms, found.facts.job.config, ms_of(clock()))
    if alive is not None:
        raise CoordstreamError(
            f"job {found.job} looks alive: a checkpoint was written {max(alive.seconds, 0):.0f} s ago, and only after "
            f"{alive.limit_seconds:g} s without one it counts as stopped; its tasks take what they are handed when "
            "they start, so stop it first, or do it nevertheless with --force."
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
    return f"{hours / 24:.0f} days" if hours >= 72 else f"{hours:g} hours"
