"""Where a job keeps its checkpoints."""

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import StreamKind
from managers.checkpoints.checkpoint_errors import CheckpointError
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import (
    CHECKPOINT_FACTORY,
    KAFKA_CHECKPOINT_FACTORY,
    JobCheckpoints,
    checkpoint_manager,
    checkpoint_place,
    writing_manager,
)
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from tests.builders import checkpoint_v1, set_checkpoint
from tests.managers.log_makers import LogMaker
from tests.managers.watched_log import Opened

IN_0, IN_1 = (SystemStreamPartition("kafka", "in", number) for number in range(2))


@pytest.mark.parametrize(
    ("config", "has_topic", "place"),
    [
        ({}, True, "checkpoint"),
        ({}, False, "coordinator"),
        ({CHECKPOINT_FACTORY: KAFKA_CHECKPOINT_FACTORY}, False, "checkpoint"),
        ({"task.checkpoint.write.versions": "1"}, False, "checkpoint"),
        ({"task.checkpoint.write.versions": " "}, False, "coordinator"),
    ],
)
def test_config_says_the_place_else_the_topic_that_is_there(
    config: dict[str, str], has_topic: bool, place: StreamKind
) -> None:
    assert checkpoint_place(config, has_checkpoint_topic=has_topic) == place


def test_an_unsupported_factory_is_named() -> None:
    factory = "org.apache.samza.checkpoint.file.FileSystemCheckpointManagerFactory"
    with pytest.raises(CheckpointError, match="FileSystemCheckpointManagerFactory, whose checkpoints are not in Kafka"):
        checkpoint_place({CHECKPOINT_FACTORY: factory}, has_checkpoint_topic=True)


@pytest.mark.scenario("KCM-25")
def test_the_topic_wins_and_nothing_is_mixed(logs: LogMaker) -> None:
    coordinator, topic = logs.create("coordinator"), logs.create("checkpoint")
    coordinator.append([set_checkpoint("t", {"kafka.in.0": "1", "kafka.in.1": "1"})])
    topic.append([checkpoint_v1("t", {"kafka.in.0": "7"})])
    with manager_of(coordinator, topic) as chosen:
        assert isinstance(chosen, KafkaCheckpointManager)
        assert chosen.read_last_checkpoint("t") == CheckpointV1({IN_0: "7"})
    with manager_of(coordinator, None) as chosen:
        assert isinstance(chosen, CheckpointManager)
        assert chosen.read_last_checkpoint("t") == CheckpointV1({IN_0: "1", IN_1: "1"})


def manager_of(coordinator: EventLog, topic: EventLog | None) -> JobCheckpoints:
    """The manager of a job with these logs and no config, for a task ``t``."""
    manager = checkpoint_manager({}, coordinator=Opened(coordinator), checkpoint=topic and Opened(topic))
    manager.register("t")
    return manager


def test_a_tool_needs_a_place_for_the_first_checkpoint(logs: LogMaker) -> None:
    coordinator, topic = logs.create("coordinator"), logs.create("checkpoint")
    with pytest.raises(CheckpointError, match=r"^Job orders/1 has no checkpoints: no checkpoint topic, none on"):
        writing_manager({}, coordinator=coordinator, checkpoint=None, job_name="orders/1")
    with writing_manager({}, coordinator=coordinator, checkpoint=topic, job_name="orders/1") as chosen:
        assert chosen.log.stream_name == topic.stream_name
    coordinator.append([set_checkpoint("t", {"kafka.in.0": "1"})])
    with writing_manager({}, coordinator=coordinator, checkpoint=None, job_name="orders/1") as chosen:
        assert chosen.log.stream_name == coordinator.stream_name
