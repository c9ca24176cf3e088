"""Where tasks start to read, as their input systems resolve the rules of `eventlog.starting_offset`, and go on."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Lock, RLock
from typing import Final, NamedTuple

from eventlog.checkpoint import Offsets
from eventlog.config import OffsetSettings
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import DecidedBy, StartingOffset, decide
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin, SystemStreamMetadata, SystemStreamPartitionMetadata
from managers.checkpoints.checkpoint_events import require_offset
from managers.errors import ManagerError, describe_cause
from managers.metrics import MetricValue
from managers.startpoints.startpoint_manager import StartpointManager

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


END_OF_STREAM_OFFSET: Final = "END_OF_STREAM"
"""Marks the end of a partition in place of an offset (IncomingMessageEnvelope of Samza)."""
_Reader = tuple[str, SystemStreamPartition]
_logger: Final = logging.getLogger(__name__)


@dataclass
class OffsetManagerMetrics:
    """Metrics of an offset manager (Samza's class), as plain values.

    ``checkpointed_offsets`` has the last written offset of each partition, ``""`` before the first commit.
    """

    checkpointed_offsets: dict[SystemStreamPartition, str | None] = field(default_factory=dict)
    commit_count: int = 0
    refused_startpoint_count: int = 0

    def groups(self) -> Mapping[str, Mapping[str, MetricValue]]:
        """See `ManagerMetrics`."""
        gauges = {
            f"{each.system}-{each.stream}-{each.partition}-checkpointed-offset": offset
            for each, offset in [*self.checkpointed_offsets.items()]
        }
        return {"org.apache.samza.checkpoint.OffsetManagerMetrics": gauges}

    def set_checkpointed(self, offsets: Offsets) -> None:
        """Set the offsets of a written checkpoint, without those of partitions that are not registered."""
        known = self.checkpointed_offsets
        known.update({partition: offset for partition, offset in offsets.items() if partition in known})


class ProcessedOffsets:
    """The last processed offset of each partition by task. Thread-safe.

    A commit takes a snapshot of the offsets to write, and later asks which partitions had moved **at that time**.
    """

    def __init__(self) -> None:
        self._lock: Final = Lock()
        self._offsets: dict[str, dict[SystemStreamPartition, str]] = {}
        self._moved: dict[str, set[SystemStreamPartition]] = {}
        self._moved_at_snapshot: dict[str, frozenset[SystemStreamPartition]] = {}

    def load(self, task_name: str, offsets: Mapping[SystemStreamPartition, str]) -> None:
        """Set a task's offsets at its start; no partition has moved."""
        with self._lock:
            self._offsets[task_name] = dict(offsets)
            self._moved[task_name] = set()
            self._moved_at_snapshot.pop(task_name, None)

    def update(self, task_name: str, partition: SystemStreamPartition, offset: str | None) -> None:
        """Record a processed event. None: the event has no offset, and the partition has not moved (SAMZA-982).

        `END_OF_STREAM_OFFSET` moves the partition and keeps its offset. Raises TypeError if the offset is not a string.
        """
        require_offset(partition, offset)
        if offset is None:
            return
        with self._lock:
            self._moved.setdefault(task_name, set()).add(partition)
            if offset != END_OF_STREAM_OFFSET:
                self._offsets.setdefault(task_name, {})[partition] = offset

    def get(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        with self._lock:
            return self._offsets.get(task_name, {}).get(partition)

    def snapshot(
        self, task_name: str, partitions: Collection[SystemStreamPartition]
    ) -> dict[SystemStreamPartition, str]:
        """Copy the last processed offsets of some partitions, and remember which partitions have moved."""
        with self._lock:
            self._moved_at_snapshot[task_name] = frozenset(self._moved.get(task_name, ()))
            return {each: offset for each, offset in self._offsets.get(task_name, {}).items() if each in partitions}

    def moved(self, task_name: str) -> frozenset[SystemStreamPartition]:
        """The partitions that had moved since the start at the time of the last snapshot; without one, now."""
        with self._lock:
            return self._moved_at_snapshot.get(task_name, frozenset(self._moved.get(task_name, ())))

    def forget_snapshot(self, task_name: str) -> None:
        """End a commit: the next one may come without a snapshot."""
        with self._lock:
            self._moved_at_snapshot.pop(task_name, None)


class TaskStartpoints:
    """Startpoints by task and partition: those fanned out, and those set by the program. Thread-safe."""

    def __init__(self, manager: StartpointManager | None) -> None:
        """``manager`` None: there is no fan-out."""
        self._manager: Final = manager
        self._lock: Final = RLock()
        self._all: dict[_Reader, Startpoint] = {}
        self._fanned_out: dict[_Reader, Startpoint] = {}

    def load(self, registered: Mapping[str, Collection[SystemStreamPartition]]) -> None:
        """Start the manager, and read the fan-out of these tasks and their partitions."""
        with self._lock:
            self._all, self._fanned_out = {}, {}
            if self._manager is None:
                return
            self._manager.start()
            for task_name, partitions in registered.items():
                fan_out = self._manager.get_fan_out_for_task(task_name)
                self._fanned_out |= {(task_name, each): fan_out[each] for each in partitions if each in fan_out}
            self._all.update(self._fanned_out)
            self._stop_if_fan_out_is_empty("no task has a startpoint")

    def set(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        with self._lock:
            self._all[task_name, partition] = startpoint

    def get(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        with self._lock:
            return self._all.get((task_name, partition))

    def consume(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        """Remove a task's startpoints of partitions in which it has moved on, also from the fan-out.

        What was fanned out since the start stays, for the next start. If this fails, the next call removes them.
        """
        with self._lock:
            fan_out = self._fanned_out
            consumed = {each: fan_out[task_name, each] for each in moved if (task_name, each) in fan_out}
        if consumed and self._manager is not None:
            self._manager.remove_consumed_fan_out(task_name, consumed)
        with self._lock:
            for partition in moved:
                self._all.pop((task_name, partition), None)
                fan_out.pop((task_name, partition), None)
            if consumed:
                self._stop_if_fan_out_is_empty("every startpoint of these tasks is consumed")

    def stop(self) -> None:
        if self._manager is not None and self._manager.is_running:
            self._manager.stop()

    def _stop_if_fan_out_is_empty(self, why: str) -> None:
        if not self._fanned_out:
            _logger.info("Stopping the startpoint manager: %s.", why)
            self.stop()
