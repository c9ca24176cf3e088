"""What every checkpoint manager is: a life with a start and an end, and the tasks that it answers for."""

from abc import ABC, abstractmethod
from contextlib import suppress
from threading import RLock
from types import TracebackType
from typing import Any, Self

from eventlog.checkpoint import Checkpoint
from managers.checkpoints.checkpoint_errors import TaskNotRegistered
from managers.errors import NotReady


class TaskCheckpoints(ABC):
    """Reads and writes the checkpoints of registered tasks. Safe for threads; a context manager: it starts and stops.

    Samza's CheckpointManager: a class in seed 000, an interface in released Samza.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._task_names: set[str] = set()
        self._is_running = False
        self._stream_name: str | None = None

    @property
    def stream_name(self) -> str:
        """The stream that holds the checkpoints. Raises `NotReady` before the first start."""
        if self._stream_name is None:
            raise NotReady(type(self).__name__, "was never started", "start it first")
        return self._stream_name

    def register(self, task_name: str) -> None:
        """Answer for a task from now on; once more changes nothing. Raises TypeError where it is no text."""
        require_task_name(task_name)
        with self._lock:
            self._task_names.add(task_name)

    def start(self) -> None:
        """Open the log. Raises an `EventLogError` where there is none; a manager that runs goes on."""
        with self._lock:
            if self._is_running:
                return
            try:
                self._stream_name = self._open()
            except BaseException:
                with suppress(Exception):  # what failed matters, and not that what it left fails too
                    self._close()
                raise
            self._is_running = True

    def stop(self) -> None:
        """Close the log. What was written is there; nothing more can be written until it is started again.

        A write that is being tried again in another thread gives up after its pause.
        """
        self._is_running = False
        with self._lock:
            self._is_running = False  # a start in another thread may have ended meanwhile
            self._close()

    def read_last_checkpoint(self, task_name: str) -> Checkpoint | None:
        """The checkpoint that a task starts from; None if it has none (an empty one is another thing).

        Raises:
            TaskNotRegistered: the task was not registered (seed 000 gives None, which reads like "no checkpoint").
            NotReady: it was not started, or is stopped.
        """
        with self._lock:
            self._require(task_name)
            return self._read(task_name)

    def write_checkpoint(self, task_name: str, checkpoint: Checkpoint) -> int:
        """Make this the task's checkpoint, as a whole; it is on the log when the call returns, at the offset given.

        Raises:
            TaskNotRegistered: the task was not registered.
            NotReady: it was not started, or is stopped.
            CheckpointNotWritten: the log did not take it in the time allowed.
            AppendRefused: the log takes no such event; nothing is tried again.
            OffsetMissing: a V2 checkpoint has an offset of None.
        """
        with self._lock:
            self._require(task_name)
            return self._write(task_name, checkpoint)

    @abstractmethod
    def task_names(self) -> frozenset[str]:
        """The tasks of which the log holds a checkpoint, registered or not."""

    @abstractmethod
    def last_commit_ms(self) -> int | None:
        """The record time (ms since 1970) of the newest checkpoint of any task; None: there is none."""

    @abstractmethod
    def _open(self) -> str:
        """Open the log, and give its stream's name."""

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


def require_task_name(task_name: Any) -> None:
    """Raise TypeError where something else than a text is given for a task."""
    if not isinstance(task_name, str):
        raise TypeError(f"task_name must be a string, not {task_name!r}")
