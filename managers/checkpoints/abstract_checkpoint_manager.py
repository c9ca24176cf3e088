"""The interface of checkpoint managers: start and stop, and registered tasks."""

from abc import ABC, abstractmethod
from contextlib import suppress
from threading import RLock
from types import TracebackType
from typing import Self

from eventlog.checkpoint import Checkpoint
from managers.checkpoints.checkpoint_errors import TaskNotRegistered
from managers.errors import NotReady
from managers.task_names import require_task_name


class AbstractCheckpointManager(ABC):
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
        """Register a task; registering it again has no effect. Raises TypeError if it is not a string."""
        require_task_name(task_name)
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

        Raises:
            TaskNotRegistered: the task was not registered.
            NotReady: the manager is not running.
            OffsetLost: the stream was created again. Create a new manager.
        """
        with self._lock:
            self._require(task_name)
            return self._read(task_name)

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint) -> int:
        """Replace the task's checkpoint, and return the log offset once the write is acknowledged.

        Raises:
            TaskNotRegistered: the task was not registered.
            NotReady: the manager is not running.
            CheckpointNotWritten: the log did not acknowledge it in the time allowed.
            AppendRefused: the log rejects the event. This is not retried.
            OffsetMissing: a V2 checkpoint has an offset of None.
            TypeError: an offset or a state marker is not a string. Nothing was written.
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

    def _runs(self) -> bool:
        return self._is_running

    def _require_running(self) -> None:
        if not self._is_running:
            raise NotReady(type(self).__name__, "is not running", "start it first, and stop it after the last call")

    def _require(self, task_name: str) -> None:
        self._require_running()
        require_task_name(task_name)
        if task_name not in self._task_names:
            raise TaskNotRegistered(task_name)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "running" if self._is_running else "not running"
        return f"{type(self).__name__}({self._stream_name or 'no stream yet'}, {len(self._task_names)} tasks, {state})"
