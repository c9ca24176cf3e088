"""How far each task has come in each of its partitions, and which of them have moved at all."""

from collections.abc import Collection, Mapping
from threading import Lock
from typing import Final

from eventlog.partition import SystemStreamPartition

END_OF_STREAM_OFFSET: Final = "END_OF_STREAM"
"""What comes instead of an offset when a partition has ended (IncomingMessageEnvelope of Samza)."""


class ProcessedOffsets:
    """The last processed offset of each partition by task. Safe for threads.

    A commit is two calls: the snapshot that is written, and the partitions that had moved **when it was taken**. What
    is processed in between belongs to the next commit.
    """

    def __init__(self) -> None:
        self._lock: Final = Lock()
        self._offsets: dict[str, dict[SystemStreamPartition, str]] = {}
        self._moved: dict[str, set[SystemStreamPartition]] = {}
        self._moved_then: dict[str, frozenset[SystemStreamPartition]] = {}

    def load(self, task_name: str, offsets: Mapping[SystemStreamPartition, str]) -> None:
        """Begin with these offsets; nothing has moved yet."""
        with self._lock:
            self._offsets[task_name] = dict(offsets)
            self._moved[task_name] = set()
            self._moved_then.pop(task_name, None)

    def update(self, task_name: str, partition: SystemStreamPartition, offset: str | None) -> None:
        """An event was processed. Without an offset the one before stays, and the partition has not moved (SAMZA-982).

        The end of a partition is no offset, but it moves it.
        """
        if offset is None:
            return
        with self._lock:
            self._moved.setdefault(task_name, set()).add(partition)
            if offset != END_OF_STREAM_OFFSET:
                self._offsets.setdefault(task_name, {})[partition] = offset

    def get(self, task_name: str, partition: SystemStreamPartition) -> str | None:
        """The last processed offset; None: nothing was processed."""
        with self._lock:
            return self._offsets.get(task_name, {}).get(partition)

    def snapshot(
        self, task_name: str, partitions: Collection[SystemStreamPartition]
    ) -> dict[SystemStreamPartition, str]:
        """The last processed offsets of some partitions as they are now; remembers which have moved by now."""
        with self._lock:
            self._moved_then[task_name] = frozenset(self._moved.get(task_name, ()))
            return {each: offset for each, offset in self._offsets.get(task_name, {}).items() if each in partitions}

    def moved(self, task_name: str) -> frozenset[SystemStreamPartition]:
        """The partitions that had moved since the start when the last snapshot was taken; without one, by now."""
        with self._lock:
            return self._moved_then.get(task_name, frozenset(self._moved.get(task_name, ())))

    def forget_snapshot(self, task_name: str) -> None:
        """A commit is done: the next one may come without a snapshot."""
        with self._lock:
            self._moved_then.pop(task_name, None)
