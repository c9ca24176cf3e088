"""The managers of hosts, containers, modes and partitions; and the bytes of all managers of assignments."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from managers import stored_messages
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import (
    ContainerLocality,
    ExecutionContainerIdManager,
    LocalityManager,
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
    UnknownTaskMode,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from tests.builders import container_host, coordinator_key, task_mode, tombstone
from tests.contracts.event_log import STREAM
from tests.vectors.building import partition_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def write(store: CoordinatorStreamStore, said: Vector, **how: Any) -> bool:
    """Write what a vector says by its manager; False if no manager of assignments writes its type."""
    key, values, is_delete = said["key"], said.get("values", {}), said["delete"]
    match said["type"]:
        case "set-changelog":
            partition = None if is_delete else int(values["Partition"])
            store.put(NamespacedKey(said["type"], key), b"to be replaced or deleted")
            ChangelogPartitionManager(store, **how).write_change_log_partition_mapping({key: partition})
        case "set-container-host-assignment":
            LocalityManager(store, **how).write_container_to_host_mapping(
                key, values["host"], jmx_url=values["jmx-url"], jmx_tunneling_url=values["jmx-tunneling-url"]
            )
        case "set-execution-env-container-id-mapping":
            given = values["execution-env-container-id"]
            ExecutionContainerIdManager(store, **how).write_execution_environment_container_id_mapping(key, given)
        case "set-task-container-assignment" | "set-task-mode-assignment":
            container_id = None if is_delete else values.get("containerId", "0")
            tasks = {key: values.get("taskMode", "Active")}
            TaskAssignmentManager(store, **how).write_task_container_mappings({container_id: tasks})
        case "set-task-partition-assignment":
            assignments = {partition_of(said["ssp"]): said["task_names"]}
            TaskPartitionAssignmentManager(store, **how).write_task_partition_assignments(assignments)
        case _:
            return False
    return True


@pytest.mark.scenario("CLG-01", "LOC-01", "LOC-05", "TAM-01", "TAM-06")
def test_managers_write_the_bytes_of_samza(monkeypatch: pytest.MonkeyPatch) -> None:
    types = set()
    for vector in vectors("coordinator_message"):
        said, log = vector["input"], MemoryEventLog(STREAM)
        monkeypatch.setattr(stored_messages, "host_address", lambda said=said: said.get("host"))
        monkeypatch.setattr(stored_messages, "user_name", lambda said=said: said.get("username"))
        written_at = EPOCH + timedelta(milliseconds=said.get("timestamp", 0))
        with CoordinatorStreamStore(log) as store:
            if write(store, said, source=said["source"], clock=lambda at=written_at: at):
                types.add(said["type"])
                expected = (decoded(vector["key_b64"]), decoded(vector["value_b64"]))
                assert expected in [(event.key, event.value) for event in log.read()], vector["id"]
    assert len(types) == 6


@pytest.mark.scenario("LOC-02")
def test_the_last_host_counts_and_is_durable(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    manager = LocalityManager(store)
    manager.write_container_to_host_mapping("0", "localhost")
    manager.write_container_to_host_mapping("0", "host2", jmx_url="service:jmx:a", jmx_tunneling_url="b")
    with CoordinatorStreamStore(coordinator_log) as another:
        expected = {"0": ContainerLocality("0", "host2", "service:jmx:a", "b")}
        assert LocalityManager(another).read_locality() == manager.read_locality() == expected


@pytest.mark.scenario("LOC-03")
def test_an_empty_host_is_not_preferred(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    gone = container_host("1", "h")
    hostless = NewEvent(coordinator_key("set-container-host-assignment", "2"), b'{"values":{"jmx-url":"u"}}')
    seed = NewEvent(coordinator_key("set-container-host-assignment", "4"), b'{"values":{"hostname":"old"}}')
    coordinator_log.append([gone, tombstone(gone), hostless, container_host("3", ""), seed])
    hosts = LocalityManager(store).read_locality()
    assert {container: place.preferred_host for container, place in hosts.items()} == {"3": None, "4": "old"}


@pytest.mark.scenario("LOC-05", "HRD-33")
def test_an_id_has_a_message_type_of_its_own(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    ids = ExecutionContainerIdManager(store)
    assert ids.read_execution_environment_container_id_mapping() == {}
    LocalityManager(store).write_container_to_host_mapping("0", "host")
    for given in ("container_1_0001_01_000001", "container_123_123_123"):
        ids.write_execution_environment_container_id_mapping("0", given)
    assert ids.read_execution_environment_container_id_mapping() == {"0": "container_123_123_123"}
    assert [event.key for event in coordinator_log.read()][-1] == (b'[1,"set-execution-env-container-id-mapping","0"]')
    ids.close()
    assert LocalityManager(store).read_locality()["0"].host_name == "host"


@pytest.mark.parametrize(("container", "given"), [(None, "container_1"), ("0", None)])
@pytest.mark.scenario("LOC-06")
def test_values_other_than_strings_are_not_written(
    store: CoordinatorStreamStore, coordinator_log: EventLog, container: Any, given: Any
) -> None:
    with pytest.raises(ValueError, match="Input should be a valid string"):
        ExecutionContainerIdManager(store).write_execution_environment_container_id_mapping(container, given)
    assert coordinator_log.end_offset() == 0


@pytest.fixture
def tasks(store: CoordinatorStreamStore) -> TaskAssignmentManager:
    return TaskAssignmentManager(store)


def read(tasks: TaskAssignmentManager) -> tuple[Mapping[str, str], Mapping[str, str]]:
    return tasks.read_task_assignment(), tasks.read_task_modes()


@pytest.mark.scenario("TAM-02", "TAM-03", "TAM-04")
def test_mappings_are_deleted(tasks: TaskAssignmentManager) -> None:
    assert read(tasks) == ({}, {})
    tasks.write_task_container_mappings({"0": {"Task0": "Active", "Task1": "Active"}})
    tasks.write_task_container_mappings({None: {"Task0": "Active"}, "1": {"Task1": "Standby"}})
    assert read(tasks) == ({"Task1": "1"}, {"Task1": "Standby"})
    without_mode: Any = {None: {"Task1": None}}
    tasks.write_task_container_mappings(without_mode)
    assert read(tasks) == ({}, {})
    tasks.write_task_container_mappings({"0": {"Task0": "Active"}})
    tasks.delete_task_container_mappings(tasks.read_task_assignment().keys())
    assert read(tasks) == ({}, {})


@pytest.mark.scenario("TAM-05")
def test_a_mode_is_read_as_it_was_written(tasks: TaskAssignmentManager, coordinator_log: EventLog) -> None:
    tasks.write_task_container_mappings({"0": {"Task2": "Active"}, "0-0": {"Task3": "Standby"}})
    assert tasks.read_task_modes() == {"Task2": "Active", "Task3": "Standby"}
    coordinator_log.append([task_mode("Task4", "Paused")])
    with pytest.raises(UnknownTaskMode, match="Task 'Task4' has unknown mode 'Paused'"):
        tasks.read_task_modes()


FIRST: Final = SystemStreamPartition("system", "stream", 0)
SECOND: Final = SystemStreamPartition("system", "stream-2.dotted", 0)
THIRD: Final = SystemStreamPartition("system", "stream-3", 0)
PAGE_VIEWS: Final = SystemStreamPartition("kafka", "PageViews", 3)
SPELLINGS: Final = (
    '{"system":"kafka","partition":3,"stream":"PageViews"}',
    '{"stream": "PageViews", "keyBucket": -1, "partition": 3, "system": "kafka"}',
    '{"system":"kafka","partition":3,"stream":"PageViews","keyBucket":-1}',
)


@pytest.fixture
def partitions(store: CoordinatorStreamStore) -> TaskPartitionAssignmentManager:
    return TaskPartitionAssignmentManager(store)


def assigned(partition_key: str, *tasks: str) -> NewEvent:
    said = {"values": {"taskNames": json.dumps(tasks)}}
    return NewEvent(coordinator_key("set-task-partition-assignment", partition_key), json.dumps(said).encode())


@pytest.mark.scenario("TAM-07", "TAM-08")
def test_the_last_tasks_count_until_they_are_deleted(
    partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog
) -> None:
    for tasks in (["a", "b"], ["c"], ["b", "a"]):
        partitions.write_task_partition_assignments({FIRST: tasks, SECOND: ["y"], THIRD: ["z"]})
    assert partitions.read_task_partition_assignments() == {FIRST: ("b", "a"), SECOND: ("y",), THIRD: ("z",)}
    partitions.write_task_partition_assignments({FIRST: [], SECOND: None})
    assert partitions.read_task_partition_assignments() == {THIRD: ("z",)}
    assert [event.value for event in coordinator_log.read()][-2:] == [None, None]
    partitions.delete(partitions.read_task_partition_assignments())
    assert partitions.read_task_partition_assignments() == {}


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


def test_invalid_arguments_write_nothing(
    tasks: TaskAssignmentManager, partitions: TaskPartitionAssignmentManager, coordinator_log: EventLog
) -> None:
    calls: list[tuple[type[Exception], str, Callable[[], None]]] = [
        (UnknownTaskMode, "Task 'T'", lambda: tasks.write_task_container_mappings({"0": {"T": "asleep"}})),
        (TypeError, "a list of strings, not the string 'T'", lambda: tasks.delete_task_container_mappings("T")),
        (
            TypeError,
            r"tasks of system.stream.0 must be a list of strings, not the string 'abc'",
            lambda: partitions.write_task_partition_assignments({FIRST: "abc"}),
        ),
    ]
    for error, words, call in calls:
        with pytest.raises(error, match=words):
            call()
    assert coordinator_log.end_offset() == 0
