"""Checkpoints on the coordinator stream, on every backend, and where a job keeps its checkpoints."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import identify
from managers.checkpoints.checkpoint_manager import (
    CHECKPOINT_FACTORY,
    KAFKA_CHECKPOINT_FACTORY,
    CheckpointManager,
    JobCheckpoints,
    KafkaCheckpointManager,
    checkpoint_manager,
)
from managers.errors import CheckpointError
from tests.builders import checkpoint_v1, set_checkpoint
from tests.contracts.event_log import NOW, clock
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.watched_log import Opened
from tests.vectors.building import offsets_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
IN_0, IN_1 = (SystemStreamPartition("kafka", "in", number) for number in range(2))
PAGE_VIEWS = SystemStreamPartition("kafka", "PageViews", 3)


def running(log: EventLog, *tasks: str, source: str = "Unknown") -> CheckpointManager:
    """A started manager for these tasks (default: ``Partition 0``)."""
    manager = CheckpointManager(Opened(log), source=source, clock=clock)
    for task in tasks or ("Partition 0",):
        manager.register(task)
    manager.start()
    return manager


@pytest.mark.scenario("CKM-02")
def test_every_read_catches_up(logs: LogMaker, coordinator_log: EventLog) -> None:
    with running(coordinator_log) as reader, running(logs.open_again(coordinator_log)) as writer:
        for offset in ("1", "2"):
            writer.write_checkpoint("Partition 0", CheckpointV1({PAGE_VIEWS: offset}))
            assert reader.read_last_checkpoint("Partition 0") == CheckpointV1({PAGE_VIEWS: offset})


@pytest.mark.parametrize("source", ["Container-3", "Unknown"])
@pytest.mark.scenario("CKM-05")
def test_the_bytes_of_a_checkpoint(logs: LogMaker, coordinator_log: EventLog, source: str) -> None:
    other = SystemStreamPartition("kafka", "PageViews", 1)
    with running(coordinator_log, source=source) as manager:
        assert manager.write_checkpoint("Partition 0", CheckpointV1({PAGE_VIEWS: "42", other: None})) == 0
        (event,) = logs.open_again(coordinator_log).read()
    assert event.key == b'[1,"set-checkpoint","Partition 0"]'
    said = json.loads(event.value or b"")
    assert list(said) == ["host", "source", "values", "username", "timestamp"]
    assert list(said["values"].items()) == [("kafka.PageViews.1", None), ("kafka.PageViews.3", "42")]
    assert (said["source"], said["timestamp"]) == (source, int(NOW.timestamp() * 1000))


@pytest.mark.parametrize("vector", vectors("legacy_stream_case"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("CKM-02", "CKM-04", "CKM-09")
def test_vectors_of_streams(vector: Vector) -> None:
    log = MemoryEventLog(identify("__samza_coordinator_orders_1"))
    log.append([NewEvent(decoded(record["key_b64"]), decoded(record["value_b64"])) for record in vector["records"]])
    for task, expected in vector["with_SAMZA_699_fix"]["CheckpointManager.readLastCheckpoint"].items():
        with running(log, task) as manager:
            found = manager.read_last_checkpoint(task)
        is_none = expected is None or "samza_error" in expected
        assert (None if found is None else found.offsets) == (None if is_none else offsets_of(expected))


@pytest.mark.parametrize(
    ("config", "has_topic", "expected"),
    [
        ({}, True, KafkaCheckpointManager),
        ({}, False, CheckpointManager),
        ({CHECKPOINT_FACTORY: KAFKA_CHECKPOINT_FACTORY}, False, None),
        ({"task.checkpoint.write.versions": "1"}, False, None),
        ({"task.checkpoint.write.versions": " "}, False, CheckpointManager),
    ],
)
def test_config_says_the_place_else_the_topic_that_is_there(
    config: dict[str, str], has_topic: bool, expected: type | None
) -> None:
    log = MemoryEventLog(identify("__samza_coordinator_orders_1"))
    topic = log if has_topic else None
    with (
        pytest.raises(CheckpointError, match="checkpoint topic, which does not exist")
        if expected is None
        else nullcontext()
    ):
        assert type(checkpoint_manager(config, coordinator=log, checkpoint=topic)) is expected


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
