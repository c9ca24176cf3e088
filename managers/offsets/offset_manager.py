"""From where tasks start, how far they come, and what is written of it (OffsetManager of Samza; seeds 000, 004)."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from threading import RLock
from types import MappingProxyType, TracebackType
from typing import Final, Self

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, Offsets
from eventlog.checkpoint_choice import WRITE_VERSIONS
from eventlog.errors import ConfigError
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset, is_reset, refuse_unknown_defaults
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin
from eventlog.timestamps import ms_of
from managers.checkpoints.checkpoint_errors import TaskNotRegistered
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.task_checkpoints import TaskCheckpoints, require_task_name
from managers.checkpoints.write_versions import in_versions, write_versions
from managers.errors import NotReady
from managers.offsets.checkpoint_listener import CheckpointListener, modified_offsets, tell_listeners
from managers.offsets.held_startpoints import HeldStartpoints
from managers.offsets.offset_errors import UnknownSystem, UnusableOffset
from managers.offsets.offset_metrics import OffsetManagerMetrics
from managers.offsets.processed_offsets import ProcessedOffsets
from managers.offsets.refused_startpoint import RefusedStartpoint
from managers.offsets.starting_places import Asked, Start, StartingPlaces
from managers.startpoints.startpoint_manager import StartpointManager

_logger: Final = logging.getLogger(__name__)
_NOBODY: Final[Mapping[str, CheckpointListener]] = MappingProxyType({})


class OffsetManager:
    """The offsets of some tasks of a job, from their start to their last commit.

    Register the tasks, start, read from the starting offsets, `update` after each event, and commit: take
    `build_checkpoint`, flush what was made of the events, then `write_checkpoint`. Nothing is written but by
    `write_checkpoint`. Safe for threads once it is started, with one commit of a task at a time. A context manager.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        *,
        system_admins: Mapping[str, SystemAdmin],
        checkpoint_manager: TaskCheckpoints | None = None,
        startpoint_manager: StartpointManager | None = None,
        checkpoint_listeners: Mapping[str, CheckpointListener] = _NOBODY,
        clock: Clock = system_clock,
        nano_time: Callable[[], int] = time.time_ns,
    ) -> None:
        """``config`` is the job's; admins and listeners are by system, as the job names it.

        Both managers are started and stopped here, the startpoint manager's store is its maker's to open and close.
        ``clock`` and ``nano_time`` make the ids of checkpoints in version 2.

        Raises:
            ConfigError: a default offset in config is neither oldest nor upcoming, or a version to write is unknown, or
                can't be written by this checkpoint manager.
        """
        refuse_unknown_defaults(config)
        self._config: Final = dict(config)
        self._versions: Final = write_versions(config)
        if self._versions is not None and isinstance(checkpoint_manager, CheckpointManager):
            raise ConfigError(
                f"{WRITE_VERSIONS} is set, and only a checkpoint topic has versions: give a KafkaCheckpointManager"
            )
        self._clock: Final = clock
        self._nano_time: Final = nano_time
        self._admins: Final = dict(system_admins)
        self._checkpoints: Final = checkpoint_manager
        self._held: Final = HeldStartpoints(startpoint_manager)
        self._listeners: Final = dict(checkpoint_listeners)
        self._lock: Final = RLock()
        self._registered: dict[str, frozenset[SystemStreamPartition]] = {}
        self._processed = ProcessedOffsets()
        self._starts: dict[tuple[str, SystemStreamPartition], Start] = {}
        self._refused: tuple[RefusedStartpoint, ...] = ()
        self._is_running = False
        self.metrics: Final = OffsetManagerMetrics()
        """What was counted so far."""

    def __repr__(self) -> str:
        state = "running" if self._is_running else "not running"
        return f"<{type(self).__name__} of {len(self._registered)} tasks, {state}>"

    @property
    def refused_startpoints(self) -> Sequence[RefusedStartpoint]:
        """The startpoints that tasks hold and could not follow at the last start."""
        return self._refused

    def register(self, task_name: str, partitions: Iterable[SystemStreamPartition]) -> None:
        """Answer for these partitions of a task from the next start on; more may be added to them."""
        require_task_name(task_name)
        with self._lock:
            registered = self._registered.get(task_name, frozenset()).union(partitions)
            self._registered[task_name] = registered
            for partition in registered:
                self.metrics.checkpointed_offsets.setdefault(partition, "")

    def start(self) -> None:
        """Find out where every registered partition starts. A manager that runs goes on.

        Raises:
            ConfigError: a default offset in config is neither oldest nor upcoming.
            UnknownSystem: a partition's system has no admin.
            NoMetadata: a partition without a checkpoint is not known to its system (or what its admin raises then).
            UnusableOffset: a partition starts after its checkpoint, whose offset its system can't go on from.
            EventLogError: checkpoints or startpoints can't be read.
        """
        with self._lock:
            if self._is_running:
                return
            try:
                checkpoints = self._read_checkpoints()
                self._held.load(self._registered)
                self._find_starts(checkpoints)
                self._begin(checkpoints)
            except BaseException:
                with suppress(Exception):
                    self._stop_managers()
                raise
            self._is_running = True
            _logger.info("%d tasks start to read %d partitions", len(self._registered), len(self._starts))

    def stop(self) -> None:
        """End. Nothing is committed: what was processed since the last commit is read again at the next start."""
        self._is_running = False  # not under the lock: a write that is being tried again gives up
        self._stop_managers()

    def get_starting_offset(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The first offset that a task is to read; None: it does not read the partition, or nobody can tell."""
        start = self._starts.get((task_name, partition))
        return None if start is None else start.offset

    def get_starting_decision(self, task_name: str, partition: SystemStreamPartition) -> StartingOffset | None:
        """Why a task starts where it does; None: it does not read the partition."""
        start = self._starts.get((task_name, partition))
        return None if start is None else start.decision

    def set_starting_offset(self, task_name: str, partition: SystemStreamPartition, offset: str) -> None:
        """Let a task start elsewhere, this once: for what prepares it, before reading begins.

        Raises:
            TaskNotRegistered: the task does not read this partition.
        """
        with self._lock:
            start = self._starts.get((task_name, partition))
            if start is None:
                raise TaskNotRegistered(task_name, f"for partition {partition} with this offset manager")
            self._starts[task_name, partition] = start._replace(offset=offset)

    def get_startpoint(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        """The startpoint that a task holds for a partition and has not used up."""
        return self._held.get(task_name, partition)

    def set_startpoint(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        """Let a task hold a startpoint here alone: nothing is written, and its starting offset stays."""
        self._held.set(task_name, partition, startpoint)

    def update(self, task_name: str, partition: SystemStreamPartition, offset: str | None) -> None:
        """A task has processed an event; None: it has no offset, and the one before stays.

        `END_OF_STREAM_OFFSET` says that the partition has ended: the offset stays, and its startpoint is used up.
        """
        self._processed.update(task_name, partition, offset)

    def get_last_processed_offset(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The offset that a task has processed last, at first that of its checkpoint; None: there is none."""
        return self._processed.get(task_name, partition)

    def get_last_processed_offsets(self, task_name: str) -> Mapping[SystemStreamPartition, str]:
        """What a commit writes: a copy of a task's offsets, after its listeners have had a say.

        What is processed after this call is not in it, and does not use up a startpoint at this commit. Only partitions
        that are registered are in it: what was read once and is not any more loses its checkpoint.

        Raises:
            TaskNotRegistered: the task was not registered.
        """
        registered = self._partitions_of(task_name)
        processed = self._processed.snapshot(task_name, registered)
        starting = {partition: self.get_starting_offset(task_name, partition) for partition in registered}
        return MappingProxyType(self.get_modified_offsets(starting, processed))

    def get_modified_offsets(
        self, starting: Offsets, processed: Mapping[SystemStreamPartition, str]
    ) -> dict[SystemStreamPartition, str]:
        """These processed offsets after the listeners had a say; see `modified_offsets`."""
        return modified_offsets(starting, processed, self._listeners, self._compared)

    def get_last_task_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The task's checkpoint as its manager reads it; None: it has none, or checkpoints are kept nowhere."""
        return None if self._checkpoints is None else self._checkpoints.read_last_checkpoint(task_name)

    def build_checkpoint(self, task_name: str) -> Checkpoint:
        """What a commit writes, of the offsets that were processed by now. Raises `TaskNotRegistered`.

        In the first version of ``task.checkpoint.write.versions``, without state markers; in version 1 if it is unset.
        """
        offsets = self.get_last_processed_offsets(task_name)
        is_second = self._versions is not None and self._versions[0] == 2
        return CheckpointV2(self._new_id(), offsets, {}) if is_second else CheckpointV1(offsets)

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint, *other_versions: Checkpoint) -> None:
        """Commit a task: write its checkpoint (in each of its versions), then use up the startpoints of what has moved.

        A startpoint leaves the fan-out at the first commit after its partition moved, whatever offset that has
        (SAMZA-2749). A checkpoint that says nothing is not written, since it would only take away a good one.

        If ``task.checkpoint.write.versions`` is set, each version that it names is written and no other: one that is
        not given is made of the first checkpoint.

        Raises:
            ValueError: a version is not given, and the first checkpoint holds the state of stores.
            NotReady: it is not running.
            TaskNotRegistered: the task was not registered.
            EventLogError: something could not be written; what this leaves behind the next start or commit puts right.
        """
        with self._lock:
            if not self._is_running:
                raise NotReady(type(self).__name__, "is not running", "start it first, and commit before it is stopped")
            registered = self._partitions_of(task_name)
            moved = self._processed.moved(task_name)
            written = [each for each in (checkpoint, *other_versions) if _says_something(each)]
            if written and self._versions is not None:
                written = in_versions(written, self._versions, self._config, self._new_id)
            for each in written:
                self._write(task_name, each)
            for each in written[-1:]:
                tell_listeners(self._listeners, registered, each.offsets)
            self._held.use_up(task_name, moved)
            self._processed.forget_snapshot(task_name)
            self.metrics.commit_count += 1

    def _new_id(self) -> CheckpointId:
        return CheckpointId.create(ms_of(self._clock()), self._nano_time())

    def _write(self, task_name: str, checkpoint: Checkpoint) -> None:
        if self._checkpoints is None:
            return
        self._checkpoints.write_checkpoint(task_name, checkpoint)
        written = self.metrics.checkpointed_offsets
        written.update({partition: offset for partition, offset in checkpoint.offsets.items() if partition in written})

    def _read_checkpoints(self) -> dict[str, dict[SystemStreamPartition, str]]:
        """The offsets of each task's checkpoint, of the partitions that it reads now (SAMZA-267)."""
        if self._checkpoints is not None:
            for task_name in self._registered:
                self._checkpoints.register(task_name)
            self._checkpoints.start()
        found = {task_name: self.get_last_task_checkpoint(task_name) for task_name in self._registered}
        return {
            task_name: _offsets_of(checkpoint, self._registered[task_name]) for task_name, checkpoint in found.items()
        }

    def _find_starts(self, checkpoints: Mapping[str, Mapping[SystemStreamPartition, str]]) -> None:
        asked = [
            Asked(task_name, partition, checkpoints[task_name].get(partition), self._held.get(task_name, partition))
            for task_name, partitions in self._registered.items()
            for partition in sorted(partitions)
        ]
        found = StartingPlaces.find(self._config, self._admins, asked)
        _refuse_unusable(asked, found)
        for refused in found.refused:
            _logger.warning("%s; it goes on without", refused)
        self._starts = dict(found.starts)
        self._refused = tuple(found.refused)
        self.metrics.refused_startpoint_count += len(found.refused)

    def _begin(self, checkpoints: Mapping[str, Mapping[SystemStreamPartition, str]]) -> None:
        """Begin with what was processed before, but for streams that are reset: theirs stands on the log alone."""
        self._processed = ProcessedOffsets()
        for task_name, offsets in checkpoints.items():
            kept = [each for each in offsets if not is_reset(self._config, each.system, each.stream)]
            self._processed.load(task_name, {each: offsets[each] for each in kept})

    def _stop_managers(self) -> None:
        try:
            if self._checkpoints is not None:
                self._checkpoints.stop()
        finally:
            self._held.stop()

    def _partitions_of(self, task_name: str) -> frozenset[SystemStreamPartition]:
        partitions = self._registered.get(task_name)
        if partitions is None:
            raise TaskNotRegistered(task_name, "with this offset manager")
        return partitions

    def _compared(self, system: str, one: str, other: str) -> int | None:
        admin = self._admins.get(system)
        if admin is None:
            raise UnknownSystem(system)
        return admin.offset_comparator(one, other)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def _refuse_unusable(asked: Iterable[Asked], found: StartingPlaces) -> None:
    """Samza's container does not start either: it finds no offset for the partition, or its system fails."""
    starts = found.starts
    unusable = [one for one in asked if _lacks_offset(starts[one.task_name, one.partition])]
    for one in unusable[:1]:
        raise UnusableOffset(one.task_name, one.partition, one.checkpoint_offset or "", len(unusable) - 1)


def _lacks_offset(start: Start) -> bool:
    return start.offset is None and start.decision.decided_by == "checkpoint"


def _says_something(checkpoint: Checkpoint) -> bool:
    return bool(checkpoint.offsets) or (isinstance(checkpoint, CheckpointV2) and bool(checkpoint.state_markers))


def _offsets_of(
    checkpoint: Checkpoint | None, partitions: Collection[SystemStreamPartition]
) -> dict[SystemStreamPartition, str]:
    offsets = {} if checkpoint is None else checkpoint.offsets
    return {each: offset for each, offset in offsets.items() if offset is not None and each in partitions}
