"""ChangelogPartitionManager: the changelog partition of each task."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.changelogs import ChangelogRemapped
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import coordinator_key
from tests.managers.log_makers import LogMaker


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> ChangelogPartitionManager:
    """A manager over an empty stream, on each backend."""
    return ChangelogPartitionManager(coordinator_store)


def sources(log: EventLog) -> list[str]:
    """The source of each message, in order."""
    return [json.loads(event.value)["source"] for event in log.read() if event.value is not None]


@pytest.mark.scenario("CLG-01")
def test_each_task_has_a_message(manager: ChangelogPartitionManager, logs: LogMaker, coordinator_log: EventLog) -> None:
    manager.write_change_log_partition_mapping({"Partition 0": 0, "Partition 1": 1})
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        assert ChangelogPartitionManager(another).read_change_log_partition_mapping() == {
            "Partition 0": 0,
            "Partition 1": 1,
        }
    events = list(coordinator_log.read())
    assert [event.key for event in events] == [b'[1,"set-changelog","Partition %d"]' % number for number in range(2)]
    assert [json.loads(event.value or b"")["values"] for event in events] == [{"Partition": "0"}, {"Partition": "1"}]
    assert sources(coordinator_log) == ["Job-coordinator"] * 2


@pytest.mark.scenario("CLG-02")
def test_an_empty_stream_has_no_mapping(manager: ChangelogPartitionManager) -> None:
    assert manager.read_change_log_partition_mapping() == {}
    manager.close()


@pytest.mark.scenario("CLG-03")
def test_new_tasks_get_the_next_partitions(manager: ChangelogPartitionManager) -> None:
    manager.write_change_log_partition_mapping({"Partition 0": 4})
    expected = {"Partition 0": 4, "Partition 1": 5, "Partition 2": 6}
    assert manager.assign(["Partition 2", "Partition 0", "Partition 1"]) == expected
    assert manager.read_change_log_partition_mapping() == expected


@pytest.mark.scenario("CLG-04")
def test_the_first_partition_is_0(manager: ChangelogPartitionManager) -> None:
    assert manager.assign(f"Partition {number}" for number in range(4)) == {
        f"Partition {number}": number for number in range(4)
    }


@pytest.mark.scenario("CLG-05")
def test_existing_partitions_are_kept(manager: ChangelogPartitionManager, coordinator_log: EventLog) -> None:
    manager.write_change_log_partition_mapping({"Partition 0": 1, "Partition 1": 0})
    expected = {"Partition 0": 1, "Partition 1": 0, "Partition 2": 2, "Partition 3": 3}
    assert manager.assign(expected) == expected
    end = coordinator_log.end_offset()
    assert manager.assign(expected) == expected
    assert coordinator_log.end_offset() == end


@pytest.mark.scenario("CLG-08")
def test_new_tasks_are_numbered_by_name(manager: ChangelogPartitionManager) -> None:
    assigned = manager.assign(f"Partition {number}" for number in range(12))
    assert sorted(assigned, key=lambda task: assigned[task]) == [
        f"Partition {number}" for number in (0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9)
    ]


def test_the_partition_of_a_removed_task_is_not_reused(manager: ChangelogPartitionManager) -> None:
    manager.write_change_log_partition_mapping({"gone": 7, "stays": 0})
    assert manager.assign(["stays", "new"]) == {"stays": 0, "new": 8}
    assert manager.read_change_log_partition_mapping() == {"gone": 7, "stays": 0, "new": 8}
    assert manager.assign(["gone"]) == {"gone": 7}


@pytest.mark.scenario("CLG-09")
def test_none_deletes(manager: ChangelogPartitionManager, coordinator_log: EventLog) -> None:
    manager.write_change_log_partition_mapping({"a": 1, "b": 2})
    manager.write_change_log_partition_mapping({"a": None})
    assert manager.read_change_log_partition_mapping() == {"b": 2}
    assert [event.value for event in coordinator_log.read()][-1] is None


@pytest.mark.scenario("CLG-10")
def test_an_update_keeps_the_previous_mapping(manager: ChangelogPartitionManager) -> None:
    manager.update_partition_mapping({"x": 7}, {"x": 3, "y": 8})
    assert manager.read_change_log_partition_mapping() == {"x": 7, "y": 8}


def test_a_different_partition_is_refused_unless_forced(
    manager: ChangelogPartitionManager, coordinator_log: EventLog
) -> None:
    manager.write_change_log_partition_mapping({"a": 1, "b": 2, "c": 3})
    changed = {"a": 1, "b": 3, "c": 2, "d": 4}
    with pytest.raises(ChangelogRemapped, match=r"partition of 'b' from 2 to 3, 'c' from 3 to 2\.") as refused:
        manager.write_change_log_partition_mapping(changed)
    assert refused.value.changes == (("b", 2, 3), ("c", 3, 2))
    assert refused.value.changes[0].old_partition == 2
    assert manager.read_change_log_partition_mapping() == {"a": 1, "b": 2, "c": 3}
    manager.write_change_log_partition_mapping(changed, force=True)
    assert manager.read_change_log_partition_mapping() == changed
    quiet, told = "Job-coordinator", "Job-coordinator (forced)"
    assert sources(coordinator_log) == [quiet] * 3 + [quiet, told, told, quiet]


def test_the_older_form_is_read(manager: ChangelogPartitionManager, coordinator_log: EventLog) -> None:
    coordinator_log.append([NewEvent(coordinator_key("set-changelog", "a"), b'{"values":{"partition":"4"}}')])
    assert manager.read_change_log_partition_mapping() == {"a": 4}
    with pytest.raises(ChangelogRemapped):
        manager.write_change_log_partition_mapping({"a": 0})


def test_invalid_mappings_are_not_written(manager: ChangelogPartitionManager, coordinator_log: EventLog) -> None:
    wrong: Any = {"a": 1, "b": "2"}
    with pytest.raises(TypeError, match="task 'b' must be an integer"):
        manager.write_change_log_partition_mapping(wrong)
    with pytest.raises(TypeError, match="task_names must be a list of strings"):
        manager.assign("Partition 0")
    for partition in (-1, 2**31):
        with pytest.raises(ValueError, match=f"task 'a' must be from 0 to 2147483647, not {partition}"):
            manager.write_change_log_partition_mapping({"a": partition})
    assert coordinator_log.end_offset() == 0


def test_threads_do_not_assign_a_partition_twice(manager: ChangelogPartitionManager) -> None:
    tasks = [f"Partition {number}" for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        for assigned in pool.map(manager.assign, ([task] for task in tasks)):
            assert len(assigned) == 1
    assert sorted(manager.read_change_log_partition_mapping().values()) == list(range(16))
