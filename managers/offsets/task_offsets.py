"""The offsets that tasks have processed, and their startpoints."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Final

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint
from managers.checkpoints.checkpoint_events import require_offset
from managers.metrics import MetricValue
from managers.startpoints.startpoint_manager import StartpointManager

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
