"""Where a job keeps its checkpoints, and the manager of that place."""

from collections.abc import Mapping
from typing import Final

from eventlog.checkpoint_choice import WRITE_VERSIONS
from eventlog.streams import StreamKind
from managers.appending import Retry
from managers.checkpoints.checkpoint_errors import UnknownCheckpointPlace
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_topic import OpenAdmin
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from managers.lazy_log import LogOrOpener
from managers.signature import UNKNOWN

CHECKPOINT_FACTORY: Final = "task.checkpoint.factory"
KAFKA_CHECKPOINT_FACTORY: Final = "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory"

JobCheckpoints = CheckpointManager | KafkaCheckpointManager


def checkpoint_place(config: Mapping[str, str], *, has_checkpoint_topic: bool) -> StreamKind:
    """Which of a job's two streams its checkpoints are written to.

    What config says: Kafka's factory, or versions to write, which only the checkpoint topic has. Else the checkpoint
    topic if the job has one, and if not the coordinator stream, as in seed 000.

    Raises:
        UnknownCheckpointPlace: config names a factory of something else than a topic.
    """
    factory = config.get(CHECKPOINT_FACTORY, "").strip()
    if factory not in ("", KAFKA_CHECKPOINT_FACTORY):
        raise UnknownCheckpointPlace(
            f"{CHECKPOINT_FACTORY} names {factory}, whose checkpoints are on no log: "
            f"use {KAFKA_CHECKPOINT_FACTORY}, or write them with that factory's own tool"
        )
    says_topic = bool(factory) or bool(config.get(WRITE_VERSIONS, "").strip())
    return "checkpoint" if says_topic or has_checkpoint_topic else "coordinator"


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
    """The manager of a job's checkpoints, not yet started.

    Of each of the job's streams its log is given, or what opens it, or None where the job has none.
    ``writes_any_version``: see `KafkaCheckpointManager`.

    Raises:
        UnknownCheckpointPlace: config names a place that we don't know, or one that is not there.
        ConfigError: versions or age in config are no numbers.
    """
    place = checkpoint_place(config, has_checkpoint_topic=checkpoint is not None)
    if place == "checkpoint" and checkpoint is not None:
        return KafkaCheckpointManager(
            checkpoint, config=config, retry=retry, open_admin=open_admin, writes_any_version=writes_any_version
        )
    if place == "coordinator" and coordinator is not None:
        return CheckpointManager(coordinator, source=source, retry=retry)
    missing = "checkpoint topic" if place == "checkpoint" else "coordinator stream"
    raise UnknownCheckpointPlace(f"the job keeps its checkpoints on its {missing}, which is not there: create it first")
