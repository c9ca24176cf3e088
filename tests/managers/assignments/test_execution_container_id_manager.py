"""ExecutionContainerIdManager: the cluster's ids of a job's containers."""

from typing import Any

import pytest

from eventlog.log import EventLog
from managers.assignments.locality_manager import ExecutionContainerIdManager, LocalityManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.managers.log_makers import LogMaker


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> ExecutionContainerIdManager:
    """A manager over an empty stream, on each backend."""
    return ExecutionContainerIdManager(coordinator_store)


@pytest.mark.scenario("LOC-05", "HRD-33")
def test_an_id_has_a_message_type_of_its_own(
    manager: ExecutionContainerIdManager,
    coordinator_store: CoordinatorStreamStore,
    logs: LogMaker,
    coordinator_log: EventLog,
) -> None:
    assert manager.read_execution_environment_container_id_mapping() == {}
    LocalityManager(coordinator_store).write_container_to_host_mapping("0", "host")
    manager.write_execution_environment_container_id_mapping("0", "container_1_0001_01_000001")
    manager.write_execution_environment_container_id_mapping("0", "container_123_123_123")
    with CoordinatorStreamStore(logs.open_again(coordinator_log)) as another:
        ids = ExecutionContainerIdManager(another).read_execution_environment_container_id_mapping()
    assert ids == {"0": "container_123_123_123"}
    assert [event.key for event in coordinator_log.read()][-1] == (b'[1,"set-execution-env-container-id-mapping","0"]')
    manager.close()
    assert LocalityManager(coordinator_store).read_locality()["0"].host_name == "host"


@pytest.mark.parametrize(("container", "given"), [(None, "container_1"), ("0", None)])
@pytest.mark.scenario("LOC-06")
def test_values_other_than_strings_are_not_written(
    manager: ExecutionContainerIdManager, coordinator_log: EventLog, container: Any, given: Any
) -> None:
    with pytest.raises(ValueError, match="Input should be a valid string"):
        manager.write_execution_environment_container_id_mapping(container, given)
    assert coordinator_log.end_offset() == 0
