"""Start, stop and registration, for every checkpoint manager."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import identify
from managers.checkpoints.checkpoint_errors import CheckpointNotWritten
from managers.checkpoints.checkpoint_manager import CheckpointManager
from managers.checkpoints.checkpoint_place import JobCheckpoints
from managers.checkpoints.kafka_checkpoint_manager import STOP_AFTER_FIRST_READ, KafkaCheckpointManager
from managers.errors import NotReady
from managers.wrapped_logs import LogOrOpener
from tests.fixtures.database_sessions import end_sessions
from tests.managers.fake_time import FakeTime
from tests.managers.log_makers import LogMaker
from tests.managers.watched_log import BrokenLog, Opened

Maker = Callable[[LogOrOpener], JobCheckpoints]
IN_0 = SystemStreamPartition("kafka", "in", 0)
MANAGERS = pytest.mark.parametrize("make", [CheckpointManager, KafkaCheckpointManager])
TASKS = [f"Partition {number}" for number in range(8)]


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog(identify("__samza_checkpoint_ver_1_for_orders_1"))


@MANAGERS
@pytest.mark.scenario("CKM-10")
def test_a_manager_works_between_start_and_stop(log: MemoryEventLog, make: Maker) -> None:
    opened = Opened(log)
    manager = make(opened)
    name = type(manager).__name__
    manager.register("t")
    assert repr(manager) == f"{name}(no stream yet, 1 tasks, not running)"
    with pytest.raises(NotReady, match="was never started"):
        _ = manager.stream_name
    _assert_refused(manager)
    with manager:
        manager.start()  # once more changes nothing
        assert len(opened.logs) == (1 if make is CheckpointManager else 2)
        manager.write_checkpoint("t", CheckpointV1({IN_0: "1"}))
        assert repr(manager) == f"{name}({log.stream_name}, 1 tasks, running)"
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
    opened: list[BrokenLog] = []

    def open_log() -> EventLog:
        opened.append(BrokenLog(log))
        return opened[-1]

    manager = make(open_log)
    with pytest.raises(SourceUnavailable):  # and not what the end of it meets
        manager.start()
    assert len(opened) == (1 if make is CheckpointManager else 2)
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
@pytest.mark.scenario("HRD-47")
def test_a_manager_reads_again_after_an_outage_of_the_database(database_url: str, make: Callable[..., Any]) -> None:
    kind = "coordinator" if make is CheckpointManager else "checkpoint"
    stream, written = identify("orders", kind), CheckpointV1({IN_0: "1"})
    PostgresEventLog.create(database_url, stream).close()
    polls = {} if make is CheckpointManager else {"config": {STOP_AFTER_FIRST_READ: "false"}}
    manager = make(lambda: PostgresEventLog(database_url, stream.stream_name), **polls)
    manager.register("t")
    with manager:
        manager.write_checkpoint("t", written)
        end_sessions(database_url)
        with pytest.raises(SourceUnavailable):
            manager.read_last_checkpoint("t")
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


@MANAGERS
def test_threads_can_share_a_manager(logs: LogMaker, make: Maker) -> None:
    log = logs.create("coordinator" if make is CheckpointManager else "checkpoint")

    def commit(task: str) -> None:
        for offset in range(5):
            manager.write_checkpoint(task, CheckpointV1({IN_0: str(offset)}))

    with make(lambda: logs.open_again(log)) as manager, ThreadPoolExecutor(4) as pool:
        for task in TASKS:
            manager.register(task)
        list(pool.map(commit, TASKS))
        assert {task: manager.read_last_checkpoint(task) for task in TASKS} == dict.fromkeys(
            TASKS, CheckpointV1({IN_0: "4"})
        )
    assert log.end_offset() == 40
