"""LocalityManager and ExecutionContainerIdManager."""

from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from managers.assignments.job_model_assignments import ContainerLocality, ExecutionContainerIdManager, LocalityManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import container_host, coordinator_key, tombstone
from tests.fixtures.managers.log_makers import LogMaker


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> LocalityManager:
    return LocalityManager(coordinator_store)


@pytest.mark.scenario("LOC-02")
def test_the_last_host_counts_and_is_durable(
    manager: LocalityManager, logs: LogMaker, coordinator_log: EventLog
) -> None:
    manager.write_container_to_host_mapping("0", "localhost")
    manager.write_container_to_host_mapping("0", "host2", jmx_url="service:jmx:a", jmx_tunneling_url="b")
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        expected = {"0": ContainerLocality("0", "host2", "service:jmx:a", "b")}
        assert LocalityManager(another).read_locality() == manager.read_locality() == expected


@pytest.mark.scenario("LOC-03")
def test_an_empty_host_is_not_preferred(manager: LocalityManager, coordinator_log: EventLog) -> None:
    gone = container_host("1", "h")
    hostless = NewEvent(coordinator_key("set-container-host-assignment", "2"), b'{"values":{"jmx-url":"u"}}')
    seed = NewEvent(coordinator_key("set-container-host-assignment", "4"), b'{"values":{"hostname":"old"}}')
    coordinator_log.append([gone, tombstone(gone), hostless, container_host("3", ""), seed])
    hosts = manager.read_locality()
    assert {container: place.preferred_host for container, place in hosts.items()} == {"3": None, "4": "old"}


@pytest.fixture
def ids_of_cluster(coordinator_store: CoordinatorStreamStore) -> ExecutionContainerIdManager:
    return ExecutionContainerIdManager(coordinator_store)


@pytest.mark.scenario("LOC-05", "HRD-33")
def test_an_id_has_a_message_type_of_its_own(
    ids_of_cluster: ExecutionContainerIdManager,
    coordinator_store: CoordinatorStreamStore,
    logs: LogMaker,
    coordinator_log: EventLog,
) -> None:
    assert ids_of_cluster.read_execution_environment_container_id_mapping() == {}
    LocalityManager(coordinator_store).write_container_to_host_mapping("0", "host")
    ids_of_cluster.write_execution_environment_container_id_mapping("0", "container_1_0001_01_000001")
    ids_of_cluster.write_execution_environment_container_id_mapping("0", "container_123_123_123")
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        ids = ExecutionContainerIdManager(another).read_execution_environment_container_id_mapping()
    assert ids == {"0": "container_123_123_123"}
    assert [event.key for event in coordinator_log.read()][-1] == (b'[1,"set-execution-env-container-id-mapping","0"]')
    ids_of_cluster.close()
    assert LocalityManager(coordinator_store).read_locality()["0"].host_name == "host"


@pytest.mark.parametrize(("container", "given"), [(None, "container_1"), ("0", None)])
@pytest.mark.scenario("LOC-06")
def test_values_other_than_strings_are_not_written(
    ids_of_cluster: ExecutionContainerIdManager, coordinator_log: EventLog, container: Any, given: Any
) -> None:
    with pytest.raises(ValueError, match="Input should be a valid string"):
        ids_of_cluster.write_execution_environment_container_id_mapping(container, given)
    assert coordinator_log.end_offset() == 0
