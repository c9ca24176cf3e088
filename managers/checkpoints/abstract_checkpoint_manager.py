"""The interface of checkpoint managers, and the checkpoints of a log."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from threading import RLock
from typing import Final, NamedTuple

from eventlog.checkpoint import Candidate, Checkpoint
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog, end_after
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten, TaskNotRegistered
from managers.errors import NotReady, Startable
from managers.wrapped_logs import LogOrOpener


class AbstractCheckpointManager(Startable):
    """Reads and writes the checkpoints of registered tasks (Samza's interface CheckpointManager).

    A context manager: it starts and stops the manager. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._task_names: set[str] = set()
        self._is_running = False
        self._stream_name: str | None = None

    @property
    def stream_name(self) -> str:
        """The name of the stream with the checkpoints. Raises `NotReady` before the first start."""
        if self._stream_name is None:
            raise NotReady(type(self).__name__, "was never started", "start it first")
        return self._stream_name

    def register(self, task_name: str) -> None:
        """Register a task; registering it again has no effect."""
        with self._lock:
            self._task_names.add(task_name)

    def start(self) -> None:
        """Open the log. Does nothing if the manager is running. Raises an `EventLogError` if there is no log."""
        with self._lock:
            if self._is_running:
                return
            try:
                self._stream_name = self._open()
            except BaseException:
                with suppress(Exception):  # the first error matters
                    self._close()
                raise
            self._is_running = True

    def stop(self) -> None:
        """Close the log. A write that is being retried in another thread gives up after its pause."""
        self._is_running = False
        with self._lock:
            self._is_running = False  # a start in another thread may have finished since
            self._close()

    def read_last_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The checkpoint from which a task starts; None if it has none (an empty checkpoint is not None).

        Raises `TaskNotRegistered`, `NotReady`, and `OffsetLost` if the stream was created again.
        """
        with self._lock:
            self._require(task_name)
            return self._read(task_name)

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint) -> int:
        """Replace the task's checkpoint, and return the log offset once the write is acknowledged.

        Raises:
            TaskNotRegistered, NotReady: the task was not registered, or the manager is not running.
            CheckpointNotWritten: the log did not acknowledge it in the time allowed.
            AppendRefused: the log rejects the event. This is not retried.
            CheckpointError, TypeError: a V2 checkpoint has an offset of None, or an offset is not a string.
        """
        with self._lock:
            self._require(task_name)
            return self._write(task_name, checkpoint)

    @abstractmethod
    def task_names(self) -> frozenset[str]:
        """The tasks that have a checkpoint on the log, registered or not."""

    @abstractmethod
    def last_commit_ms(self) -> int | None:
        """The record time (ms since 1970) of the latest checkpoint of any task; None if there is none."""

    @abstractmethod
    def _open(self) -> str:
        """Open the log, and return the name of its stream."""

    @abstractmethod
    def _close(self) -> None: ...

    @abstractmethod
    def _read(self, task_name: str) -> Checkpoint | None: ...

    @abstractmethod
    def _write(self, task_name: str, checkpoint: Checkpoint) -> int: ...

    def _require_running(self) -> None:
        if not self._is_running:
            raise NotReady(type(self).__name__, "is not running", "start it first, and stop it after the last call")

    def _require(self, task_name: str) -> None:
        self._require_running()
        if task_name not in self._task_names:
            raise TaskNotRegistered(task_name)

    def __repr__(self) -> str:
        state = "running" if self._is_running else "not running"
        return f"{type(self).__name__}({self._stream_name or 'no stream yet'}, {len(self._task_names)} tasks, {state})"


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
        """Read to the current end of the log. The events at ``own_offsets`` do not count for `last_commit_ms`."""
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
        self._appender = RetryingAppender(log, retry or Retry(), lambda: self._is_running)
        self._live: LiveCheckpoints | None = None

    def task_names(self) -> frozenset[str]:
        with self._lock:
            return frozenset(self._catch_up().task_names())

    @property
    def log(self) -> EventLog:
        with self._lock:
            self._require_running()
            return self._appender.open()

    @property
    def position(self) -> int:
        with self._lock:
            return self._running_live().position

    def commits(self, first: int) -> list[Commit]:
        """The checkpoints on the log from an offset on, of any task. The position stays."""
        with self._lock:
            live = self._running_live()
            with self._appender.use() as log:
                return list(live.commits(log, first))

    def catch_up(self, own_offsets: Collection[int] = ()) -> None:
        """Read to the current end of the log, even if config says that it is read once; see `LiveCheckpoints`."""
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
