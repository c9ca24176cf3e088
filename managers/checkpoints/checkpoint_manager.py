"""Checkpoints on the coordinator stream, as seed 000 keeps them."""

from eventlog.checkpoint import Checkpoint, CheckpointV1
from eventlog.log import Clock, system_clock
from managers.appending import AppendGaveUp, Retry, RetryingAppender
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten
from managers.checkpoints.checkpoint_events import CoordinatorReader, coordinator_event
from managers.checkpoints.live_checkpoints import LiveCheckpoints
from managers.checkpoints.task_checkpoints import TaskCheckpoints
from managers.lazy_log import LogOrOpener
from managers.signature import UNKNOWN, make_envelope


class CheckpointManager(TaskCheckpoints):
    """Checkpoints as ``set-checkpoint`` on a job's coordinator stream, over any event log.

    Seed 000's CheckpointManager, which no released Samza has. Every read first catches up with the stream. It holds no
    versions and no state markers, so that only a `CheckpointV1` can be written.
    """

    def __init__(
        self,
        log: LogOrOpener,
        *,
        source: str = UNKNOWN,
        retry: Retry | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """``log`` is the stream's, or opens it, anew after each failed write; ``source`` is told as the writer."""
        super().__init__()
        self._appender = RetryingAppender(log, retry or Retry(), self._runs)
        self._source = source
        self._clock = clock
        self._living: LiveCheckpoints | None = None

    def task_names(self) -> frozenset[str]:
        """See `TaskCheckpoints.task_names`."""
        with self._lock:
            return frozenset(self._up_to_date().task_names())

    def last_commit_ms(self) -> int | None:
        """See `TaskCheckpoints.last_commit_ms`."""
        with self._lock:
            return self._up_to_date().last_commit_ms

    def _open(self) -> str:
        log = self._appender.open()
        if self._living is None:
            self._living = LiveCheckpoints(CoordinatorReader(log.stream_name))
            self._living.position = log.start_offset()
        return log.stream_name

    def _close(self) -> None:
        self._appender.close()

    def _up_to_date(self) -> LiveCheckpoints:
        self._require_running()
        assert self._living is not None  # noqa: S101 (made by the start)
        self._living.catch_up(self._appender.open())
        return self._living

    def _read(self, task_name: str) -> Checkpoint | None:
        newest = max(self._up_to_date().of_task(task_name), key=lambda one: one.log_offset, default=None)
        return None if newest is None else newest.payload

    def _write(self, task_name: str, checkpoint: Checkpoint) -> int:
        if not isinstance(checkpoint, CheckpointV1):
            kind = type(checkpoint).__name__
            raise TypeError(f"the coordinator stream holds a CheckpointV1 of task {task_name!r}, not a {kind}")
        event = coordinator_event(task_name, checkpoint, make_envelope(self._source, clock=self._clock))
        try:
            return self._appender.append([event]).start
        except AppendGaveUp as error:
            cause = error.__cause__
            raise CheckpointNotWritten(self.stream_name, task_name, checkpoint, error.tries, cause) from cause
