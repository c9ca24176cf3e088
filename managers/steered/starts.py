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


def starting_offsets(
    record: JobRecord,
    admin: SystemAdmin,
    system: str,
    *,
    config: Mapping[str, str],
    streams: Collection[str] = (),
) -> dict[SystemStreamPartition, int]:
    """The first offset to read of every partition of a job's inputs in one system: startpoint, checkpoint or default.

    ``config`` is the job's, ``streams`` are the inputs, by default those in config, else those that its tasks read.
    Pending startpoints are fanned out to the tasks first. One that cannot be followed is logged. If several tasks read
    a partition, the lowest offset counts. Raises as `find_starting_offsets`, and `InputMissing`.
    """
    tasks = record.tasks
    if tasks:
        record.startpoints.fan_out(tasks)
    wanted = set(streams) or _inputs_of(system, config, tasks)
    readers = _readers(record, tasks)
    assigned = [
        one
        for stream, known in admin.get_system_stream_metadata(sorted(wanted)).items()
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


def _inputs_of(
    system: str, config: Mapping[str, str], tasks: Mapping[str, Collection[SystemStreamPartition]]
) -> set[str]:
    configured = inputs(config)
    read = {(each.system, each.stream) for partitions in tasks.values() for each in partitions}
    return {stream for one, stream in (read if configured is None else configured) if one == system}


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
