"""The base class of checkpoint managers."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from eventlog.checkpoint import Candidate, Checkpoint
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import AppendRefused, EventLog, end_after
from eventlog.source import ConnectionEnded, StreamRefused
from eventlog.streams import StreamKind
from managers.errors import CheckpointNotWritten, NotReady, TaskNotRegistered
from managers.wrapped_logs import LogOrOpener, Retry, StreamClient


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


_PERMANENT: Final = (AppendRefused, ConnectionEnded, StreamRefused, TypeError, ValueError)
"""Errors of an append that is not retried."""
_logger: Final = logging.getLogger(__name__)


class AbstractCheckpointManager(StreamClient, ABC):
    """Reads and writes the checkpoints of registered tasks on one log (Samza's interface CheckpointManager).

    A context manager: it starts and stops the manager. Thread-safe.
    """

    def __init__(
        self, log: LogOrOpener, retry: Retry | None, kind: StreamKind = "coordinator", *, reads_once: bool = False
    ) -> None:
        """``reads_once``: only the first read after the start reads the log; otherwise every read catches up."""
        super().__init__(log, kind)
        self._retry: Final = retry or Retry()
        self._reads_once: Final = reads_once
        self._task_names: set[str] = set()
        self._is_read = False
        self._stream_name: str | None = None
        self._stream_id: str | None = None
        self._position = 0
        self._live: dict[str, dict[bytes | None, Candidate[Checkpoint]]] = {}
        """The last readable event of each key (its exact bytes) by task."""
        self._last_commit_ms: int | None = None

    @property
    def stream_name(self) -> str:
        """The name of the stream with the checkpoints. Raises `NotReady` before the first start."""
        if self._stream_name is None:
            raise NotReady(type(self).__name__, "was never started", "start it first")
        return self._stream_name

    @property
    def log(self) -> EventLog:
        with self._lock:
            self._require_running()
            return self._lazy_log.open()

    @property
    def position(self) -> int:
        """The log offset of the next read."""
        with self._lock:
            self._require_running()
            return self._position

    def register(self, task_name: str) -> None:
        """Register a task; registering it again has no effect."""
        with self._lock:
            self._task_names.add(task_name)

    def start(self) -> None:
        """Open the log. Does nothing if the manager is running. Raises an `EventLogError` if there is no log."""
        with self._lock:
            if not self._is_running:
                with self._lazy_log.use() as log:
                    if self._stream_name is None or self._stream_id != log.stream_id:
                        self._position = log.start_offset()
                        self._live, self._last_commit_ms = {}, None
                    self._stream_name, self._stream_id = log.stream_name, log.stream_id
                self._is_read = False
                super().start()

    def read_last_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The checkpoint from which a task starts; None if it has none (an empty checkpoint is not None).

        Raises `TaskNotRegistered`, `NotReady`, and `OffsetLost` if the stream was created again since the start.
        """
        return self.read_last_checkpoints([task_name])[task_name]

    def read_last_checkpoints(self, task_names: Collection[str]) -> dict[str, Checkpoint | None]:
        """`read_last_checkpoint` of several tasks, in one read of the log."""
        with self._lock:
            for task_name in task_names:
                self._require(task_name)
            self._catch_up()
            chosen = {task_name: self._choose([*self._live.get(task_name, {}).values()]) for task_name in task_names}
            return {task_name: None if one is None else one.payload for task_name, one in chosen.items()}

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint) -> int:
        """Replace the task's checkpoint, and return the log offset once the write is acknowledged.

        After a failure, the log is opened again (SAMZA-1638). While a write is being retried, others go on.

        Raises:
            TaskNotRegistered, NotReady: the task was not registered, or the manager is not running.
            CheckpointNotWritten: the log did not acknowledge it in the time allowed.
            AppendRefused, ConnectionEnded: the log rejects the event, or must be opened again. This is not retried.
            CheckpointError, TypeError: it could not be read back, such as V2 with an offset of None.
        """
        with self._lock:
            self._require(task_name)
            event = self._event(task_name, checkpoint)
        _logger.debug("Writing the checkpoint of task %r.", task_name)
        deadline, failures = self._retry.begin(), list[Exception]()
        while True:
            with self._lock:
                if failures and not self._is_running:
                    break
                try:
                    with self._lazy_log.use() as log:
                        return log.append([event]).start
                except _PERMANENT:
                    raise
                except Exception as error:
                    failures.append(error)
            if deadline.is_over or not self._is_running:
                break
            _logger.warning("Append failed (try %d, %s): trying again.", len(failures), type(failures[-1]).__name__)
            deadline.wait()
        cause = failures[-1]
        raise CheckpointNotWritten(self.stream_name, task_name, checkpoint, len(failures), cause) from cause

    def task_names(self) -> frozenset[str]:
        """The tasks that have a checkpoint on the log, registered or not."""
        with self._lock:
            self._catch_up()
            return frozenset(task_name for task_name, live in self._live.items() if live)

    def last_commit_ms(self) -> int | None:
        """The latest record time (ms since 1970) of any checkpoint, also an ignored one; None if there is none."""
        with self._lock:
            self._catch_up()
            return self._last_commit_ms

    def commits(self, first: int) -> list[Commit]:
        """The checkpoints on the log from an offset on, of any task. The position stays."""
        with self._use() as log:
            decoded = ((self._decode(event), event.offset) for event in log.read(first))
            return [Commit(entry.task_name, offset) for entry, offset in decoded if entry is not None]

    def catch_up(self, own_offsets: Collection[int] = ()) -> None:
        """Read to the current end of the log, also if it is read once.

        The events at ``own_offsets`` do not count for `last_commit_ms`.
        """
        with self._use() as log:
            end = end_after(log, self._position, self._stream_id)
            for event in log.read(self._position, end):
                self._apply(event, is_own=event.offset in own_offsets)
            self._position = end

    @abstractmethod
    def _decode(self, event: RecordedEvent) -> Entry | None:
        """Decode an event; None if it is not about a checkpoint."""

    @abstractmethod
    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        """Which of a task's live checkpoints counts."""

    @abstractmethod
    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        """Return the event that sets a checkpoint. Raises an error if the manager does not write such a checkpoint."""

    def _catch_up(self) -> None:
        if not (self._reads_once and self._is_read):
            self.catch_up()
            self._is_read = True
        self._require_running()

    def _apply(self, event: RecordedEvent, *, is_own: bool) -> None:
        entry = self._decode(event)
        if entry is None:
            return
        if not is_own and (entry.checkpoint is not None or entry.is_ignored):
            self._last_commit_ms = max(event.timestamp, self._last_commit_ms or event.timestamp)
        if entry.is_ignored:
            return
        live = self._live.setdefault(entry.task_name, {})
        if entry.checkpoint is None:
            live.pop(event.key, None)
        else:
            live[event.key] = Candidate(entry.version, event.offset, event.timestamp, entry.checkpoint)

    def _require(self, task_name: str) -> None:
        self._require_running()
        if task_name not in self._task_names:
            raise TaskNotRegistered(task_name)
