"""Where tasks start to read: the rules of `eventlog.starting_offset`, resolved by the input systems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple

from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import DecidedBy, StartingOffset, decide
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin, SystemStreamMetadata, SystemStreamPartitionMetadata
from managers.errors import ManagerError, describe_cause

_MAX_SHOWN: Final = 100


class OffsetError(ManagerError):
    """The starting offset of a task is unknown: its input does not exist, or its system has no admin."""


class UnusableOffset(OffsetError):
    """A system does not know an offset after that of a checkpoint, for example one that is not a number in Kafka."""

    def __init__(self, task_name: str, partition: SystemStreamPartition, offset: str, other_count: int = 0) -> None:
        self.task_name = task_name
        self.partition = partition
        self.offset = offset
        self.other_count = other_count
        others = f" ({other_count} other partitions have the same problem)" if other_count else ""
        super().__init__(
            f"Task {task_name!r} cannot start to read {partition}: its checkpoint has offset {_shorten(offset)}, and "
            f"the system does not know the next offset{others}. Write another offset (`coordstream checkpoint write`), "
            "request a startpoint, or set systems.<system>.streams.<stream>.samza.reset.offset=true to ignore the "
            "checkpoint."
        )


def _shorten(offset: str) -> str:
    return repr(offset if len(offset) <= _MAX_SHOWN else f"{offset[:_MAX_SHOWN]}…")


class RefusedStartpoint(NamedTuple):
    """A startpoint that a task could not follow: it starts from its checkpoint or default. ``reason`` is a phrase."""

    task_name: str
    partition: SystemStreamPartition
    startpoint: Startpoint
    reason: str

    def __str__(self) -> str:
        value = "" if self.startpoint.value is None else f" {self.startpoint.value}"
        return (
            f"Task {self.task_name!r} cannot start {self.partition} at its startpoint "
            f"({self.startpoint.kind}{value}): {self.reason}"
        )


class AssignedPartition(NamedTuple):
    """A partition that a task is about to read, its last processed offset, and its startpoint."""

    task_name: str
    partition: SystemStreamPartition
    checkpoint_offset: str | None = None
    startpoint: Startpoint | None = None


class ResolvedStart(NamedTuple):
    """The first offset to read (None: the system does not know one), and how it was decided."""

    offset: str | None
    decision: StartingOffset


Starts = dict[tuple[str, SystemStreamPartition], ResolvedStart]
"""The start of each partition of each task."""


def find_starting_offsets(
    config: Mapping[str, str], admins: Mapping[str, SystemAdmin], assigned: Sequence[AssignedPartition]
) -> tuple[Starts, tuple[RefusedStartpoint, ...]]:
    """Decide where each partition starts, as OffsetManager of Samza does when it starts; and which startpoints cannot.

    Queries the metadata of a stream only if a task starts at one of its ends. Raises `ConfigError`, `OffsetError`, and
    `UnusableOffset` if a checkpoint's offset has no successor; Samza's container does not start either.
    """
    settings, refused = OffsetSettings(config), list[RefusedStartpoint]()
    starts: Starts = {}
    by: dict[DecidedBy, list[AssignedPartition]] = {"startpoint": [], "checkpoint": [], "default": [], "reset": []}
    for each in assigned:
        start = _decide(settings, admin_of(admins, each.partition.system), each, refused)
        starts[each.task_name, each.partition] = start
        by[start.decision.decided_by].append(each)
    _start_after_checkpoints(starts, admins, by["checkpoint"])
    _start_at_ends(starts, admins, [*by["default"], *by["reset"]])
    unusable = [each for each in by["checkpoint"] if starts[each.task_name, each.partition].offset is None]
    for each in unusable[:1]:
        raise UnusableOffset(each.task_name, each.partition, each.checkpoint_offset or "", len(unusable) - 1)
    return starts, tuple(refused)


def _decide(
    settings: OffsetSettings, admin: SystemAdmin, assigned: AssignedPartition, refused: list[RefusedStartpoint]
) -> ResolvedStart:
    task_name, partition, _, startpoint = assigned
    decision = _decision(settings, assigned, startpoint)
    if startpoint is None:
        return ResolvedStart(None, decision)
    reason = "it has no position"
    if decision.decided_by == "startpoint":
        offset, reason = None, "its system has no such position"
        try:
            offset = admin.resolve_startpoint_to_offset(partition, startpoint)
        except Exception as error:  # any error, as in Samza: the job starts without the startpoint
            reason = f"its system failed ({describe_cause(error)})"
        if offset is not None and offset.strip():
            return ResolvedStart(offset, decision)
        decision = replace(_decision(settings, assigned, None), ignored_reason="unresolved")
    refused.append(RefusedStartpoint(task_name, partition, startpoint, reason))
    return ResolvedStart(None, decision)


def _decision(settings: OffsetSettings, assigned: AssignedPartition, startpoint: Startpoint | None) -> StartingOffset:
    return decide(
        settings,
        assigned.partition,
        requested=None,
        fanned_out=startpoint,  # a fan-out never expires, so that now_ms does not matter
        checkpoint_offset=assigned.checkpoint_offset,
        now_ms=0,
    )


def _start_after_checkpoints(
    starts: Starts, admins: Mapping[str, SystemAdmin], assigned: Sequence[AssignedPartition]
) -> None:
    """One call for each task and system: a broadcast partition has a different offset in each task."""
    for (task_name, system), group in groupby(sorted(assigned, key=_task_and_system), key=_task_and_system):
        offsets = {each.partition: each.checkpoint_offset or "" for each in group}
        after = admin_of(admins, system).get_offsets_after(offsets)
        for partition in offsets:
            starts[task_name, partition] = starts[task_name, partition]._replace(offset=after.get(partition))


def _start_at_ends(starts: Starts, admins: Mapping[str, SystemAdmin], assigned: Sequence[AssignedPartition]) -> None:
    for system in sorted({each.partition.system for each in assigned}):
        own = [each for each in assigned if each.partition.system == system]
        streams = admin_of(admins, system).get_system_stream_metadata(sorted({each.partition.stream for each in own}))
        for each in own:
            reader = (each.task_name, each.partition)
            end = _end(_metadata_of(streams, each.partition), starts[reader].decision.startpoint_type)
            starts[reader] = starts[reader]._replace(offset=end)


def _end(metadata: SystemStreamPartitionMetadata, wanted: str | None) -> str | None:
    """The oldest or the upcoming offset. An empty partition has no oldest one: it starts at the upcoming one."""
    oldest = metadata.oldest_offset if wanted == "oldest" else None
    return metadata.upcoming_offset if oldest is None else oldest


def _metadata_of(
    streams: Mapping[str, SystemStreamMetadata], partition: SystemStreamPartition
) -> SystemStreamPartitionMetadata:
    stream = streams.get(partition.stream)
    metadata = None if stream is None else stream.partitions.get(partition.partition)
    if metadata is None:
        what = "" if stream is None else f"partition {partition.partition} of "
        raise OffsetError(
            f"System {partition.system} does not have {what}stream {partition.stream}, "
            "which a task reads without a checkpoint. Create it, or remove it from the job's inputs."
        )
    return metadata


def admin_of(admins: Mapping[str, SystemAdmin], system: str) -> SystemAdmin:
    admin = admins.get(system)
    if admin is None:
        raise OffsetError(f"System {system} has no admin. Pass one in system_admins.")
    return admin


def _task_and_system(assigned: AssignedPartition) -> tuple[str, str]:
    return assigned.task_name, assigned.partition.system
