"""How far tasks have come: their processed offsets, which partitions have moved, and the metrics of commits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition
from managers.checkpoints.checkpoint_events import require_offset

END_OF_STREAM_OFFSET: Final = "END_OF_STREAM"
"""Marks the end of a partition in place of an offset (IncomingMessageEnvelope of Samza)."""


@dataclass
class OffsetManagerMetrics:
    """Metrics of an offset manager (Samza's class), as plain values.

    ``checkpointed_offsets``: the last written offset of each registered partition, ``""`` before the first commit.
    ``refused_startpoint_count``: startpoints that could not be followed, over all starts of the manager.
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

    A commit takes a snapshot of the offsets to write, and later asks which partitions had moved **at that time**. An
    event processed in between belongs to the next commit.
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
        """The last processed offset; None if there is none."""
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
