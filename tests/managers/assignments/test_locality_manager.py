"""LocalityManager: the hosts of containers."""

import json

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from managers.assignments.locality_manager import ContainerLocality, LocalityManager
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
