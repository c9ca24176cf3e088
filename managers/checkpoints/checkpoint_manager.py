"""CheckpointManager: checkpoints on the coordinator stream; and which stream a job keeps its checkpoints on."""

from collections.abc import Mapping, Sequence
from typing import Final

from eventlog.checkpoint import WRITE_VERSIONS, Candidate, Checkpoint, CheckpointV1
from eventlog.events import NewEvent
from eventlog.log import Clock, system_clock
from eventlog.streams import StreamKind
from managers.appending import Retry
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager, Decode
from managers.checkpoints.checkpoint_events import CoordinatorReader, coordinator_event
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager, OpenAdmin
from managers.errors import CheckpointError
from managers.stored_messages import CHECKPOINT_TOOL, UNKNOWN, make_envelope
from managers.wrapped_logs import LogOrOpener

CHECKPOINT_FACTORY: Final = "task.checkpoint.factory"
KAFKA_CHECKPOINT_FACTORY: Final = "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory"
TOOL_RETRY_SECONDS: Final = 15


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


JobCheckpoints = CheckpointManager | KafkaCheckpointManager


def checkpoint_place(config: Mapping[str, str], *, has_checkpoint_topic: bool) -> StreamKind:
    """The stream that a job's checkpoints are written to.

    The checkpoint topic if config sets Kafka's factory or versions to write, or if the topic exists; else the
    coordinator stream. Raises `CheckpointError` if config sets a factory other than Kafka's.
    """
    factory = config.get(CHECKPOINT_FACTORY, "").strip()
    if factory not in ("", KAFKA_CHECKPOINT_FACTORY):
        raise CheckpointError(
            f"{CHECKPOINT_FACTORY} is {factory}, whose checkpoints are not in Kafka. "
            f"Set {KAFKA_CHECKPOINT_FACTORY}, or use that factory's own tool."
        )
    is_on_topic = bool(factory) or bool(config.get(WRITE_VERSIONS, "").strip())
    return "checkpoint" if is_on_topic or has_checkpoint_topic else "coordinator"


def checkpoint_manager(
    config: Mapping[str, str],
    *,
    coordinator: LogOrOpener | None,
    checkpoint: LogOrOpener | None,
    source: str = UNKNOWN,
    retry: Retry | None = None,
    open_admin: OpenAdmin | None = None,
    writes_any_version: bool = False,
) -> JobCheckpoints:
    """Create the manager of a job's checkpoints, not yet started.

    ``coordinator`` and ``checkpoint`` are the job's streams: a log, a function that opens it, or None if it does not
    exist. Raises `CheckpointError` if the location in config is not supported or does not exist, and `ConfigError`.
    """
    place = checkpoint_place(config, has_checkpoint_topic=checkpoint is not None)
    if place == "checkpoint" and checkpoint is not None:
        return KafkaCheckpointManager(
            checkpoint, config=config, retry=retry, open_admin=open_admin, writes_any_version=writes_any_version
        )
    if place == "coordinator" and coordinator is not None:
        return CheckpointManager(coordinator, source=source, retry=retry)
    missing = "checkpoint topic" if place == "checkpoint" else "coordinator stream"
    raise CheckpointError(f"The job keeps its checkpoints on its {missing}, which does not exist. Create it first.")


def writing_manager(
    config: Mapping[str, str], *, coordinator: LogOrOpener | None, checkpoint: LogOrOpener | None, job_name: str
) -> JobCheckpoints:
    """Create the manager with which a tool changes the checkpoints of a stopped job, in the version that it reads.

    Raises as `checkpoint_manager`, also if config names no place and the job has no checkpoints.
    """
    manager = checkpoint_manager(
        config,
        coordinator=coordinator,
        checkpoint=checkpoint,
        source=CHECKPOINT_TOOL,
        retry=Retry(longest=TOOL_RETRY_SECONDS),
        writes_any_version=True,
    )
    if isinstance(manager, CheckpointManager) and not _has_checkpoints(manager):
        raise CheckpointError(
            f"Job {job_name} has no checkpoints: no checkpoint topic, none on its coordinator stream, and no "
            f"{CHECKPOINT_FACTORY}. Set that key, and create the topic with `coordstream log create`."
        )
    return manager


def _has_checkpoints(manager: CheckpointManager) -> bool:
    with manager:
        return bool(manager.task_names())
