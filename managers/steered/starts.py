"""Where a job that a Python program runs starts to read its inputs, as numbers."""

import logging
from collections.abc import Collection, Mapping
from typing import Final

from eventlog.config import inputs
from eventlog.partition import SystemStreamPartition
from eventlog.system_admin import SystemAdmin
from managers.offsets.resolved_starts import AssignedPartition, find_starting_offsets
from managers.steered.job_record import JobRecord

_NEW: Final = ""
"""The task of a partition that no task has read yet."""
_logger: Final = logging.getLogger(__name__)


def input_streams(record: JobRecord, config: Mapping[str, str], system: str) -> frozenset[str]:
    """The inputs of a job in one system: those in its config, or if it names none, those that its tasks read."""
    configured = inputs(config)
    read = {(each.system, each.stream) for partitions in record.tasks.values() for each in partitions}
    return frozenset(stream for one, stream in (read if configured is None else configured) if one == system)


def starting_offsets(
    record: JobRecord, admin: SystemAdmin, config: Mapping[str, str], system: str, streams: Collection[str]
) -> dict[SystemStreamPartition, int]:
    """The first offset to read of every partition of some inputs of one system: startpoint, checkpoint or default.

    Pending startpoints are fanned out to the job's tasks first. One that cannot be followed is logged. If several tasks
    read a partition, the lowest offset counts. Raises as `find_starting_offsets`, and `InputMissing`.
    """
    tasks = record.tasks
    if tasks:
        record.startpoints.fan_out(tasks)
    readers = _readers(record, tasks)
    assigned = [
        one
        for stream, known in admin.get_system_stream_metadata(sorted(streams)).items()
        for number in known.partitions
        for partition in [SystemStreamPartition(system, stream, number)]
        for one in readers.get(partition) or [AssignedPartition(_NEW, partition)]
    ]
    found, refused = find_starting_offsets(config, {system: admin}, assigned)
    for each in refused:
        _logger.warning("%s", each)
    starts: dict[SystemStreamPartition, int] = {}
    for (_, partition), offset in found.items():
        starts[partition] = min(int(offset or 0), starts.get(partition, int(offset or 0)))
    return starts


def _readers(
    record: JobRecord, tasks: Mapping[str, Collection[SystemStreamPartition]]
) -> dict[SystemStreamPartition, list[AssignedPartition]]:
    """The tasks of each partition, with their checkpoints and startpoints."""
    for task_name in tasks:
        record.checkpoints.register(task_name)
    checkpoints = record.checkpoints.read_last_checkpoints(tasks)
    found: dict[SystemStreamPartition, list[AssignedPartition]] = {}
    for task_name, partitions in tasks.items():
        checkpoint, fan_out = checkpoints[task_name], record.startpoints.get_fan_out_for_task(task_name)
        offsets = {} if checkpoint is None else checkpoint.offsets
        for each in partitions:
            assigned = AssignedPartition(task_name, each, offsets.get(each), fan_out.get(each))
            found.setdefault(each, []).append(assigned)
    return found
