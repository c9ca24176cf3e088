"""What is read of the tasks' checkpoints at a start, and in which versions a commit writes them."""

from collections.abc import Mapping
from typing import Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from managers.offsets.committed_offsets import CommittedOffsets
from tests.builders import checkpoint_v1

ID: Final = CheckpointId.create(1_700_000_000_000, 7)
IN_0, IN_1 = (SystemStreamPartition("kafka", "in", number) for number in range(2))
BOTH: Final = {"task.checkpoint.write.versions": "2,1"}


def topic() -> MemoryEventLog:
    return MemoryEventLog(identify(checkpoint_stream_name("orders", "1")))


def committed(log: MemoryEventLog | None = None, config: Mapping[str, str] | None = None) -> CommittedOffsets:
    manager = None if log is None else KafkaCheckpointManager(log, config=config)
    return CommittedOffsets(config or {}, manager, lambda: ID)


def test_only_offsets_of_partitions_that_a_task_reads_are_loaded() -> None:
    log = topic()
    log.append([checkpoint_v1("t", {"kafka.in.0": "7", "kafka.in.1": "8", "kafka.in.2": None})])
    assert committed(log).load({"t": {IN_1}, "new": {IN_0}}) == {"t": {IN_1: "8"}, "new": {}}
    assert committed().load({"t": {IN_0}}) == {"t": {}}


@pytest.mark.parametrize(
    ("config", "built"),
    [({}, CheckpointV1({IN_0: "7"})), (BOTH, CheckpointV2(ID, {IN_0: "7"}, {}))],
)
def test_a_checkpoint_is_built_in_the_first_version(config: Mapping[str, str], built: Checkpoint) -> None:
    assert committed(config=config).build({IN_0: "7"}) == built


def test_a_commit_has_exactly_the_versions_of_config() -> None:
    first, second = CheckpointV1({IN_0: "7"}), CheckpointV2(ID, {IN_0: "7"}, {})
    assert committed(config=BOTH).in_versions([first]) == [second, first]
    assert committed().in_versions([first, CheckpointV1({})]) == [first]
    assert committed(config=BOTH).in_versions([CheckpointV1({})]) == []


def test_written_checkpoints_are_yielded() -> None:
    log, checkpoint = topic(), CheckpointV1({IN_0: "7"})
    offsets = committed(log)
    offsets.load({"t": {IN_0}})
    assert list(offsets.write("t", [checkpoint])) == [checkpoint]
    offsets.stop()
    assert log.end_offset() == 1
    assert list(committed().write("t", [checkpoint])) == []
