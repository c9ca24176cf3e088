"""CheckpointManager: checkpoints as set-checkpoint on the coordinator stream."""

from eventlog.checkpoint import Checkpoint, CheckpointV1
from eventlog.log import Clock, system_clock
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten
from managers.checkpoints.checkpoint_events import CoordinatorReader, coordinator_event
from managers.checkpoints.live_checkpoints import Commit, LiveCheckpoints
from managers.checkpoints.task_checkpoints import TaskCheckpoints
from managers.lazy_log import LogOrOpener
from managers.signature import UNKNOWN, make_envelope


class CheckpointManager(TaskCheckpoints):
    """Checkpoints as ``set-checkpoint`` on a job's coordinator stream, over any event log.

    The CheckpointManager of Samza's first design of the coordinator stream; released versions use the checkpoint topic.
    Every read first catches up with the stream. Only a `CheckpointV1` can be written: there are no versions and no
    state markers.
    """

    def __init__(
        self,
        log: LogOrOpener,
        *,
        source: str = UNKNOWN,
        retry: Retry | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """``log``: the coordinator stream, or a function that opens it, again after each failed write.

        ``source`` is the writer that messages name.
        """
        super().__init__()
        self._appender = RetryingAppender(log, retry or Retry(), self._runs)
        self._source = source
        self._clock = clock
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
        """See `TaskCheckpoints.last_commit_ms`."""
        with self._lock:
            return self._catch_up().last_commit_ms

    def _open(self) -> str:
        log = self._appender.open()
        if self._live is None:
            self._live = LiveCheckpoints(CoordinatorReader(log.stream_name))
            self._live.position = log.start_offset()
        return log.stream_name

    def _close(self) -> None:
        self._appender.close()

    def _running_live(self) -> LiveCheckpoints:
        self._require_running()
        assert self._live is not None  # noqa: S101 (set by start())
        return self._live

    def _catch_up(self) -> LiveCheckpoints:
        live = self._running_live()
        live.catch_up(self._appender.open())
        return live

    def _read(self, task_name: str) -> Checkpoint | None:
        newest = max(self._catch_up().of_task(task_name), key=lambda one: one.log_offset, default=None)
        return None if newest is None else newest.payload

    def _write(self, task_name: str, checkpoint: Checkpoint) -> int:
        if not isinstance(checkpoint, CheckpointV1):
            kind = type(checkpoint).__name__
            raise TypeError(
                f"the checkpoint of task {task_name!r} must be a CheckpointV1 on the coordinator stream, not a {kind}"
            )
        event = coordinator_event(task_name, checkpoint, make_envelope(self._source, clock=self._clock))
        try:
            return self._appender.append([event]).start
        except AppendGaveUp as error:
            cause = error.__cause__
            raise CheckpointNotWritten(self.stream_name, task_name, checkpoint, error.tries, cause) from cause
