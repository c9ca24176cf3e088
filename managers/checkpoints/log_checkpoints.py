"""`LogCheckpoints`, which checkpoint managers over an event log have in common, and the live checkpoints of a log."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.checkpoint_choice import Candidate
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog, end_after
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten
from managers.lazy_log import LogOrOpener


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
    """The last readable event of each key, by task. Keys are compared by their exact bytes. Not thread-safe."""

    def __init__(self, decode: Decode) -> None:
        self._decode: Final = decode
        self._by_task: dict[str, dict[bytes | None, Candidate[Checkpoint]]] = {}
        self.position = 0
        """The log offset of the next read."""
        self.last_commit_ms: int | None = None
        """The latest record time (ms since 1970) of any checkpoint, including ignored ones; None if there is none."""

    def catch_up(self, log: EventLog, own_offsets: Collection[int] = ()) -> int:
        """Read to the current end of the log, and return the number of events.

        The position then is the end, which may be beyond the last event (compaction, control records). The checkpoints
        at ``own_offsets`` do not count for `last_commit_ms`. Raises `OffsetLost` if the stream was created again.
        """
        end = end_after(log, self.position)
        count = 0
        for event in log.read(self.position, end):
            self._apply(event, is_own=event.offset in own_offsets)
            count += 1
        self.position = end
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

    def _apply(self, event: RecordedEvent, *, is_own: bool) -> None:
        entry = self._decode(event)
        if entry is None:
            return
        if not is_own and (entry.checkpoint is not None or entry.is_ignored):
            self.last_commit_ms = max(event.timestamp, self.last_commit_ms or event.timestamp)
        if entry.is_ignored:
            return
        live = self._by_task.setdefault(entry.task_name, {})
        if entry.checkpoint is None:
            live.pop(event.key, None)
        else:
            live[event.key] = Candidate(entry.version, event.offset, event.timestamp, entry.checkpoint)


class LogCheckpoints(AbstractCheckpointManager):
    """Checkpoints on one log, which is read as far as it is needed and appended to with retries."""

    def __init__(self, log: LogOrOpener, retry: Retry | None) -> None:
        super().__init__()
        self._appender = RetryingAppender(log, retry or Retry(), self._runs)
        self._live: LiveCheckpoints | None = None

    def task_names(self) -> frozenset[str]:
        """See `AbstractCheckpointManager.task_names`."""
        with self._lock:
            return frozenset(self._catch_up().task_names())

    @property
    def log(self) -> EventLog:
        """The log. Raises `NotReady` unless the manager is running."""
        with self._lock:
            self._require_running()
            return self._appender.open()

    @property
    def position(self) -> int:
        """The next log offset to read."""
        with self._lock:
            return self._running_live().position

    def commits(self, first: int) -> list[Commit]:
        """The checkpoints on the log from an offset on, of any task. The position stays."""
        with self._lock:
            live = self._running_live()
            with self._appender.use() as log:
                return list(live.commits(log, first))

    def catch_up(self, own_offsets: Collection[int] = ()) -> None:
        """Read to the current end of the log, even if config says that it is read once.

        The checkpoints at ``own_offsets``, which the caller wrote, do not count for `last_commit_ms`.
        """
        with self._lock:
            live = self._running_live()
            with self._appender.use() as log:
                live.catch_up(log, own_offsets)

    def last_commit_ms(self) -> int | None:
        """See `AbstractCheckpointManager.last_commit_ms`; of any version."""
        with self._lock:
            return self._catch_up().last_commit_ms

    @abstractmethod
    def _catch_up(self) -> LiveCheckpoints:
        """Read the log as far as it is needed. Raises `NotReady` unless the manager is running."""

    @abstractmethod
    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        """Return the event that sets a checkpoint. Raises an error if the manager does not write such a checkpoint."""

    def _close(self) -> None:
        self._appender.close()

    def _running_live(self) -> LiveCheckpoints:
        self._require_running()
        assert self._live is not None  # noqa: S101 (set by start())
        return self._live

    def _write(self, task_name: str, checkpoint: Checkpoint) -> int:
        event = self._event(task_name, checkpoint)
        try:
            return self._appender.append([event]).start
        except AppendGaveUp as error:
            cause = error.__cause__
            raise CheckpointNotWritten(self.stream_name, task_name, checkpoint, error.tries, cause) from cause
