"""Where tasks start to read: the rules of `eventlog.starting_offset`, resolved by the input systems."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartingOffset, Startpoint
from eventlog.system_admin import SystemAdmin, SystemStreamMetadata, SystemStreamPartitionMetadata
from managers.errors import ManagerError, describe_cause
from managers.startpoints.next_starts import Reader, decide

_MAX_SHOWN: Final = 100
_logger: Final = logging.getLogger(__name__)


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
        shown = repr(offset if len(offset) <= _MAX_SHOWN else f"{offset[:_MAX_SHOWN]}…")
        super().__init__(
            f"Task {task_name!r} cannot start to read {partition}: its checkpoint has offset {shown}, and "
            f"the system does not know the next offset{others}. Write another offset (`coordstream checkpoint write`), "
            "request a startpoint, or set systems.<system>.streams.<stream>.samza.reset.offset=true to ignore the "
            "checkpoint."
        )


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


Starts = dict[Reader, str | None]
"""The first offset that each task reads of a partition. None: its system does not know one."""


def find_starting_offsets(
    config: Mapping[str, str], admins: Mapping[str, SystemAdmin], assigned: Iterable[AssignedPartition]
) -> tuple[Starts, tuple[RefusedStartpoint, ...]]:
    """Decide where each partition starts, as OffsetManager of Samza does when it starts; and which startpoints cannot.

    Queries the metadata of a stream only if a task starts at one of its ends. Raises `ConfigError`, `OffsetError`, and
    `UnusableOffset` if a checkpoint's offset has no successor; Samza's container does not start either.
    """
    settings, starts = OffsetSettings(config), Starts()
    refused: list[RefusedStartpoint] = []
    at_ends: list[tuple[AssignedPartition, str | None]] = []
    unusable: list[AssignedPartition] = []
    for each in assigned:
        admin = admin_of(admins, each.partition.system)
        offset = None if each.startpoint is None else _resolve(settings, admin, each, each.startpoint, refused)
        if offset is None:
            decision = _decide(settings, each, None)
            if decision.decided_by != "checkpoint":
                at_ends.append((each, decision.startpoint_type))
            else:
                offset = admin.get_offsets_after({each.partition: each.checkpoint_offset or ""})[each.partition]
                unusable += [each] if offset is None else []
        starts[each.task_name, each.partition] = offset
    for each in unusable[:1]:
        raise UnusableOffset(each.task_name, each.partition, each.checkpoint_offset or "", len(unusable) - 1)
    return {**starts, **_find_ends(admins, at_ends)}, tuple(refused)


def admin_of(admins: Mapping[str, SystemAdmin], system: str) -> SystemAdmin:
    admin = admins.get(system)
    if admin is None:
        raise OffsetError(f"System {system} has no admin. Pass one in system_admins.")
    return admin


def _resolve(
    settings: OffsetSettings,
    admin: SystemAdmin,
    assigned: AssignedPartition,
    startpoint: Startpoint,
    refused: list[RefusedStartpoint],
) -> str | None:
    """The offset that a startpoint means; None if it is refused."""
    reason = "it has no position"
    if _decide(settings, assigned, startpoint).decided_by == "startpoint":
        reason = "its system has no such position"
        try:
            offset = admin.resolve_startpoint_to_offset(assigned.partition, startpoint)
            if offset is not None and offset.strip():
                return offset
        except Exception as error:  # any error, as in Samza: the job starts without the startpoint
            reason = f"its system failed ({describe_cause(error)})"
    refused.append(RefusedStartpoint(assigned.task_name, assigned.partition, startpoint, reason))
    _logger.warning("%s; it starts without the startpoint.", refused[-1])
    return None


def _decide(settings: OffsetSettings, assigned: AssignedPartition, startpoint: Startpoint | None) -> StartingOffset:
    return decide(
        settings,
        assigned.partition,
        requested=None,
        fanned_out=startpoint,  # a fan-out never expires, so that now_ms does not matter
        checkpoint_offset=assigned.checkpoint_offset,
        now_ms=0,
    )


def _find_ends(admins: Mapping[str, SystemAdmin], at_ends: Sequence[tuple[AssignedPartition, str | None]]) -> Starts:
    """The oldest or the upcoming offset. An empty partition has no oldest one: it starts at the upcoming one."""
    streams: dict[str, set[str]] = {}
    for each, _ in at_ends:
        streams.setdefault(each.partition.system, set()).add(each.partition.stream)
    metadata = {
        system: admin_of(admins, system).get_system_stream_metadata(sorted(names)) for system, names in streams.items()
    }
    starts = Starts()
    for each, end in at_ends:
        found = _metadata_of(metadata[each.partition.system], each.partition)
        oldest = found.oldest_offset if end == "oldest" else None
        starts[each.task_name, each.partition] = found.upcoming_offset if oldest is None else oldest
    return starts


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
