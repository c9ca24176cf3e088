"""CheckpointManager: checkpoints as set-checkpoint on the coordinator stream."""

from collections.abc import Sequence

from eventlog.checkpoint import Candidate, Checkpoint, CheckpointV1
from eventlog.events import NewEvent
from eventlog.log import Clock, system_clock
from managers.appending import Retry
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager, Decode
from managers.checkpoints.checkpoint_events import CoordinatorReader, coordinator_event
from managers.stored_messages import UNKNOWN, make_envelope
from managers.wrapped_logs import LogOrOpener


class CheckpointManager(AbstractCheckpointManager):
    """Checkpoints as ``set-checkpoint`` on a job's coordinator stream, over any event log.

    Samza's first design of the coordinator stream; released versions use the checkpoint topic. Every read first catches
    up with the stream. Only a `CheckpointV1` can be written.
    """

    def __init__(
        self,
        log: LogOrOpener,
        *,
        source: str = UNKNOWN,
        retry: Retry | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """``log``: the stream, or a function that opens it. ``source`` is the writer that messages name."""
        super().__init__(log, retry)
        self._source = source
        self._clock = clock

    def _decoder(self, stream_name: str) -> Decode:
        return CoordinatorReader(stream_name)

    def _choose(self, candidates: Sequence[Candidate[Checkpoint]]) -> Candidate[Checkpoint] | None:
        return max(candidates, key=lambda one: one.log_offset, default=None)

    def _event(self, task_name: str, checkpoint: Checkpoint) -> NewEvent:
        if not isinstance(checkpoint, CheckpointV1):
            kind = type(checkpoint).__name__
            raise TypeError(
                f"the checkpoint of task {task_name!r} must be a CheckpointV1 on the coordinator stream, not a {kind}"
            )
        return coordinator_event(task_name, checkpoint, make_envelope(self._source, clock=self._clock))
