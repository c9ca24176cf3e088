"""The checkpoints of a job that commands may change: their manager, and the guards before a write."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from coordstream.cli.job.logs import JobLogs, appears_running
from coordstream.errors import CoordstreamError
from eventlog.log import EventLog
from eventlog.starting_offset import KAFKA_SYSTEM_FACTORY
from eventlog.system_admin import offset_after
from managers.appending import Retry
from managers.checkpoints.checkpoint_errors import JobAlive
from managers.checkpoints.checkpoint_file import TaskOffsets
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import (
    CHECKPOINT_FACTORY,
    JobCheckpoints,
    checkpoint_manager,
    checkpoint_place,
)
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.job_facts import JobFacts
from managers.signature import CHECKPOINT_TOOL
from projections.job_choice import Job

RETRY_SECONDS: Final = 15


def read_facts(logs: JobLogs, overrides: Mapping[str, str]) -> JobFacts:
    """The facts on the job's coordinator stream; the user's overrides take precedence (SAMZA-2074)."""
    read = JobFacts({}, frozenset()) if logs.coordinator is None else JobFacts.read(logs.coordinator)
    return replace(read, config={**read.config, **overrides})


def writing_manager(logs: JobLogs, facts: JobFacts) -> JobCheckpoints:
    """The manager of a job's checkpoints. Raises CoordstreamError if the job has none, and no place for them."""
    retry = Retry(longest=RETRY_SECONDS)
    manager = checkpoint_manager(
        facts.config,
        coordinator=logs.coordinator,
        checkpoint=logs.checkpoint,
        source=CHECKPOINT_TOOL,
        retry=retry,
        writes_any_version=True,  # the one that the job reads
    )
    if isinstance(manager, CheckpointManager) and not _has_checkpoints(manager):
        raise CoordstreamError(
            f"Job {logs.job} has no checkpoints: no checkpoint topic, none on its coordinator stream, and no "
            f"{CHECKPOINT_FACTORY}. Set that key, and create the topic with `coordstream log create`."
        )
    return manager


def checkpoint_log(logs: JobLogs, facts: JobFacts) -> EventLog:
    """The log that has the job's checkpoints, which must exist. Raises `UnknownCheckpointPlace`."""
    place = checkpoint_place(facts.config, has_checkpoint_topic=logs.checkpoint is not None)
    log = logs.checkpoint if place == "checkpoint" else logs.coordinator
    assert log is not None  # noqa: S101 (as checkpoint_manager() requires)
    return log


def require_usable_offsets(given: TaskOffsets, facts: JobFacts) -> None:
    """Raise CoordstreamError if an offset of a Kafka system is not a number: the job would fail at its next start."""
    for task_name, offsets in given.items():
        for partition, offset in offsets.items():
            is_kafka = facts.config.get(f"systems.{partition.system}.samza.factory") == KAFKA_SYSTEM_FACTORY
            if is_kafka and offset_after(offset) is None:
                raise CoordstreamError(
                    f"Invalid offset {offset!r} for {task_name}, {partition}. "
                    "Offsets of Kafka are numbers. Correct it; nothing was written."
                )


def require_stopped(tool: CheckpointTool, job: Job, *, force: bool = False) -> None:
    """Raise CoordstreamError if the job appears to be running, unless ``force``: it would not notice the change."""
    try:
        if not force:
            tool.require_stopped()
    except JobAlive as alive:
        raise appears_running(job, alive) from None


def _has_checkpoints(manager: CheckpointManager) -> bool:
    with manager:
        return bool(manager.task_names())
