"""The versions of checkpoints that a commit writes."""

from collections.abc import Mapping

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire.checkpoint_topic import decode_key
from managers.checkpoints.checkpoint_events import build_checkpoints, convert_to_versions, version_of
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.errors import CheckpointError
from managers.offsets.offset_manager import OffsetManager
from tests.fixtures.managers.stated_admin import StatedAdmin

WRITE = "task.checkpoint.write.versions"
IN_0 = SystemStreamPartition("kafka", "in", 0)
LOG_0 = SystemStreamPartition("kafka", "log", 0)
OFFSETS = {IN_0: "7"}
ID = CheckpointId(1, 2)
STATE = {"factory": {"store": "marker"}}


def topic() -> MemoryEventLog:
    return MemoryEventLog(identify(checkpoint_stream_name("orders")))


def manager(log: MemoryEventLog, config: Mapping[str, str]) -> OffsetManager:
    return OffsetManager(
        config, system_admins={"kafka": StatedAdmin()}, checkpoint_manager=KafkaCheckpointManager(log, config=config)
    )


def committed(config: Mapping[str, str], *given: Checkpoint) -> list[str]:
    """The key types on the topic after a commit of these checkpoints, or of the one that the manager builds."""
    log = topic()
    offsets = manager(log, {**config, "systems.kafka.samza.offset.default": "oldest"})
    offsets.register("t", [IN_0])
    with offsets:
        offsets.update("t", IN_0, "7")
        offsets.write_checkpoint("t", *(given or [offsets.build_checkpoint("t")]))
    return [decode_key(event.key or b"").key_type for event in log.read(0)]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        (None, ["checkpoint"]),
        ("1", ["checkpoint"]),
        ("2", ["checkpoint-v2"]),
        ("1,2", ["checkpoint", "checkpoint-v2"]),
        ("2,1", ["checkpoint-v2", "checkpoint"]),
    ],
)
@pytest.mark.parametrize("given", [(), (CheckpointV1(OFFSETS),)], ids=["built", "version 1"])
def test_a_commit_writes_each_version_in_config(
    text: str | None, types: list[str], given: tuple[Checkpoint, ...]
) -> None:
    assert committed({} if text is None else {WRITE: text}, *given) == types


def test_a_version_is_converted_unless_it_would_lose_state() -> None:
    (made,) = convert_to_versions([CheckpointV1({**OFFSETS, LOG_0: None})], (2,), {WRITE: "2"})
    assert (version_of(made), made.offsets) == (2, OFFSETS)
    assert convert_to_versions([CheckpointV2(ID, OFFSETS, {})], (1,), {WRITE: "1"}) == [CheckpointV1(OFFSETS)]
    stores = {WRITE: "2", "stores.s.changelog": "kafka.log"}
    for holding, config in (
        (CheckpointV1({LOG_0: "1-2:5"}), {WRITE: "2"}),
        (CheckpointV1({LOG_0: "5"}), stores),
        (CheckpointV2(ID, OFFSETS, STATE), {WRITE: "1"}),
    ):
        with pytest.raises(ValueError, match="with state of stores cannot be converted"):
            convert_to_versions([holding], (3 - version_of(holding),), config)


@pytest.mark.parametrize(("text", "versions"), [(None, [1, 2]), ("1", [1]), ("2", [2]), ("2,1", [2, 1])])
def test_a_commit_with_state_has_the_versions_in_config(text: str | None, versions: list[int]) -> None:
    """As TaskInstance of Samza 1.8.0 writes them, both by default."""
    changelog, empty = SystemStreamPartition("kafka", "counts", 3), SystemStreamPartition("kafka", "sums", 3)
    kafka = {
        "counts": KafkaStateCheckpointMarker(changelog, "5").serialise(),
        "sums": KafkaStateCheckpointMarker(empty, None).serialise(),
    }
    markers = {KAFKA_STATE_BACKEND_FACTORY: kafka, "other": {"counts": "snapshot"}}
    built = build_checkpoints({} if text is None else {WRITE: text}, ID, OFFSETS, markers)
    expected: dict[int, Checkpoint] = {
        1: CheckpointV1({IN_0: "7", changelog: "1-2:5", empty: "1-2:null"}),
        2: CheckpointV2(ID, OFFSETS, markers),
    }
    assert built == tuple(expected[version] for version in versions)
    assert committed({} if text is None else {WRITE: text}, *built) == [
        f"checkpoint{'-v2' * (v - 1)}" for v in versions
    ]


def test_the_checkpoint_manager_refuses_other_versions() -> None:
    log = topic()
    with KafkaCheckpointManager(log, config={WRITE: "2"}) as checkpoints:
        checkpoints.register("t")
        with pytest.raises(CheckpointError, match=r"version 1, but task\.checkpoint\.write\.versions is 2"):
            checkpoints.write_checkpoint("t", CheckpointV1(OFFSETS))
        checkpoints.write_checkpoint("t", CheckpointV2(ID, OFFSETS, {}))
    assert log.end_offset() == 1
