"""OffsetManager: the offsets of a job's tasks, from their start to their commits."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, RLock
from types import MappingProxyType
from typing import Final

from eventlog.checkpoint import (
    WRITE_VERSIONS,
    Checkpoint,
    CheckpointId,
    CheckpointV1,
    CheckpointV2,
    Offsets,
    write_versions,
)
from eventlog.config import OffsetSettings, refuse_unknown_defaults
from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from eventlog.system_admin import SystemAdmin
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_events import convert_to_versions, require_offset
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.errors import Startable, TaskNotRegistered
from managers.offsets.resolved_starts import (
    AssignedPartition,
    RefusedStartpoint,
    Starts,
    admin_of,
    find_starting_offsets,
)
from managers.startpoints.next_starts import Reader
from managers.startpoints.startpoint_manager import StartpointManager

END_OF_STREAM_OFFSET: Final = "END_OF_STREAM"
"""Marks the end of a partition in place of an offset (IncomingMessageEnvelope of Samza)."""
_logger: Final = logging.getLogger(__name__)


class CheckpointListener:
    """Takes part in the commits of one system's partitions (Samza's interface). Override either method."""

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        """Return the offsets to write instead; a partition that is omitted keeps its offset."""
        return offsets

    def on_checkpoint(self, offsets: Offsets) -> None:
        """Called with the offsets that were written."""


@dataclass
class OffsetManagerMetrics:
    """Counts since the manager was created (Samza's class).

    ``checkpointed_offsets`` has the last written offset of each partition, ``""`` before the first commit.
    """

    checkpointed_offsets: dict[SystemStreamPartition, str | None] = field(default_factory=dict)
    commit_count: int = 0
    refused_startpoint_count: int = 0


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
        checkpoint_listeners: Mapping[str, CheckpointListener] = MappingProxyType({}),
    ) -> None:
        """``config`` is the job's. Admins and listeners are by the job's names of its systems.

        The offset manager starts and stops both other managers. The caller opens and closes the startpoint manager's
        store. Raises `ConfigError`.
        """
        refuse_unknown_defaults(config)
        self._config: Final = dict(config)
        self._admins: Final = dict(system_admins)
        self._versions: Final = write_versions(config)
        if self._versions is not None and isinstance(checkpoint_manager, CheckpointManager):
            raise ConfigError(
                f"{WRITE_VERSIONS} is set, but only a checkpoint topic has versions. Pass a KafkaCheckpointManager."
            )
        self._checkpoints: Final = checkpoint_manager
        self._startpoint_manager: Final = startpoint_manager
        self._listeners: Final = dict(checkpoint_listeners)
        self._lock: Final = RLock()
        self._registered: dict[str, frozenset[SystemStreamPartition]] = {}
        self._starts: Starts = {}
        self._refused: tuple[RefusedStartpoint, ...] = ()
        self._progress_lock: Final = Lock()
        """For the attributes below: a processed event does not wait for a commit."""
        self._processed: dict[Reader, str] = {}
        self._moved: set[Reader] = set()
        self._moved_at_snapshot: dict[str, list[SystemStreamPartition]] = {}
        self._startpoints: dict[Reader, Startpoint] = {}
        self._fanned_out: dict[Reader, Startpoint] = {}
        self.metrics: Final = OffsetManagerMetrics()

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
                committed = self._read_committed()
                self._load_startpoints()
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
        self._require_running()
        return self._starts.get((task_name, partition))

    def get_startpoint(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        """The task's startpoint for a partition, until it is consumed."""
        with self._progress_lock:
            return self._startpoints.get((task_name, partition))

    def set_startpoint(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        """Set a startpoint in this manager only: it is not written, and the starting offset stays."""
        with self._progress_lock:
            self._startpoints[task_name, partition] = startpoint

    def update(self, task_name: str, partition: SystemStreamPartition, offset: str | None) -> None:
        """Record that a task has processed an event. None or empty: no offset; the previous one stays (SAMZA-982).

        With `END_OF_STREAM_OFFSET` the previous offset stays, too, but the next commit consumes the startpoint. Raises
        TypeError if the offset is not a string.
        """
        self._require_running()
        require_offset(partition, offset)
        if not offset:
            return
        with self._progress_lock:
            self._moved.add((task_name, partition))
            if offset != END_OF_STREAM_OFFSET:
                self._processed[task_name, partition] = offset

    def get_last_processed_offset(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The last processed offset, at first that of the checkpoint; None if there is none."""
        with self._progress_lock:
            return self._processed.get((task_name, partition))

    def get_last_processed_offsets(self, task_name: str) -> Mapping[SystemStreamPartition, str]:
        """The offsets that a commit writes: a copy, as modified by `get_modified_offsets`.

        An event processed after this call is not included, and does not consume a startpoint at this commit. A
        partition that the task no longer reads loses its checkpoint. Raises `TaskNotRegistered`.
        """
        registered = self._partitions_of(task_name)
        with self._progress_lock:
            self._moved_at_snapshot[task_name] = [each for each in registered if (task_name, each) in self._moved]
            found = {each: self._processed.get((task_name, each)) for each in registered}
        processed = {each: offset for each, offset in found.items() if offset is not None}
        starting = {partition: self.get_starting_offset(task_name, partition) for partition in registered}
        return MappingProxyType(self.get_modified_offsets(starting, processed))

    def get_modified_offsets(
        self, starting: Offsets, processed: Mapping[SystemStreamPartition, str]
    ) -> dict[SystemStreamPartition, str]:
        """The offsets to write: the processed ones, as modified by the listener of each system (SAMZA-2042).

        A listener is called with all of its system's partitions as soon as the processed offset of one of them can be
        compared with its starting offset. Offsets that a listener returns for other partitions are ignored.
        """
        modified = dict(processed)
        for system, listener in self._listeners.items():
            own = {partition: offset for partition, offset in processed.items() if partition.system == system}
            compared = ((offset, start) for each, offset in own.items() if (start := starting.get(each)) is not None)
            if any(admin_of(self._admins, system).offset_comparator(*both) is not None for both in compared):
                returned = listener.before_checkpoint(MappingProxyType(own))
                modified |= {partition: offset for partition, offset in returned.items() if partition in own and offset}
        return modified

    def build_checkpoint(self, task_name: str) -> Checkpoint:
        """The checkpoint, without state markers, of the offsets processed so far, in the first version to write."""
        offsets = self.get_last_processed_offsets(task_name)
        is_second = self._versions is not None and self._versions[0] == 2
        return CheckpointV2(CheckpointId.create(), offsets, {}) if is_second else CheckpointV1(offsets)

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint, *other_versions: Checkpoint) -> None:
        """Commit a task: write its checkpoint in each version, then consume the startpoints of partitions that moved.

        A startpoint leaves the fan-out at the first commit after its partition moved, whatever the offset (SAMZA-2749).
        An empty checkpoint is not written. If ``task.checkpoint.write.versions`` is set, exactly these versions are
        written; one that is not passed is converted from the first, unless that contains state of stores (ValueError).

        Raises `NotReady`, `TaskNotRegistered`, and what the log raises; the next commit or start then completes it.
        """
        with self._lock:  # not while it starts or stops
            registered = self._partitions_of(task_name)
        with self._progress_lock:  # those that had moved at the snapshot; without one, now
            now = [each for each in registered if (task_name, each) in self._moved]
            moved = self._moved_at_snapshot.get(task_name, now)
        checkpoints = self._in_versions([checkpoint, *other_versions])
        if self._checkpoints is not None:  # without the lock, so that other tasks commit while this write is retried
            for each in checkpoints:
                self._checkpoints.write_checkpoint(task_name, each)
                known = self.metrics.checkpointed_offsets
                known |= {partition: offset for partition, offset in each.offsets.items() if partition in known}
        with self._lock:
            for each in checkpoints[-1:]:
                self._notify_listeners(registered, each.offsets)
        self._consume_startpoints(task_name, moved)
        with self._progress_lock:
            self._moved_at_snapshot.pop(task_name, None)
            self.metrics.commit_count += 1
        _logger.debug("Committed task %r.", task_name)

    def _in_versions(self, checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
        """The checkpoints that a commit writes: in exactly the versions of config, and none without content."""
        if self._versions is not None:
            checkpoints = convert_to_versions(checkpoints, self._versions, self._config)
        return [each for each in checkpoints if each.offsets or (isinstance(each, CheckpointV2) and each.state_markers)]

    def _notify_listeners(self, registered: Collection[SystemStreamPartition], written: Offsets) -> None:
        """Call each listener with the written offsets of its system's registered partitions (SAMZA-2446)."""
        for system, listener in self._listeners.items():
            own = {each: written[each] for each in written if each.system == system and each in registered}
            if own:
                listener.on_checkpoint(MappingProxyType(own))

    def _read_committed(self) -> dict[Reader, str]:
        """Start the manager, and read each task's offsets, only of partitions that it reads now (SAMZA-267)."""
        if self._checkpoints is None:
            return {}
        for task_name in self._registered:
            self._checkpoints.register(task_name)
        self._checkpoints.start()
        return {
            (task_name, partition): offset
            for task_name, checkpoint in self._checkpoints.read_last_checkpoints(self._registered).items()
            for partition, offset in ({} if checkpoint is None else checkpoint.offsets).items()
            if offset is not None and partition in self._registered[task_name]
        }

    def _load_startpoints(self) -> None:
        """Start the startpoint manager, and read the fan-outs of the registered tasks and their partitions."""
        manager, found = self._startpoint_manager, dict[Reader, Startpoint]()
        if manager is not None:
            manager.start()
            for task_name, partitions in self._registered.items():
                fan_out = manager.get_fan_out_for_task(task_name)
                found |= {(task_name, each): fan_out[each] for each in partitions if each in fan_out}
        with self._progress_lock:
            self._startpoints, self._fanned_out = dict(found), found
        self._stop_startpoints_if_consumed()

    def _consume_startpoints(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        """Remove a task's startpoints of partitions in which it has moved on, also from the fan-out.

        What was fanned out since the start stays, for the next start. If this fails, the next call removes them.
        """
        with self._progress_lock:
            fan_out = self._fanned_out
            consumed = {each: fan_out[task_name, each] for each in moved if (task_name, each) in fan_out}
        if consumed and self._startpoint_manager is not None:
            self._startpoint_manager.remove_consumed_fan_out(task_name, consumed)
        with self._progress_lock:
            for partition in moved:
                self._startpoints.pop((task_name, partition), None)
                fan_out.pop((task_name, partition), None)
        if consumed:
            self._stop_startpoints_if_consumed()

    def _stop_startpoints_if_consumed(self) -> None:
        if not self._fanned_out and self._startpoint_manager is not None:
            _logger.info("Stopping the startpoint manager: no task has a startpoint that is not consumed.")
            self._startpoint_manager.stop()

    def _find_starts(self, committed: Mapping[Reader, str]) -> None:
        readers = [(task_name, each) for task_name, read in self._registered.items() for each in sorted(read)]
        assigned = [AssignedPartition(*each, committed.get(each), self._startpoints.get(each)) for each in readers]
        self._starts, self._refused = find_starting_offsets(self._config, self._admins, assigned)
        self.metrics.refused_startpoint_count += len(self._refused)

    def _begin(self, committed: Mapping[Reader, str]) -> None:
        """Load the checkpointed offsets as processed, except for streams that are reset."""
        settings = OffsetSettings(self._config)
        with self._progress_lock:
            self._moved, self._moved_at_snapshot = set(), {}
            self._processed = {
                (task_name, each): offset
                for (task_name, each), offset in committed.items()
                if not settings.is_reset(each.system, each.stream)
            }

    def _stop_managers(self) -> None:
        try:
            if self._checkpoints is not None:
                self._checkpoints.stop()
        finally:
            if self._startpoint_manager is not None:
                self._startpoint_manager.stop()

    def _partitions_of(self, task_name: str) -> frozenset[SystemStreamPartition]:
        self._require_running()
        partitions = self._registered.get(task_name)
        if partitions is None:
            raise TaskNotRegistered(task_name, "with this offset manager")
        return partitions
