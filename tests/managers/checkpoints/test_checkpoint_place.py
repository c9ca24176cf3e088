"""Where a job keeps its checkpoints."""

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import StreamKind
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import (
    CHECKPOINT_FACTORY,
    KAFKA_CHECKPOINT_FACTORY,
    JobCheckpoints,
    checkpoint_manager,
    checkpoint_place,
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
    manager = checkpoint_manager({}, coordinator=Opened(coordinator), checkpoint=topic and Opened(topic))
    manager.register("t")
    return manager
