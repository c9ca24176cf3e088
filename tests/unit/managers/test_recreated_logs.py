"""Readers that stay open notice that their stream was created again with the same name, and is shorter."""

from collections.abc import Callable

import pytest

from eventlog.log import MemoryEventLog
from eventlog.source import OffsetLost
from eventlog.streams import identify
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_manager import STOP_AFTER_FIRST_READ, CheckpointManager, KafkaCheckpointManager
from managers.streams.coordinator_streams import CoordinatorStreamConsumer
from tests.builders import checkpoint_v1, config_set, set_checkpoint

COORDINATOR = "__samza_coordinator_orders_1"
TOPIC = "__samza_checkpoint_ver_1_for_orders_1"


def polling(topic: MemoryEventLog) -> KafkaCheckpointManager:
    return KafkaCheckpointManager(topic, config={STOP_AFTER_FIRST_READ: "false"})


@pytest.mark.parametrize(
    ("name", "make"), [(TOPIC, polling), (COORDINATOR, CheckpointManager)], ids=["topic", "coordinator-stream"]
)
def test_a_checkpoint_manager(name: str, make: Callable[[MemoryEventLog], AbstractCheckpointManager]) -> None:
    log = MemoryEventLog(identify(name))
    log.append([checkpoint_v1("t") if name == TOPIC else set_checkpoint("t", {"kafka.in.0": "1"})])
    with make(log) as manager:
        manager.register("t")
        assert manager.read_last_checkpoint("t") is not None
        log._events.clear()
        with pytest.raises(OffsetLost, match=f"Offset 1 of {name}"):
            manager.read_last_checkpoint("t")
    with make(log) as manager:
        manager.register("t")
        assert manager.read_last_checkpoint("t") is None


def test_a_consumer() -> None:
    log = MemoryEventLog(identify(COORDINATOR))
    log.append([config_set("a", "1"), config_set("b", "2")])
    with CoordinatorStreamConsumer(log) as consumer:
        log._events.pop()
        for call in (consumer.has_new_messages, consumer.bootstrap, consumer.get_bootstrapped_stream):
            with pytest.raises(OffsetLost):
                call()
