"""LocalityManager: the hosts of containers."""

import json
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from managers.assignments.locality_manager import ContainerLocality, LocalityManager
from managers.errors import NotReady
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import container_host, coordinator_key, tombstone
from tests.managers.log_makers import LogMaker


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> LocalityManager:
    """A manager over an empty stream, on each backend."""
    return LocalityManager(coordinator_store)


@pytest.mark.scenario("LOC-01")
def test_a_host_is_written_as_in_samza(manager: LocalityManager, coordinator_log: EventLog) -> None:
    assert manager.read_locality() == {}
    manager.write_container_to_host_mapping("0", "localhost")
    assert manager.read_locality() == {"0": ContainerLocality("0", "localhost", "", "")}
    (event,) = coordinator_log.read()
    assert event.key == b'[1,"set-container-host-assignment","0"]'
    said = json.loads(event.value or b"")
    assert said["values"] == {"host": "localhost", "jmx-url": "", "jmx-tunneling-url": ""}
    assert said["source"] == "SamzaContainer"


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


@pytest.mark.parametrize(("container", "host"), [(None, "h"), ("0", None)])
def test_values_other_than_strings_are_not_written(
    manager: LocalityManager, coordinator_log: EventLog, container: Any, host: Any
) -> None:
    with pytest.raises(TypeError, match="must be a string, not None"):
        manager.write_container_to_host_mapping(container, host)
    address: Any = 5
    for name in ("jmx_url", "jmx_tunneling_url"):
        with pytest.raises(TypeError, match=f"^{name} must be a string, not 5"):
            manager.write_container_to_host_mapping("0", "h", **{name: address})
    assert coordinator_log.end_offset() == 0


@pytest.mark.scenario("HRD-33")
def test_managers_are_independent(coordinator_store: CoordinatorStreamStore) -> None:
    manager = LocalityManager(coordinator_store)
    manager.write_container_to_host_mapping("0", "h")
    manager.close()
    assert LocalityManager(coordinator_store).read_locality()["0"].host_name == "h"
    assert coordinator_store.all("set-task-container-assignment") == {}


def test_a_store_that_is_not_open_raises(coordinator_log: EventLog) -> None:
    manager = LocalityManager(CoordinatorStreamStore(coordinator_log))
    with pytest.raises(NotReady, match=r"is not open. Call init\(\) first"):
        manager.read_locality()
    with pytest.raises(NotReady):
        manager.write_container_to_host_mapping("0", "h")
    assert coordinator_log.end_offset() == 0


def test_a_result_does_not_change(manager: LocalityManager) -> None:
    read: Any = manager.read_locality()
    manager.write_container_to_host_mapping("0", "h")
    assert read == {}
    with pytest.raises(TypeError):
        read["0"] = ContainerLocality("0", "h")
