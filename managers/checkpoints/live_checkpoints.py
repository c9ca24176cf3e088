"""The live checkpoints of a log: the last readable event of each key."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.checkpoint_choice import Candidate
from eventlog.events import RecordedEvent
from eventlog.log import EventLog


class Entry(NamedTuple):
    """A decoded event: a task's checkpoint in one version.

    ``checkpoint`` None: the checkpoint is deleted, or with ``is_ignored`` the previous one stays.
    """

    task_name: str
    version: int
    checkpoint: Checkpoint | None
    is_ignored: bool = False


class Commit(NamedTuple):
    """A checkpoint on a log: whose, and where. It may be a deleted one."""

    task_name: str
    log_offset: int


Decode = Callable[[RecordedEvent], Entry | None]
"""Decodes an event; None if it is not about a checkpoint."""


class LiveCheckpoints:
    """The live checkpoints by task. Keys are compared by their exact bytes. Not thread-safe."""

    def __init__(self, decode: Decode) -> None:
        self._decode: Final = decode
        self._by_task: dict[str, dict[bytes | None, Candidate[Checkpoint]]] = {}
        self.position = 0
        """The log offset of the next read."""
        self.last_commit_ms: int | None = None
        """The latest record time (ms since 1970) of any checkpoint, including ignored ones; None if there is none."""

    def catch_up(self, log: EventLog) -> int:
        """Read to the current end of the log, and return the number of events.

        The position then is the end, which may be beyond the last event (compaction, control records).
        """
        end = log.end_offset()
        count = 0
        for event in log.read(self.position, end):
            self._apply(event)
            count += 1
        self.position = max(self.position, end)
        return count

    def commits(self, log: EventLog, first: int) -> Iterator[Commit]:
        """The checkpoints on a log from an offset on. The live ones stay as they are."""
        for event in log.read(first):
            entry = self._decode(event)
            if entry is not None:
                yield Commit(entry.task_name, event.offset)

    def of_task(self, task_name: str) -> list[Candidate[Checkpoint]]:
        """The live checkpoints of a task, in any order. Two spellings of a key are two candidates."""
        return list(self._by_task.get(task_name, {}).values())

    def task_names(self) -> set[str]:
        """The tasks that have a live checkpoint."""
        return {task_name for task_name, live in self._by_task.items() if live}

    def _apply(self, event: RecordedEvent) -> None:
        entry = self._decode(event)
        if entry is None:
            return
        if entry.checkpoint is not None or entry.is_ignored:
            self.last_commit_ms = max(event.timestamp, self.last_commit_ms or event.timestamp)
        if entry.is_ignored:
            return
        live = self._by_task.setdefault(entry.task_name, {})
        if entry.checkpoint is None:
            live.pop(event.key, None)
        else:
            live[event.key] = Candidate(entry.version, event.offset, event.timestamp, entry.checkpoint)
