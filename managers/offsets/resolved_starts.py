"""Where tasks start to read: the rules of `eventlog.starting_offset`, resolved by the input systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, NamedTuple

from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset, decide
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


class StartingOffsets(NamedTuple):
    """The start of each partition of each task, and the startpoints that were refused."""

    starts: dict[tuple[str, SystemStreamPartition], ResolvedStart]
    refused: tuple[RefusedStartpoint, ...]


def find_starting_offsets(
    config: Mapping[str, str], admins: Mapping[str, SystemAdmin], assigned: Sequence[AssignedPartition]
) -> StartingOffsets:
    """Decide where each partition starts, as OffsetManager of Samza does when it starts.

    Queries the metadata of a stream only if a task starts at one of its ends. Raises `ConfigError`, `OffsetError`, and
    `UnusableOffset` if a checkpoint's offset has no successor; Samza's container does not start either.
    """
    finder = _Finder(config, admins)
    starts = {(each.task_name, each.partition): start for each, start in finder.find(assigned)}
    found = [(each, starts[each.task_name, each.partition]) for each in assigned]
    unusable = [each for each, start in found if start.offset is None and start.decision.decided_by == "checkpoint"]
    for each in unusable[:1]:
        raise UnusableOffset(each.task_name, each.partition, each.checkpoint_offset or "", len(unusable) - 1)
    return StartingOffsets(starts, tuple(finder.refused))


class _Finder:
    def __init__(self, config: Mapping[str, str], admins: Mapping[str, SystemAdmin]) -> None:
        self._settings: Final = OffsetSettings(config)
        self._admins: Final = admins
        self.refused: Final[list[RefusedStartpoint]] = []

    def find(self, assigned: Sequence[AssignedPartition]) -> Iterator[tuple[AssignedPartition, ResolvedStart]]:
        decided = [(each, self._decide(each)) for each in assigned]
        yield from ((each, start) for each, start in decided if start.decision.decided_by == "startpoint")
        yield from self._after_checkpoints([each for each in decided if each[1].decision.decided_by == "checkpoint"])
        yield from self._at_ends([each for each in decided if each[1].decision.decided_by in ("default", "reset")])

    def _decide(self, assigned: AssignedPartition) -> ResolvedStart:
        admin = admin_of(self._admins, assigned.partition.system)
        decision = self._decision(assigned, assigned.startpoint)
        if assigned.startpoint is None:
            return ResolvedStart(None, decision)
        if decision.decided_by != "startpoint":
            self._refuse(assigned, assigned.startpoint, "it has no position")
            return ResolvedStart(None, decision)
        offset = self._resolve(admin, assigned, assigned.startpoint)
        if offset is not None:
            return ResolvedStart(offset, decision)
        return ResolvedStart(None, replace(self._decision(assigned, None), ignored_reason="unresolved"))

    def _decision(self, assigned: AssignedPartition, startpoint: Startpoint | None) -> StartingOffset:
        return decide(
            self._settings,
            assigned.partition,
            requested=None,
            fanned_out=startpoint,  # a fan-out never expires, so that now_ms does not matter
            checkpoint_offset=assigned.checkpoint_offset,
            now_ms=0,
        )

    def _resolve(self, admin: SystemAdmin, assigned: AssignedPartition, startpoint: Startpoint) -> str | None:
        try:
            offset = admin.resolve_startpoint_to_offset(assigned.partition, startpoint)
        except Exception as error:  # any error, as in Samza: the job starts without the startpoint
            self._refuse(assigned, startpoint, f"its system failed ({describe_cause(error)})")
            return None
        if offset is None or not offset.strip():
            self._refuse(assigned, startpoint, "its system has no such position")
            return None
        return offset

    def _refuse(self, assigned: AssignedPartition, startpoint: Startpoint, reason: str) -> None:
        self.refused.append(RefusedStartpoint(assigned.task_name, assigned.partition, startpoint, reason))

    def _after_checkpoints(
        self, decided: Sequence[tuple[AssignedPartition, ResolvedStart]]
    ) -> Iterator[tuple[AssignedPartition, ResolvedStart]]:
        """One call for each task and system: a broadcast partition has a different offset in each task."""
        for (_, system), each in groupby(sorted(decided, key=_task_and_system), key=_task_and_system):
            group = list(each)
            offsets = {one.partition: one.checkpoint_offset or "" for one, _ in group}
            after = admin_of(self._admins, system).get_offsets_after(offsets)
            yield from ((one, start._replace(offset=after.get(one.partition))) for one, start in group)

    def _at_ends(
        self, decided: Sequence[tuple[AssignedPartition, ResolvedStart]]
    ) -> Iterator[tuple[AssignedPartition, ResolvedStart]]:
        known: dict[str, Mapping[str, SystemStreamMetadata]] = {}
        for system in sorted({each.partition.system for each, _ in decided}):
            streams = sorted({each.partition.stream for each, _ in decided if each.partition.system == system})
            known[system] = admin_of(self._admins, system).get_system_stream_metadata(streams)
        for each, start in decided:
            metadata = _metadata_of(known[each.partition.system], each.partition)
            yield each, start._replace(offset=_end(metadata, start.decision.startpoint_type))


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


def _task_and_system(decided: tuple[AssignedPartition, ResolvedStart]) -> tuple[str, str]:
    return decided[0].task_name, decided[0].partition.system
