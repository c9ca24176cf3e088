"""Where a job that a Python program runs starts to read its inputs, as numbers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from eventlog.config import inputs
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointOldest
from eventlog.system_admin import SystemAdmin, is_kafka_offset
from managers.offsets.resolved_starts import AssignedPartition, OffsetError, find_starting_offsets
from managers.startpoints.next_starts import Reader
from managers.steered.job_record import JobRecord

_NEW: Final = ""
"""The task of a partition that no task has read yet."""


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
    read a partition, the lowest offset counts. A partition that was added to a stream since starts at its oldest
    offset. Raises as `find_starting_offsets`, `InputMissing`, and `OffsetError` for a startpoint that is no number.
    """
    tasks = record.tasks
    if tasks:
        record.startpoints.fan_out(tasks)
    readers = _readers(record, tasks)
    read = {each.stream for each in readers if each.system == system}
    assigned = [
        one
        for stream, known in admin.get_system_stream_metadata(sorted(streams)).items()
        for partition in (SystemStreamPartition(system, stream, number) for number in known.partitions)
        for one in readers.get(partition) or [_unread(partition, is_added=stream in read)]
    ]
    starts: dict[SystemStreamPartition, int] = {}
    for (_, partition), number in resolve_starts(config, {system: admin}, assigned)[0].items():
        starts[partition] = min(number, starts.get(partition, number))
    return starts


def _unread(partition: SystemStreamPartition, *, is_added: bool) -> AssignedPartition:
    """A partition that no task has read yet. ``is_added``: tasks read others of its stream."""
    return AssignedPartition(_NEW, partition, startpoint=StartpointOldest(0) if is_added else None)


def resolve_starts(
    config: Mapping[str, str], admins: Mapping[str, SystemAdmin], assigned: Sequence[AssignedPartition]
) -> tuple[dict[Reader, int], set[Reader]]:
    """The first offset that each task reads of a partition, and whose startpoints cannot be followed, which is logged.

    Raises as `find_starting_offsets`, and `OffsetError` for a startpoint that is no number.
    """
    found, refused = find_starting_offsets(config, admins, assigned)
    numbers = {reader: _number(*reader, offset) for reader, offset in found.items()}
    return numbers, {(each.task_name, each.partition) for each in refused}


def _number(task_name: str, partition: SystemStreamPartition, offset: str | None) -> int:
    if offset is None or not is_kafka_offset(offset):
        raise OffsetError(
            f"Task {task_name!r} cannot start to read {partition} at {offset!r}, which is no offset. Delete its "
            "startpoint, and request another."
        )
    return int(offset)


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
