"""OffsetManager: the offsets of a job's tasks, from their start to their commits."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from threading import RLock
from types import MappingProxyType
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, Offsets
from eventlog.config import OffsetSettings, refuse_unknown_defaults
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin
from eventlog.timestamps import ms_of
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_errors import TaskNotRegistered
from managers.errors import NotReady, Startable
from managers.offsets.resolved_starts import (
    AssignedPartition,
    RefusedStartpoint,
    ResolvedStart,
    admin_of,
    find_starting_offsets,
    require_usable_offsets,
)
from managers.offsets.task_offsets import CommittedOffsets, OffsetManagerMetrics, ProcessedOffsets, TaskStartpoints
from managers.startpoints.startpoint_manager import StartpointManager

Compare = Callable[[str, str, str], int | None]
"""Compares two offsets of a system (system, offset, offset); None if they cannot be compared."""
_logger: Final = logging.getLogger(__name__)


class CheckpointListener:
    """Takes part in the commits of one system's partitions (Samza's interface). Override either method."""

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        """Return the offsets to write instead; a partition that is omitted keeps its offset."""
        return offsets

    def on_checkpoint(self, offsets: Offsets) -> None:
        """Called with the offsets that were written."""


def modify_offsets(
    starting: Offsets,
    processed: Mapping[SystemStreamPartition, str],
    listeners: Mapping[str, CheckpointListener],
    compare: Compare,
) -> dict[SystemStreamPartition, str]:
    """The offsets to write: the processed ones, as modified by the listener of each system (SAMZA-2042).

    A listener is called with all of its system's partitions as soon as the processed offset of one of them can be
    compared with its starting offset. Offsets that a listener returns for other partitions are ignored.
    """
    modified = dict(processed)
    for system, listener in listeners.items():
        own = {partition: offset for partition, offset in processed.items() if partition.system == system}
        if any(_can_compare(compare, partition, own[partition], starting) for partition in own):
            returned = listener.before_checkpoint(MappingProxyType(own))
            modified |= {partition: offset for partition, offset in returned.items() if partition in own and offset}
    return modified


def notify_listeners(
    listeners: Mapping[str, CheckpointListener], registered: Collection[SystemStreamPartition], written: Offsets
) -> None:
    """Call each listener with the written offsets of its system's registered partitions (SAMZA-2446)."""
    for system, listener in listeners.items():
        own = {
            partition: offset
            for partition, offset in written.items()
            if partition.system == system and partition in registered
        }
        if own:
            listener.on_checkpoint(MappingProxyType(own))


def _can_compare(compare: Compare, partition: SystemStreamPartition, offset: str, starting: Offsets) -> bool:
    start = starting.get(partition)
    return start is not None and compare(partition.system, offset, start) is not None


_NO_LISTENERS: Final[Mapping[str, CheckpointListener]] = MappingProxyType({})


class OffsetManager(Startable):
    """The offsets of some tasks of a job, from their start to their last commit (Samza's class).

    Register the tasks, start, read from the starting offsets, and `update` after each event. To commit, call
    `build_checkpoint`, flush the output of the events, then call `write_checkpoint`. Only `write_checkpoint` writes.
    A context manager. Thread-safe after the start, with one commit of a task at a time.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        *,
        system_admins: Mapping[str, SystemAdmin],
        checkpoint_manager: AbstractCheckpointManager | None = None,
        startpoint_manager: StartpointManager | None = None,
        checkpoint_listeners: Mapping[str, CheckpointListener] = _NO_LISTENERS,
        clock: Clock = system_clock,
        nano_time: Callable[[], int] = time.time_ns,
    ) -> None:
        """``config`` is the job's. Admins and listeners are by the job's names of its systems.

        The offset manager starts and stops both other managers. The caller opens and closes the startpoint manager's
        store. ``clock`` and ``nano_time`` are for the ids of V2 checkpoints. Raises `ConfigError`.
        """
        refuse_unknown_defaults(config)
        self._config: Final = dict(config)
        self._clock: Final = clock
        self._nano_time: Final = nano_time
        self._admins: Final = dict(system_admins)
        self._committed: Final = CommittedOffsets(self._config, checkpoint_manager, self._new_id)
        self._startpoints: Final = TaskStartpoints(startpoint_manager)
        self._listeners: Final = dict(checkpoint_listeners)
        self._lock: Final = RLock()
        self._registered: dict[str, frozenset[SystemStreamPartition]] = {}
        self._processed = ProcessedOffsets()
        self._starts: dict[tuple[str, SystemStreamPartition], ResolvedStart] = {}
        self._refused: tuple[RefusedStartpoint, ...] = ()
        self._is_running = False
        self.metrics: Final = OffsetManagerMetrics()
        """Metrics since the manager was created."""

    def __repr__(self) -> str:
        state = "running" if self._is_running else "not running"
        return f"<{type(self).__name__} of {len(self._registered)} tasks, {state}>"

    @property
    def refused_startpoints(self) -> Sequence[RefusedStartpoint]:
        """The startpoints that tasks could not follow at the last start."""
        return self._refused

    def register(self, task_name: str, partitions: Iterable[SystemStreamPartition]) -> None:
        """Manage these partitions of a task, in addition to those already registered, from the next start."""
        with self._lock:
            registered = self._registered.get(task_name, frozenset()).union(partitions)
            self._registered[task_name] = registered
            for partition in registered:
                self.metrics.checkpointed_offsets.setdefault(partition, "")

    def start(self) -> None:
        """Decide where every registered partition starts. Does nothing if the manager is running.

        Raises `ConfigError` for a default offset; `OffsetError` for an input that does not exist or has no admin;
        `UnusableOffset` if the system does not know an offset after that of a checkpoint.
        """
        with self._lock:
            if self._is_running:
                return
            try:
                committed = self._committed.load(self._registered)
                self._startpoints.load(self._registered)
                self._find_starts(committed)
                self._begin(committed)
            except BaseException:
                with suppress(Exception):
                    self._stop_managers()
                raise
            self._is_running = True
            _logger.info("Starting %d tasks with %d partitions.", len(self._registered), len(self._starts))

    def stop(self) -> None:
        """Stop without a commit: events since the last commit are read again after the next start."""
        self._is_running = False  # without the lock, so that a write that is retried in another thread gives up
        self._stop_managers()

    def get_starting_offset(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The first offset to read; None if the task does not read the partition, or no offset is known."""
        start = self._starts.get((task_name, partition))
        return None if start is None else start.offset

    def get_starting_decision(self, task_name: str, partition: SystemStreamPartition) -> StartingOffset | None:
        """How the starting offset was decided; None if the task does not read the partition."""
        start = self._starts.get((task_name, partition))
        return None if start is None else start.decision

    def set_starting_offset(self, task_name: str, partition: SystemStreamPartition, offset: str) -> None:
        """Override a starting offset until the next start, before reading begins. Raises `TaskNotRegistered`."""
        with self._lock:
            start = self._starts.get((task_name, partition))
            if start is None:
                raise TaskNotRegistered(task_name, f"for partition {partition} with this offset manager")
            self._starts[task_name, partition] = start._replace(offset=offset)

    def get_startpoint(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        """The task's startpoint for a partition, until it is consumed."""
        return self._startpoints.get(task_name, partition)

    def set_startpoint(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        """Set a startpoint in this manager only: it is not written, and the starting offset stays."""
        self._startpoints.set(task_name, partition, startpoint)

    def update(self, task_name: str, partition: SystemStreamPartition, offset: str | None) -> None:
        """Record that a task has processed an event. None: the event has no offset; the previous one stays.

        With `END_OF_STREAM_OFFSET` the previous offset stays, too, but the next commit consumes the startpoint.
        """
        self._processed.update(task_name, partition, offset)

    def get_last_processed_offset(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The last processed offset, at first that of the checkpoint; None if there is none."""
        return self._processed.get(task_name, partition)

    def get_last_processed_offsets(self, task_name: str) -> Mapping[SystemStreamPartition, str]:
        """The offsets that a commit writes: a copy, as modified by the task's checkpoint listeners.

        An event processed after this call is not included, and does not consume a startpoint at this commit. A
        partition that the task no longer reads loses its checkpoint. Raises `TaskNotRegistered`.
        """
        registered = self._partitions_of(task_name)
        processed = self._processed.snapshot(task_name, registered)
        starting = {partition: self.get_starting_offset(task_name, partition) for partition in registered}
        return MappingProxyType(self.get_modified_offsets(starting, processed))

    def get_modified_offsets(
        self, starting: Offsets, processed: Mapping[SystemStreamPartition, str]
    ) -> dict[SystemStreamPartition, str]:
        return modify_offsets(starting, processed, self._listeners, self._compare)

    def get_last_task_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The task's checkpoint; None if it has none, or there is no checkpoint manager."""
        return self._committed.last_checkpoint(task_name)

    def build_checkpoint(self, task_name: str) -> Checkpoint:
        """The checkpoint, without state markers, for a commit of the offsets processed so far."""
        return self._committed.build(self.get_last_processed_offsets(task_name))

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint, *other_versions: Checkpoint) -> None:
        """Commit a task: write its checkpoint in each version, then consume the startpoints of partitions that moved.

        A startpoint leaves the fan-out at the first commit after its partition moved, whatever the offset (SAMZA-2749).
        An empty checkpoint is not written. If ``task.checkpoint.write.versions`` is set, exactly these versions are
        written; one that is not passed is converted from the first, unless that contains state of stores (ValueError).

        Raises `NotReady`, `TaskNotRegistered`, and what the log raises; the next commit or start then completes it.
        """
        with self._lock:
            if not self._is_running:
                raise NotReady(type(self).__name__, "is not running", "start it first, and commit before you stop it")
            registered = self._partitions_of(task_name)
            moved = self._processed.moved(task_name)
            checkpoints = self._committed.in_versions([checkpoint, *other_versions])
            for written in self._committed.write(task_name, checkpoints):
                self.metrics.set_checkpointed(written.offsets)
            for each in checkpoints[-1:]:
                notify_listeners(self._listeners, registered, each.offsets)
            self._startpoints.consume(task_name, moved)
            self._processed.forget_snapshot(task_name)
            self.metrics.commit_count += 1

    def _new_id(self) -> CheckpointId:
        return CheckpointId.create(ms_of(self._clock()), self._nano_time())

    def _find_starts(self, committed: Mapping[str, Mapping[SystemStreamPartition, str]]) -> None:
        assigned = [
            AssignedPartition(
                task_name, partition, committed[task_name].get(partition), self._startpoints.get(task_name, partition)
            )
            for task_name, partitions in self._registered.items()
            for partition in sorted(partitions)
        ]
        found = find_starting_offsets(self._config, self._admins, assigned)
        require_usable_offsets(assigned, found)
        for refused in found.refused:
            _logger.warning("%s; it starts without the startpoint.", refused)
        self._starts = dict(found.starts)
        self._refused = tuple(found.refused)
        self.metrics.refused_startpoint_count += len(found.refused)

    def _begin(self, committed: Mapping[str, Mapping[SystemStreamPartition, str]]) -> None:
        """Load the checkpointed offsets as processed, except for streams that are reset."""
        self._processed, settings = ProcessedOffsets(), OffsetSettings(self._config)
        for task_name, offsets in committed.items():
            kept = [each for each in offsets if not settings.is_reset(each.system, each.stream)]
            self._processed.load(task_name, {each: offsets[each] for each in kept})

    def _stop_managers(self) -> None:
        try:
            self._committed.stop()
        finally:
            self._startpoints.stop()

    def _partitions_of(self, task_name: str) -> frozenset[SystemStreamPartition]:
        partitions = self._registered.get(task_name)
        if partitions is None:
            raise TaskNotRegistered(task_name, "with this offset manager")
        return partitions

    def _compare(self, system: str, one: str, other: str) -> int | None:
        return admin_of(self._admins, system).offset_comparator(one, other)
