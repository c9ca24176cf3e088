"""The checkpoints that live on a log: of each key its last readable event, read on from where reading stopped."""

from collections.abc import Callable
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.checkpoint_choice import Candidate
from eventlog.events import RecordedEvent
from eventlog.log import EventLog


class Entry(NamedTuple):
    """What an event says of a task's checkpoint in one version.

    ``checkpoint`` None: it is deleted, or (``is_passed_over``) not looked at, so that what was before it stays.
    """

    task_name: str
    version: int
    checkpoint: Checkpoint | None
    is_passed_over: bool = False


Decode = Callable[[RecordedEvent], Entry | None]
"""Reads an event; None for one that says nothing of a task's checkpoint."""


class LiveCheckpoints:
    """Current checkpoints by task. A key belongs to its exact bytes, so that one spelling's end leaves another's alone.

    Not safe for threads.
    """

    def __init__(self, decode: Decode) -> None:
        self._decode: Final = decode
        self._by_task: dict[str, dict[bytes | None, Candidate[Checkpoint]]] = {}
        self.position = 0
        """The log offset from which the next read goes on."""
        self.last_commit_ms: int | None = None
        """The newest record time (ms since 1970) of any checkpoint, read or passed over; None: there was none."""

    def catch_up(self, log: EventLog) -> int:
        """Read to the end of the log as it is now, and give how many events came.

        The end is where the position stands, which may lie beyond the last event (compaction, control records).
        """
        end = log.end_offset()
        count = 0
        for event in log.read(self.position, end):
            self._take(event)
            count += 1
        self.position = max(self.position, end)
        return count

    def of_task(self, task_name: str) -> list[Candidate[Checkpoint]]:
        """What lives of a task, in any order; two spellings of one key are two candidates."""
        return list(self._by_task.get(task_name, {}).values())

    def task_names(self) -> set[str]:
        """The tasks of which any checkpoint lives."""
        return {task_name for task_name, living in self._by_task.items() if living}

    def _take(self, event: RecordedEvent) -> None:
        entry = self._decode(event)
        if entry is None:
            return
        if entry.checkpoint is not None or entry.is_passed_over:
            self.last_commit_ms = max(event.timestamp, self.last_commit_ms or event.timestamp)
        if entry.is_passed_over:
            return
        living = self._by_task.setdefault(entry.task_name, {})
        if entry.checkpoint is None:
            living.pop(event.key, None)
        else:
            living[event.key] = Candidate(entry.version, event.offset, event.timestamp, entry.checkpoint)
