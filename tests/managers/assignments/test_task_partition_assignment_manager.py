"""TaskPartitionAssignmentManager: the tasks of each input partition."""

import json

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import decode_key
from managers.assignments.task_assignment_manager import TaskPartitionAssignmentManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import coordinator_key
from tests.managers.log_makers import LogMaker

FIRST = SystemStreamPartition("system", "stream", 0)
SECOND = SystemStreamPartition("system", "stream-2.dotted", 0)
THIRD = SystemStreamPartition("system", "stream-3", 0)
TASKS = {FIRST: ("t3", "t1", "t2"), SECOND: ("t4", "t5"), THIRD: ("t6", "t7", "t8")}
PAGE_VIEWS = SystemStreamPartition("kafka", "PageViews", 3)
SPELLINGS = (
    '{"system":"kafka","partition":3,"stream":"PageViews"}',
    '{"stream": "PageViews", "keyBucket": -1, "partition": 3, "system": "kafka"}',
    '{"system":"kafka","partition":3,"stream":"PageViews","keyBucket":-1}',
)


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> TaskPartitionAssignmentManager:
    """A manager over an empty stream, on each backend."""
    return TaskPartitionAssignmentManager(coordinator_store)


def assigned(partition_key: str, *tasks: str) -> NewEvent:
    """An assignment with this spelling of its key."""
    said = {"values": {"taskNames": json.dumps(tasks)}}
    return NewEvent(coordinator_key("set-task-partition-assignment", partition_key), json.dumps(said).encode())


@pytest.mark.scenario("TAM-06")
def test_each_partition_has_a_message_with_its_tasks(
    manager: TaskPartitionAssignmentManager, logs: LogMaker, coordinator_log: EventLog
) -> None:
    assert manager.read_task_partition_assignments() == {}
    manager.write_task_partition_assignments({partition: list(tasks) for partition, tasks in TASKS.items()})
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        assert TaskPartitionAssignmentManager(another).read_task_partition_assignments() == TASKS
    first = next(iter(coordinator_log.read()))
    key = '{"system":"system","partition":0,"stream":"stream","keyBucket":-1}'
    assert decode_key(first.key) == (1, "set-task-partition-assignment", key)
    assert json.loads(first.value or b"")["values"] == {"taskNames": '["t3","t1","t2"]'}
    assert coordinator_log.end_offset() == 3
    manager.close()


@pytest.mark.scenario("TAM-07")
def test_the_last_tasks_count_until_they_are_deleted(manager: TaskPartitionAssignmentManager) -> None:
    for tasks in (["a", "b"], ["c"], ["b", "a"]):
        manager.write_task_partition_assignments({FIRST: tasks, THIRD: ["z"]})
    assert manager.read_task_partition_assignments() == {FIRST: ("b", "a"), THIRD: ("z",)}
    manager.delete(partition for partition in manager.read_task_partition_assignments() if partition == FIRST)
    assert manager.read_task_partition_assignments() == {THIRD: ("z",)}


@pytest.mark.parametrize("no_tasks", [[], None])
@pytest.mark.scenario("TAM-08")
def test_a_partition_without_tasks_is_deleted(
    manager: TaskPartitionAssignmentManager, coordinator_log: EventLog, no_tasks: list[str] | None
) -> None:
    manager.write_task_partition_assignments({FIRST: ["a"], SECOND: ["b"]})
    manager.write_task_partition_assignments({FIRST: no_tasks})
    assert manager.read_task_partition_assignments() == {SECOND: ("b",)}
    assert [event.value for event in coordinator_log.read()][-1] is None


@pytest.mark.scenario("TAM-10")
def test_spellings_of_a_partition_are_one_partition(
    manager: TaskPartitionAssignmentManager, coordinator_log: EventLog
) -> None:
    for number, spelling in enumerate(SPELLINGS):
        coordinator_log.append([assigned(spelling, f"t{number}")])
        assert manager.read_task_partition_assignments() == {PAGE_VIEWS: (f"t{number}",)}
    manager.delete([PAGE_VIEWS])
    assert manager.read_task_partition_assignments() == {}
    ended = [event.key for event in coordinator_log.read() if event.value is None]
    assert len(set(ended)) == 3


@pytest.mark.scenario("HRD-52")
def test_key_buckets_are_separate(manager: TaskPartitionAssignmentManager, coordinator_log: EventLog) -> None:
    shares = [SystemStreamPartition("kafka", "PageViews", 3, bucket) for bucket in (0, 1)]
    manager.write_task_partition_assignments({share: [f"b{share.key_bucket}"] for share in shares})
    coordinator_log.append([assigned(SPELLINGS[0], "whole")])
    expected = {shares[0]: ("b0",), shares[1]: ("b1",), PAGE_VIEWS: ("whole",)}
    assert manager.read_task_partition_assignments() == expected


def test_tasks_are_a_list_of_strings(manager: TaskPartitionAssignmentManager, coordinator_log: EventLog) -> None:
    with pytest.raises(TypeError, match=r"tasks of system.stream.0 must be a list of strings, not the string 'abc'"):
        manager.write_task_partition_assignments({FIRST: "abc"})
    assert coordinator_log.end_offset() == 0
