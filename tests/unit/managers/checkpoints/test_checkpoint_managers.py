"""What both checkpoint managers do, checkpoints on the coordinator stream, and where a job keeps its checkpoints."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

from eventlog.checkpoint import READ_VERSIONS, CheckpointV1
from eventlog.errors import StreamKindError
from eventlog.events import NewEvent
from eventlog.log import AppendRefused, EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.source import ConnectionEnded, OffsetLost, SourceUnavailable
from eventlog.streams import identify
from managers.checkpoints.checkpoint_manager import (
    CHECKPOINT_FACTORY,
    KAFKA_CHECKPOINT_FACTORY,
    STOP_AFTER_FIRST_READ,
    CheckpointManager,
    JobCheckpoints,
    KafkaCheckpointManager,
    checkpoint_manager,
)
from managers.errors import CheckpointError, CheckpointNotWritten, NotReady, TaskNotRegistered
from managers.wrapped_logs import LogOrOpener
from tests.builders import checkpoint_v1, checkpoint_v2, set_checkpoint, tombstone
from tests.contracts.event_log import NOW, clock
from tests.fixtures.managers.fake_time import FakeTime
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.watched_log import Opened, WatchedLog
from tests.vectors.building import offsets_of
from tests.vectors.catalogue import decoded, vectors

Maker = Callable[[LogOrOpener], JobCheckpoints]
IN_0 = SystemStreamPartition("kafka", "in", 0)
MANAGERS = pytest.mark.parametrize("make", [CheckpointManager, KafkaCheckpointManager])


NAMES: dict[Maker, str] = {
    CheckpointManager: "__samza_coordinator_orders_1",
    KafkaCheckpointManager: "__samza_checkpoint_ver_1_for_orders_1",
}


@pytest.fixture
def log(request: pytest.FixtureRequest) -> MemoryEventLog:
    """A log of the kind that the test's ``make`` reads."""
    make = request.getfixturevalue("make") if "make" in request.fixturenames else KafkaCheckpointManager
    return MemoryEventLog(identify(NAMES[make]))


@MANAGERS
def test_a_log_of_the_other_kind_is_refused(make: Maker) -> None:
    """Samza does not start a job with a checkpoint of the other kind on its stream."""
    (name,) = {*NAMES.values()} - {NAMES[make]}
    with pytest.raises(StreamKindError, match=f"{name} is not the c"), make(MemoryEventLog(identify(name))):
        raise AssertionError


@MANAGERS
@pytest.mark.scenario("CKM-10")
def test_a_manager_works_between_start_and_stop(log: MemoryEventLog, make: Maker) -> None:
    opened = Opened(log)
    manager = make(opened)
    manager.register("t")
    with pytest.raises(NotReady, match="was never started"):
        _ = manager.stream_name
    _assert_refused(manager)
    with manager:
        manager.start()  # once more changes nothing
        assert len(opened.logs) == 1
        manager.write_checkpoint("t", CheckpointV1({IN_0: "1"}))
    _assert_refused(manager)
    assert all(each.is_closed for each in opened.logs)
    with manager:  # it may be started again
        assert manager.read_last_checkpoint("t") == CheckpointV1({IN_0: "1"})
    assert log.end_offset() == 1


def _assert_refused(manager: JobCheckpoints) -> None:
    calls: list[Callable[[], object]] = [
        lambda: manager.read_last_checkpoint("t"),
        lambda: manager.write_checkpoint("t", CheckpointV1({})),
        manager.task_names,
        manager.last_commit_ms,
    ]
    for call in calls:
        with pytest.raises(NotReady, match=r"is not running\. Start it"):
            call()


@MANAGERS
@pytest.mark.scenario("KCM-04", "CKM-03")
def test_a_task_must_be_registered(log: MemoryEventLog, make: Maker) -> None:
    log.append([checkpoint_v1("Partition 7") if make is KafkaCheckpointManager else set_checkpoint("Partition 7")])
    with make(Opened(log)) as manager:
        for call in (
            lambda: manager.read_last_checkpoint("Partition 7"),
            lambda: manager.write_checkpoint("Partition 7", CheckpointV1({})),
        ):
            with pytest.raises(TaskNotRegistered, match="'Partition 7'") as error:
                call()
            assert error.value.task_name == "Partition 7"
        assert manager.task_names() == {"Partition 7"}
    assert log.end_offset() == 1


@pytest.mark.scenario("CKS-03", "CKS-11")
def test_a_tombstone_deletes_a_checkpoint() -> None:
    of_topic = partial(KafkaCheckpointManager, config={READ_VERSIONS: "1,2"})
    managers: list[tuple[Maker, NewEvent]] = [
        (of_topic, checkpoint_v1("t")),
        (of_topic, checkpoint_v2("t")),
        (CheckpointManager, set_checkpoint("t")),
    ]
    for make, event in managers:
        log = MemoryEventLog(identify(NAMES.get(make, NAMES[KafkaCheckpointManager])))
        with make(Opened(log)) as manager:
            log.append([event])
            manager.catch_up()
            assert manager.task_names() == {"t"}
        with make(Opened(log)) as manager:
            log.append([tombstone(event)])
            assert manager.task_names() == frozenset()


@MANAGERS
@pytest.mark.scenario("KCM-21")
def test_a_missing_stream_raises_at_the_start(make: Maker) -> None:
    def missing() -> EventLog:
        raise SourceUnavailable

    manager = make(missing)
    with pytest.raises(SourceUnavailable):
        manager.start()
    _assert_refused(manager)


@MANAGERS
@pytest.mark.scenario("HRD-22")
def test_a_failed_start_closes_its_logs(log: MemoryEventLog, make: Maker) -> None:
    opened: list[WatchedLog] = []

    def open_log() -> EventLog:
        opened.append(WatchedLog(log, is_broken=True))
        return opened[-1]

    manager = make(open_log)
    with pytest.raises(SourceUnavailable):  # and not what the end of it meets
        manager.start()
    assert len(opened) == 1
    assert all(each.is_closed for each in opened)
    manager.stop()
    _assert_refused(manager)


@MANAGERS
@pytest.mark.scenario("HRD-47", "KCM-20")
def test_a_read_that_failed_is_followed_by_one_with_a_new_log(log: MemoryEventLog, make: Callable[..., Any]) -> None:
    opened, written = Opened(log), CheckpointV1({IN_0: "1"})
    polls = {} if make is CheckpointManager else {"config": {STOP_AFTER_FIRST_READ: "false"}}
    manager = make(opened, **polls)
    manager.register("t")
    with manager:
        manager.write_checkpoint("t", written)
        assert manager.read_last_checkpoint("t") == written
        broken = list(opened.logs)
        for each in broken:
            each.is_broken = True
        with pytest.raises(SourceUnavailable):
            manager.read_last_checkpoint("t")
        assert broken[-1].is_closed
        assert manager.read_last_checkpoint("t") == written


@MANAGERS
def test_stop_ends_the_retries_of_a_write(log: MemoryEventLog, make: Callable[..., Any]) -> None:
    time = FakeTime()
    manager = make(Opened(log, *[1] * 99), retry=time.retry(longest=900))
    manager.register("t")
    time.meanwhile = manager.stop
    with manager, pytest.raises(CheckpointNotWritten):
        manager.write_checkpoint("t", CheckpointV1({}))
    assert time.pauses == [2]


@pytest.mark.parametrize("error", [AppendRefused("s", "it is too large"), ValueError("no time"), ConnectionEnded()])
def test_permanent_errors_are_not_retried(log: MemoryEventLog, error: Exception) -> None:
    time = FakeTime()

    def refuse(*_: object, **__: object) -> range:
        raise error

    log.append = refuse  # type: ignore[method-assign]
    manager = KafkaCheckpointManager(log, retry=time.retry(longest=60))
    manager.register("t")
    with manager, pytest.raises(type(error)):
        manager.write_checkpoint("t", CheckpointV1({}))
    assert time.pauses == []


@MANAGERS
def test_a_log_that_was_created_again_is_noticed(log: MemoryEventLog, make: Callable[..., Any]) -> None:
    polls = {} if make is CheckpointManager else {"config": {STOP_AFTER_FIRST_READ: "false"}}
    with make(log, **polls) as manager:
        manager.register("t")
        manager.write_checkpoint("t", CheckpointV1({IN_0: "1"}))
        assert manager.read_last_checkpoint("t") is not None
        log._events.clear()
        with pytest.raises(OffsetLost, match=f"Offset 1 of {log.stream_name}"):
            manager.read_last_checkpoint("t")


@MANAGERS
def test_checkpoints_of_a_deleted_log_are_not_those_of_a_longer_one(
    log: MemoryEventLog, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, other = Opened(log), CheckpointV1({IN_0: "2"})
    monkeypatch.setattr(log, "stream_id", "deleted")
    with (manager := make(opened)):
        manager.register("t")
        manager.register("other")
        manager.write_checkpoint("t", CheckpointV1({IN_0: "1"}))
        manager.catch_up()
        log._events.clear()
        monkeypatch.setattr(log, "stream_id", "created again")
        opened.logs[-1].is_broken = True
        for error in SourceUnavailable, OffsetLost, OffsetLost:
            with pytest.raises(error):
                manager.catch_up()
            manager.write_checkpoint("other", other)
    with manager:
        assert manager.read_last_checkpoints(["t", "other"]) == {"t": None, "other": other}


Vector = dict[str, Any]
IN_1, PAGE_VIEWS = SystemStreamPartition("kafka", "in", 1), SystemStreamPartition("kafka", "PageViews", 3)


def running(log: EventLog, *tasks: str, source: str = "Unknown") -> CheckpointManager:
    """A started manager for these tasks (default: ``Partition 0``)."""
    manager = CheckpointManager(Opened(log), source=source, clock=clock)
    for task in tasks or ("Partition 0",):
        manager.register(task)
    manager.start()
    return manager


@pytest.mark.scenario("CKM-02")
def test_every_read_catches_up(coordinator_log: EventLog) -> None:
    with running(coordinator_log) as reader, running(coordinator_log) as writer:
        for offset in ("1", "2"):
            writer.write_checkpoint("Partition 0", CheckpointV1({PAGE_VIEWS: offset}))
            assert reader.read_last_checkpoint("Partition 0") == CheckpointV1({PAGE_VIEWS: offset})


@pytest.mark.parametrize("source", ["Container-3", "Unknown"])
@pytest.mark.scenario("CKM-05")
def test_the_bytes_of_a_checkpoint(coordinator_log: EventLog, source: str) -> None:
    other = SystemStreamPartition("kafka", "PageViews", 1)
    with running(coordinator_log, source=source) as manager:
        assert manager.write_checkpoint("Partition 0", CheckpointV1({PAGE_VIEWS: "42", other: None})) == 0
        with pytest.raises(CheckpointError, match=r"'Partition 0' has system 'eu\.kafka', which"):
            manager.write_checkpoint("Partition 0", CheckpointV1({SystemStreamPartition("eu.kafka", "in", 0): "1"}))
    (event,) = coordinator_log.read()
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
        pytest.raises(CheckpointError, match="Run `coordstream log create __samza_checkpoint_ver_1_for_orders_1`")
        if expected is None
        else nullcontext()
    ):
        assert type(checkpoint_manager({"job.name": "orders", **config}, coordinator=log, checkpoint=topic)) is expected


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
