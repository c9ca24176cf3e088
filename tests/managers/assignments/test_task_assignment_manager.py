"""TaskAssignmentManager: the container and the mode of each task."""

from typing import Any

import pytest

from eventlog.log import EventLog
from eventlog.wire.coordinator import decode_key
from managers.assignments.task_assignment_manager import TaskAssignmentManager, UnknownTaskMode
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import task_mode
from tests.managers.log_makers import LogMaker

CONTAINERS = {
    "0": {"Task0": "Active", "Task3": "Active"},
    "1": {"Task1": "Active", "Task4": "Active"},
    "2": {"Task2": "Active"},
}


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> TaskAssignmentManager:
    """A manager over an empty stream, on each backend."""
    return TaskAssignmentManager(coordinator_store)


@pytest.mark.scenario("TAM-01")
def test_each_task_has_two_messages(manager: TaskAssignmentManager, logs: LogMaker, coordinator_log: EventLog) -> None:
    manager.write_task_container_mappings(CONTAINERS)
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        reader = TaskAssignmentManager(another)
        assert reader.read_task_assignment() == {"Task0": "0", "Task3": "0", "Task1": "1", "Task4": "1", "Task2": "2"}
        assert reader.read_task_modes() == {f"Task{number}": "Active" for number in range(5)}
    written = {decode_key(event.key)[1:] for event in coordinator_log.read()}
    types = ("set-task-container-assignment", "set-task-mode-assignment")
    assert written == {(of_type, f"Task{number}") for of_type in types for number in range(5)}
    assert coordinator_log.end_offset() == 10
    manager.close()


@pytest.mark.scenario("TAM-02")
def test_mappings_are_deleted(manager: TaskAssignmentManager) -> None:
    manager.write_task_container_mappings({"0": {"Task0": "Active"}, "1": {"Task1": "Standby"}})
    manager.delete_task_container_mappings(manager.read_task_assignment().keys())
    assert (manager.read_task_assignment(), manager.read_task_modes()) == ({}, {})


@pytest.mark.scenario("TAM-03")
def test_an_empty_stream_has_no_assignments(manager: TaskAssignmentManager) -> None:
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
