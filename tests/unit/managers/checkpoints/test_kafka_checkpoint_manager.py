"""Checkpoints on the checkpoint topic, and the versions that a commit writes there: Samza's behaviour."""

import json
import logging
from collections.abc import Mapping
from contextlib import nullcontext
from getpass import getuser
from typing import Any

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, Offsets
from eventlog.errors import ConfigError
from eventlog.events import NewEvent, writer_of
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY, decode_key
from managers.checkpoints.checkpoint_events import build_checkpoints, convert_to_versions, version_of
from managers.checkpoints.checkpoint_manager import STOP_AFTER_FIRST_READ, KafkaCheckpointManager
from managers.errors import CheckpointError, CheckpointNotWritten, CheckpointUnreadable, TaskNotRegistered
from managers.job_names import GROUPER_FACTORY
from managers.offsets.offset_manager import OffsetManager
from managers.stream_creation import VALIDATION
from tests.builders import checkpoint_v1, checkpoint_v2, raw
from tests.fixtures.managers.fake_time import FakeTime
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.managers.watched_log import Opened
from tests.vectors.building import offsets_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
READ = "task.checkpoint.read.versions"
IN_0 = SystemStreamPartition("kafka", "in", 0)
IN_1 = SystemStreamPartition("kafka", "in", 1)
T0 = 1_700_000_000_000


def running(log: EventLog, *tasks: str, **config: str) -> KafkaCheckpointManager:
    """A started manager for these tasks (default: ``t``); it does not close the log."""
    manager = KafkaCheckpointManager(Opened(log), config=config)
    for task in tasks or ("t",):
        manager.register(task)
    manager.start()
    return manager


def v1(offset: str, task: str = "t", *, at: int = T0) -> NewEvent:
    return checkpoint_v1(task, {"kafka.in.0": offset}, at=at)


def v2(offset: str, task: str = "t", *, at: int = T0) -> NewEvent:
    return checkpoint_v2(task, {"kafka.in.0": offset}, at=at)


def read(log: EventLog, task: str = "t", **config: str) -> tuple[int, Offsets] | None:
    with running(log, task, **config) as manager:
        found = manager.read_last_checkpoint(task)
    return None if found is None else (1 if isinstance(found, CheckpointV1) else 2, found.offsets)


@pytest.mark.scenario("KCM-02", "KCM-01")
def test_the_topic_is_read_once_for_all_tasks(topic: EventLog) -> None:
    assert read(topic) is None
    for turn in range(1, 6):
        offsets = {"T0": {"kafka.in.0": str(turn)}, "T1": {"kafka.in.1": str(2 * turn)}}
        topic.append([checkpoint_v1(task, said) for task, said in offsets.items()])
    opened = Opened(topic)
    manager = KafkaCheckpointManager(opened)
    manager.register("T0")
    manager.register("T1")
    with manager:
        found = [manager.read_last_checkpoint(task) for task in ("T0", "T1")]
    assert found == [CheckpointV1({IN_0: "5"}), CheckpointV1({IN_1: "10"})]
    assert [len(log.reads) for log in opened.logs] == [1]


@pytest.mark.scenario("KCM-11")
def test_versions_are_read_from_config(memory_topic: MemoryEventLog) -> None:
    def versions(**config: str) -> tuple[int, ...]:
        return KafkaCheckpointManager(lambda: memory_topic, config=config).read_versions

    assert (versions(**{READ: "2, 1"}), versions()) == ((2, 1), (1,))
    with pytest.raises(ConfigError, match=f"{READ} is '0,3': no checkpoint would be read"):
        versions(**{READ: "0,3"})


@pytest.mark.scenario("KCM-12", "KCM-24")
def test_both_versions_are_on_the_topic(logs: LogMaker, topic: EventLog) -> None:
    checkpoint_id = CheckpointId(1, 2)
    with running(topic) as manager:
        assert manager.write_checkpoint("t", CheckpointV1({IN_1: None, IN_0: "1"})) == 0
        assert [event.offset for event in logs.open_again(topic).read()] == [0]  # there when the call returns
        assert manager.write_checkpoint("t", CheckpointV2(checkpoint_id, {IN_1: "2", IN_0: "1"}, {})) == 1
    keys = [json.loads(event.key or b"") for event in topic.read()]
    assert [key.pop("type") for key in keys] == ["checkpoint", "checkpoint-v2"]
    assert keys == [{"systemstreampartition-grouper-factory": DEFAULT_GROUPER_FACTORY, "taskName": "t"}] * 2
    assert [writer_of(event.headers)[1] for event in topic.read()] == [getuser()] * 2
    assert read(topic) == (1, {IN_0: "1", IN_1: None})
    assert read(topic, **{READ: "2"}) == (2, {IN_0: "1", IN_1: "2"})


@pytest.mark.scenario("CKS-02")
def test_a_checkpoint_that_could_not_be_read_back_is_not_written(memory_topic: MemoryEventLog) -> None:
    number: Any = 42
    for checkpoint in (CheckpointV1({IN_0: number}), CheckpointV2(None, {IN_0: number}, {})):
        refused = pytest.raises(TypeError, match=r"the offset of kafka\.in\.0 must be a string, not 42")
        with running(memory_topic) as manager, refused:
            manager.write_checkpoint("t", checkpoint)
    none: Any = None
    for task, checkpoint in (
        (none, CheckpointV1({IN_0: "1"})),
        ("t", CheckpointV1({SystemStreamPartition(none, "in", 0): "1"})),
        ("t", CheckpointV1({SystemStreamPartition("kafka", "in", 2**31): "1"})),
        ("t", CheckpointV1({SystemStreamPartition("kafka", "in", True): "1"})),
        ("t", CheckpointV2(None, {SystemStreamPartition("eu.kafka", "in", 0): "1"}, {})),
        ("t", CheckpointV2(None, {}, {"factory": {"store": number}})),
        ("t", CheckpointV2(CheckpointId(-1, -5), {}, {})),
    ):
        with running(memory_topic, task) as manager, pytest.raises((TypeError, CheckpointError)):
            manager.write_checkpoint(task, checkpoint)
    assert memory_topic.end_offset() == 0


@pytest.mark.scenario("KCM-13")
def test_a_log_that_fails_is_replaced(topic: EventLog) -> None:
    fake, opened = FakeTime(), Opened(topic, 1)
    manager = KafkaCheckpointManager(opened, retry=fake.retry(longest=900))
    manager.register("t")
    with manager:
        manager.write_checkpoint("t", CheckpointV1({IN_0: "1"}))
        writer, fresh = opened.logs
        assert (writer.is_closed, fresh.is_closed, fresh.append_count) == (True, False, 1)
    assert fake.pauses == [2]
    assert read(topic) == (1, {IN_0: "1"})


@pytest.mark.scenario("KCM-14", "HRD-19")
def test_retries_are_bounded(memory_topic: MemoryEventLog) -> None:
    fake, opened = FakeTime(), Opened(memory_topic, *[1] * 99)
    manager = KafkaCheckpointManager(opened, retry=fake.retry(longest=40))
    manager.register("Partition 3")
    written = CheckpointV1({IN_0: "1"})
    with manager, pytest.raises(CheckpointNotWritten, match=r"'Partition 3'.*could not be reached.*'1'") as error:
        manager.write_checkpoint("Partition 3", written)
    assert (error.value.task_name, error.value.checkpoint, error.value.tries) == ("Partition 3", written, 7)
    assert isinstance(error.value.__cause__, SourceUnavailable)
    assert fake.pauses == [2, 4, 8, 10, 10, 6]
    assert memory_topic.end_offset() == 0


@pytest.mark.parametrize(
    "bad", [raw(v1("1").key, b"{bad hunter2"), raw(b"garbage", b"{}"), raw(v1("1").key, b'{"x":{"system":"s"}}')]
)
@pytest.mark.parametrize("good", [[], [v1("0")]])
@pytest.mark.scenario("KCM-16", "CKS-11")
def test_an_unreadable_event_is_refused_or_ignored(
    topic: EventLog, good: list[NewEvent], bad: NewEvent, caplog: pytest.LogCaptureFixture
) -> None:
    topic.append([*good, bad])
    with running(topic) as manager, pytest.raises(CheckpointUnreadable) as error:
        manager.read_last_checkpoint("t")
    assert (error.value.stream_name, error.value.log_offset) == (topic.stream_name, len(good))
    assert f"offset {len(good)} of {topic.stream_name}" in str(error.value)
    assert "hunter2" not in str(error.value)  # a record may hold a secret
    with caplog.at_level(logging.WARNING):
        assert read(topic, **{VALIDATION: "false"}) == ((1, {IN_0: "0"}) if good else None)
    assert f"Ignoring the event at offset {len(good)} of {topic.stream_name}" in caplog.text


@pytest.mark.scenario("HRD-20")
def test_the_default_grouper_is_the_same_whether_config_names_it_or_not(memory_topic: MemoryEventLog) -> None:
    named = {GROUPER_FACTORY: DEFAULT_GROUPER_FACTORY}
    for number, written in enumerate((named, {})):
        with running(memory_topic, **written) as manager:
            manager.write_checkpoint("t", CheckpointV1({IN_0: str(number)}))
        assert read(memory_topic) == read(memory_topic, **named) == (1, {IN_0: str(number)})


@pytest.mark.parametrize(("switch", "second"), [(None, "0"), ("false", "10")])
@pytest.mark.scenario("KCM-20", "HRD-47")
def test_the_topic_is_read_again_only_if_configured(topic: EventLog, switch: str | None, second: str) -> None:
    topic.append([v1("0"), v1("3", "quiet")])
    opened = Opened(topic)
    manager = KafkaCheckpointManager(opened, config={STOP_AFTER_FIRST_READ: switch} if switch else {})
    for task in ("t", "quiet"):
        manager.register(task)
    with manager:
        first = manager.read_last_checkpoint("t")
        (log,) = opened.logs
        topic.append([v1("10")])
        assert (first, manager.read_last_checkpoint("t")) == (CheckpointV1({IN_0: "0"}), CheckpointV1({IN_0: second}))
        assert manager.read_last_checkpoint("quiet") == CheckpointV1({IN_0: "3"})
    assert log.reads == ([(0, 2)] if switch is None else [(0, 2), (2, 3), (3, 3)])
    assert log.is_closed


@pytest.mark.scenario("HRD-46")
def test_a_manager_starts_without_a_task_as_a_standby_does(topic: EventLog) -> None:
    topic.append([v1("1")])
    manager = KafkaCheckpointManager(Opened(topic))
    with manager:
        assert (manager.stream_name, manager.task_names()) == (topic.stream_name, frozenset({"t"}))
        with pytest.raises(TaskNotRegistered):
            manager.read_last_checkpoint("t")
        manager.register("t")
        assert manager.read_last_checkpoint("t") == CheckpointV1({IN_0: "1"})


OURS: dict[str, tuple[object, object]] = {  # without validation, what is read of t with V1 and with V2 alone
    "checkpoint_topic_case-13": ({IN_0: "1"}, None),
    "checkpoint_topic_case-14": (None, {SystemStreamPartition("kafka", "a.b", 0): "4"}),
    "checkpoint_topic_case-19": ({IN_0: "1"}, None),
}
RAISES = {"checkpoint_topic_case-16", "checkpoint_topic_case-17", "checkpoint_topic_case-19"}


@pytest.mark.parametrize("vector", vectors("checkpoint_topic_case"), ids=lambda vector: vector["id"])
@pytest.mark.scenario("KCM-07", "KCM-09", "KCM-16", "KCM-17", "KCM-19", "KCM-05", "KCM-06", "KCM-08")
def test_vectors_of_topics(vector: Vector) -> None:
    log = MemoryEventLog(identify("__samza_checkpoint_ver_1_for_orders_1"))
    for record in vector["records"]:
        log.append([NewEvent(decoded(record["key_b64"]), decoded(record["value_b64"]), record["timestamp"])])
    for setting, answer in vector["samza_readLastCheckpoint"].items():
        versions, validation = (part.split("=")[1] for part in setting.split(" "))
        config = {VALIDATION: validation, GROUPER_FACTORY: vector["grouper"]}
        if versions != "(default)":
            config[READ] = versions
        _assert_read_as(vector, log, config, answer)


def _assert_read_as(vector: Vector, log: EventLog, config: Mapping[str, str], answer: Vector) -> None:
    validates, versions = config[VALIDATION] == "true", config.get(READ, "1")
    refused = validates and (vector["id"] in RAISES or (vector["id"] == "checkpoint_topic_case-13" and "1" in versions))
    for task in vector["tasks"]:
        with pytest.raises(CheckpointUnreadable) if refused else nullcontext():
            found = read(log, task, **config)
            assert (found and found[1]) == _expected(vector["id"], task, versions, answer)


def _expected(name: str, task: str, versions: str, answer: Vector) -> object:
    if name in OURS:
        with_v1, with_v2 = OURS[name]
        return (with_v1 if "1" in versions else None) or (with_v2 if "2" in versions else None)
    return None if answer[task] is None else offsets_of(answer[task]["offsets"])


WRITE = "task.checkpoint.write.versions"
LOG_0 = SystemStreamPartition("kafka", "log", 0)
OFFSETS = {IN_0: "7"}
ID = CheckpointId(1, 2)
STATE = {"factory": {"store": "marker"}}


def committed(config: Mapping[str, str], *given: Checkpoint) -> list[str]:
    """The key types on the topic after a commit of these checkpoints, or of the one that the manager builds."""
    log = MemoryEventLog(identify(checkpoint_stream_name("orders")))
    checkpoints = KafkaCheckpointManager(log, config=config)
    config = {**config, "systems.kafka.samza.offset.default": "oldest"}
    offsets = OffsetManager(config, system_admins={"kafka": StatedAdmin()}, checkpoint_manager=checkpoints)
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


def test_the_checkpoint_manager_refuses_other_versions(memory_topic: MemoryEventLog) -> None:
    with KafkaCheckpointManager(memory_topic, config={WRITE: "2"}) as checkpoints:
        checkpoints.register("t")
        with pytest.raises(CheckpointError, match=r"version 1, but task\.checkpoint\.write\.versions is 2"):
            checkpoints.write_checkpoint("t", CheckpointV1(OFFSETS))
        checkpoints.write_checkpoint("t", CheckpointV2(ID, OFFSETS, {}))
    assert memory_topic.end_offset() == 1
