"""LogCheckpoints: what the checkpoint managers over an event log have in common."""

from abc import abstractmethod

from eventlog.checkpoint import Checkpoint
from eventlog.events import NewEvent
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten
from managers.checkpoints.live_checkpoints import Commit, LiveCheckpoints
from managers.checkpoints.task_checkpoints import TaskCheckpoints
from managers.lazy_log import LogOrOpener


class LogCheckpoints(TaskCheckpoints):
    """Checkpoints on one log, which is read as far as it is needed and appended to with retries."""

    def __init__(self, log: LogOrOpener, retry: Retry | None) -> None:
        super().__init__()
        self._appender = RetryingAppender(log, retry or Retry(), self._runs)
        self._live: LiveCheckpoints | None = None

    def task_names(self) -> frozenset[str]:
        """See `TaskCheckpoints.task_names`."""
        with self._lock:
            return frozenset(self._catch_up().task_names())

    @property
    def position(self) -> int:
        """The next log offset to read."""
        with self._lock:
            return self._running_live().position

    def commits(self, first: int) -> list[Commit]:
        """The checkpoints on the log from an offset on, of any task. The position stays."""
        with self._lock:
            return list(self._running_live().commits(self._appender.open(), first))

    def last_commit_ms(self) -> int | None:
        """See `TaskCheckpoints.last_commit_ms`; of any version."""
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
