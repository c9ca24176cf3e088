"""TaskAssignmentManager and TaskPartitionAssignmentManager."""

import json
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from managers.assignments.job_model_assignments import (
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
    UnknownTaskMode,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import coordinator_key, task_mode


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> TaskAssignmentManager:
    return TaskAssignmentManager(coordinator_store)


@pytest.mark.scenario("TAM-02", "TAM-03")
def test_mappings_are_deleted(manager: TaskAssignmentManager) -> None:
    assert (manager.read_task_assignment(), manager.read_task_modes()) == ({}, {})
    manager.write_task_container_mappings({"0": {"Task0": "Active"}, "1": {"Task1": "Standby"}})
    manager.delete_task_container_mappings(manager.read_task_assignment().keys())
    assert (manager.read_task_assignment(), manager.read_task_modes()) == ({}, {})


@pytest.mark.scenario("TAM-04")
def test_a_task_without_a_container_is_deleted(manager: TaskAssignmentManager) -> None:
    manager.write_task_container_mappings({"0": {"Task0": "Active", "Task1": "Active"}})
    manager.write_task_container_mappings({None: {"Task0": "Active"}, "1": {"Task1": "Active"}})
    assert (manager.read_task_assignment(), manager.read_task_modes()) == ({"Task1": "1"}, {"Task1": "Active"})
    without_mode: Any = {None: {"Task1": None}}
    manager.write_task_container_mappings(without_mode)
    assert (manager.read_task_assignment(), manager.read_task_modes()) == ({}, {})


@pytest.mark.scenario("TAM-05")
def test_a_mode_is_read_as_it_was_written(manager: TaskAssignmentManager, coordinator_log: EventLog) -> None:
    manager.write_task_container_mappings({"0": {"Task2": "Active"}, "0-0": {"Task3": "Standby"}})
    assert manager.read_task_modes() == {"Task2": "Active", "Task3": "Standby"}
    coordinator_log.append([task_mode("Task4", "Paused")])
    with pytest.raises(UnknownTaskMode, match="Task 'Task4' has unknown mode 'Paused'"):
        manager.read_task_modes()


def test_invalid_arguments_write_nothing(manager: TaskAssignmentManager, coordinator_log: EventLog) -> None:
    with pytest.raises(UnknownTaskMode, match="Task 'Task1'"):
        manager.write_task_container_mappings({"0": {"Task0": "Active", "Task1": "asleep"}})
    with pytest.raises(TypeError, match="task_names must be a list of strings, not the string 'Task0'"):
        manager.delete_task_container_mappings("Task0")
    assert coordinator_log.end_offset() == 0


FIRST = SystemStreamPartition("system", "stream", 0)
SECOND = SystemStreamPartition("system", "stream-2.dotted", 0)
THIRD = SystemStreamPartition("system", "stream-3", 0)
PAGE_VIEWS = SystemStreamPartition("kafka", "PageViews", 3)
SPELLINGS = (
    '{"system":"kafka","partition":3,"stream":"PageViews"}',
    '{"stream": "PageViews", "keyBucket": -1, "partition": 3, "system": "kafka"}',
    '{"system":"kafka","partition":3,"stream":"PageViews","keyBucket":-1}',
)


@pytest.fixture
def partitions(coordinator_store: CoordinatorStreamStore) -> TaskPartitionAssignmentManager:
    return TaskPartitionAssignmentManager(coordinator_store)


def assigned(partition_key: str, *tasks: str) -> NewEvent:
    said = {"values": {"taskNames": json.dumps(tasks)}}
    return NewEvent(coordinator_key("set-task-partition-assignment", partition_key), json.dumps(said).encode())


@pytest.mark.scenario("TAM-07")
def test_the_last_tasks_count_until_they_are_deleted(partitions: TaskPartitionAssignmentManager) -> None:
    for tasks in (["a", "b"], ["c"], ["b", "a"]):
        partitions.write_task_partition_assignments({FIRST: tasks, THIRD: ["z"]})
    assert partitions.read_task_partition_assignments() == {FIRST: ("b", "a"), THIRD: ("z",)}
    partitions.delete(partition for partition in partitions.read_task_partition_assignments() if partition == FIRST)
    assert partitions.read_task_partition_assignments() == {THIRD: ("z",)}


@pytest.mark.parametrize("no_tasks", [[], None])
@pytest.mark.scenario("TAM-08")
def test_a_partition_without_tasks_is_deleted(
    partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog, no_tasks: list[str] | None
) -> None:
    partitions.write_task_partition_assignments({FIRST: ["a"], SECOND: ["b"]})
    partitions.write_task_partition_assignments({FIRST: no_tasks})
    assert partitions.read_task_partition_assignments() == {SECOND: ("b",)}
    assert [event.value for event in coordinator_log.read()][-1] is None


@pytest.mark.scenario("TAM-10")
def test_spellings_of_a_partition_are_one_partition(
    partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog
) -> None:
    for number, spelling in enumerate(SPELLINGS):
        coordinator_log.append([assigned(spelling, f"t{number}")])
        assert partitions.read_task_partition_assignments() == {PAGE_VIEWS: (f"t{number}",)}
    partitions.delete([PAGE_VIEWS])
    assert partitions.read_task_partition_assignments() == {}
    ended = [event.key for event in coordinator_log.read() if event.value is None]
    assert len(set(ended)) == 3


@pytest.mark.scenario("HRD-52")
def test_key_buckets_are_separate(partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog) -> None:
    shares = [SystemStreamPartition("kafka", "PageViews", 3, bucket) for bucket in (0, 1)]
    partitions.write_task_partition_assignments({share: [f"b{share.key_bucket}"] for share in shares})
    coordinator_log.append([assigned(SPELLINGS[0], "whole")])
    expected = {shares[0]: ("b0",), shares[1]: ("b1",), PAGE_VIEWS: ("whole",)}
    assert partitions.read_task_partition_assignments() == expected


def test_tasks_are_a_list_of_strings(partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog) -> None:
    with pytest.raises(TypeError, match=r"tasks of system.stream.0 must be a list of strings, not the string 'abc'"):
        partitions.write_task_partition_assignments({FIRST: "abc"})
    assert coordinator_log.end_offset() == 0
