"""The offsets and startpoints of tasks: processed, committed, and read from the fan-out."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock, RLock
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
from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_events import convert_to_versions, require_offset
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.startpoints.startpoint_manager import StartpointManager

END_OF_STREAM_OFFSET: Final = "END_OF_STREAM"
"""Marks the end of a partition in place of an offset (IncomingMessageEnvelope of Samza)."""


@dataclass
class OffsetManagerMetrics:
    """Metrics of an offset manager (Samza's class), as plain values.

    ``checkpointed_offsets`` has the last written offset of each partition, ``""`` before the first commit.
    """

    checkpointed_offsets: dict[SystemStreamPartition, str | None] = field(default_factory=dict)
    commit_count: int = 0
    refused_startpoint_count: int = 0

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


class CommittedOffsets:
    """Checkpoints by task, over a checkpoint manager, or none."""

    def __init__(
        self, config: Mapping[str, str], manager: AbstractCheckpointManager | None, new_id: Callable[[], CheckpointId]
    ) -> None:
        """``new_id`` returns the id of a new V2 checkpoint. ``manager`` None: nothing is read or written."""
        self._config: Final = config
        self._versions: Final = write_versions(config)
        if self._versions is not None and isinstance(manager, CheckpointManager):
            raise ConfigError(
                f"{WRITE_VERSIONS} is set, but only a checkpoint topic has versions. Pass a KafkaCheckpointManager."
            )
        self._manager: Final = manager
        self._new_id: Final = new_id

    def load(
        self, registered: Mapping[str, Collection[SystemStreamPartition]]
    ) -> dict[str, dict[SystemStreamPartition, str]]:
        """Start the manager, and read each task's offsets, only of partitions that it reads now (SAMZA-267)."""
        if self._manager is not None:
            for task_name in registered:
                self._manager.register(task_name)
            self._manager.start()
        return {
            task_name: _offsets_of(self.last_checkpoint(task_name), partitions)
            for task_name, partitions in registered.items()
        }

    def last_checkpoint(self, task_name: str) -> Checkpoint | None:
        return None if self._manager is None else self._manager.read_last_checkpoint(task_name)

    def build(self, offsets: Mapping[SystemStreamPartition, str]) -> Checkpoint:
        """A checkpoint without state markers, in the first of the versions to write (default: 1)."""
        is_second = self._versions is not None and self._versions[0] == 2
        return CheckpointV2(self._new_id(), offsets, {}) if is_second else CheckpointV1(offsets)

    def in_versions(self, checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
        """The checkpoints that a commit writes: in exactly the versions of config, and none without content."""
        if self._versions is not None:
            checkpoints = convert_to_versions(checkpoints, self._versions, self._config, self._new_id)
        return [each for each in checkpoints if each.offsets or (isinstance(each, CheckpointV2) and each.state_markers)]

    def write(self, task_name: str, checkpoints: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
        if self._manager is None:
            return
        for each in checkpoints:
            self._manager.write_checkpoint(task_name, each)
            yield each

    def stop(self) -> None:
        if self._manager is not None:
            self._manager.stop()


def _offsets_of(
    checkpoint: Checkpoint | None, partitions: Collection[SystemStreamPartition]
) -> dict[SystemStreamPartition, str]:
    offsets = {} if checkpoint is None else checkpoint.offsets
    return {each: offset for each, offset in offsets.items() if offset is not None and each in partitions}


_logger: Final = logging.getLogger(__name__)


class TaskStartpoints:
    """Startpoints by task and partition: those fanned out, and those set by the program. Thread-safe."""

    def __init__(self, manager: StartpointManager | None) -> None:
        """``manager`` None: there is no fan-out."""
        self._manager: Final = manager
        self._lock: Final = RLock()
        self._all: dict[str, dict[SystemStreamPartition, Startpoint]] = {}
        self._fanned_out: dict[str, dict[SystemStreamPartition, Startpoint]] = {}

    def load(self, registered: Mapping[str, Collection[SystemStreamPartition]]) -> None:
        """Start the manager, and read the fan-out of these tasks and their partitions."""
        with self._lock:
            self._all, self._fanned_out = {}, {}
            if self._manager is None:
                return
            self._manager.start()
            for task_name, partitions in registered.items():
                fan_out = self._manager.get_fan_out_for_task(task_name)
                found = {each: startpoint for each, startpoint in fan_out.items() if each in partitions}
                if found:
                    self._all[task_name] = dict(found)
                self._set_fan_out(task_name, found)
            self._stop_if_fan_out_is_empty("no task has a startpoint")

    def set(self, task_name: str, partition: SystemStreamPartition, startpoint: Startpoint) -> None:
        with self._lock:
            self._all.setdefault(task_name, {})[partition] = startpoint

    def get(self, task_name: str, partition: SystemStreamPartition) -> Startpoint | None:
        with self._lock:
            return self._all.get(task_name, {}).get(partition)

    def consume(self, task_name: str, moved: Collection[SystemStreamPartition]) -> None:
        """Remove a task's startpoints of partitions in which it has moved on, also from the fan-out.

        What was fanned out since the start stays, for the next start. If this fails, the next call removes them.
        """
        with self._lock:
            fan_out = self._fanned_out.get(task_name, {})
            consumed = {partition: startpoint for partition, startpoint in fan_out.items() if partition in moved}
            if consumed and self._manager is not None:
                self._manager.remove_consumed_fan_out(task_name, consumed)
            for partition in moved:
                self._all.get(task_name, {}).pop(partition, None)
            self._set_fan_out(task_name, {each: one for each, one in fan_out.items() if each not in consumed})
            if consumed:
                self._stop_if_fan_out_is_empty("every startpoint of these tasks is consumed")

    def stop(self) -> None:
        if self._manager is not None and self._manager.is_running:
            self._manager.stop()

    def _set_fan_out(self, task_name: str, startpoints: dict[SystemStreamPartition, Startpoint]) -> None:
        if startpoints:
            self._fanned_out[task_name] = startpoints
        else:
            self._fanned_out.pop(task_name, None)

    def _stop_if_fan_out_is_empty(self, why: str) -> None:
        if not self._fanned_out:
            _logger.info("Stopping the startpoint manager: %s.", why)
            self.stop()
