"""What the managers of assignments write is what Samza itself writes, to the byte."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from eventlog.log import MemoryEventLog
from eventlog.streams import identify
from managers import stored_messages
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import (
    ExecutionContainerIdManager,
    LocalityManager,
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.vectors.building import partition_of
from tests.vectors.catalogue import decoded, vectors

Vector = dict[str, Any]
Write = Callable[[CoordinatorStreamStore, Vector, dict[str, Any]], None]
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def changelog(store: CoordinatorStreamStore, said: Vector, how: dict[str, Any]) -> None:
    partition = None if said["delete"] else int(said["values"]["Partition"])
    ChangelogPartitionManager(store, **how).write_change_log_partition_mapping({said["key"]: partition})


def host(store: CoordinatorStreamStore, said: Vector, how: dict[str, Any]) -> None:
    values = said["values"]
    LocalityManager(store, **how).write_container_to_host_mapping(
        said["key"], values["host"], jmx_url=values["jmx-url"], jmx_tunneling_url=values["jmx-tunneling-url"]
    )


def execution(store: CoordinatorStreamStore, said: Vector, how: dict[str, Any]) -> None:
    given = said["values"]["execution-env-container-id"]
    ExecutionContainerIdManager(store, **how).write_execution_environment_container_id_mapping(said["key"], given)


def container(store: CoordinatorStreamStore, said: Vector, how: dict[str, Any]) -> None:
    values = said.get("values", {})
    container_id = None if said["delete"] else values.get("containerId", "0")
    tasks = {said["key"]: values.get("taskMode", "Active")}
    TaskAssignmentManager(store, **how).write_task_container_mappings({container_id: tasks})


def partition(store: CoordinatorStreamStore, said: Vector, how: dict[str, Any]) -> None:
    assignments = {partition_of(said["ssp"]): said["task_names"]}
    TaskPartitionAssignmentManager(store, **how).write_task_partition_assignments(assignments)


WRITERS: Final[dict[str, Write]] = {
    "set-changelog": changelog,
    "set-container-host-assignment": host,
    "set-execution-env-container-id-mapping": execution,
    "set-task-container-assignment": container,
    "set-task-mode-assignment": container,
    "set-task-partition-assignment": partition,
}
WRITTEN: Final = [each for each in vectors("coordinator_message") if each["input"]["type"] in WRITERS]


@pytest.mark.parametrize("vector", WRITTEN, ids=lambda vector: vector["id"])
@pytest.mark.scenario("CLG-01", "LOC-01", "LOC-05", "TAM-01", "TAM-06")
def test_a_manager_writes_the_bytes_of_samza(vector: Vector, monkeypatch: pytest.MonkeyPatch) -> None:
    said = vector["input"]
    monkeypatch.setattr(stored_messages, "host_address", lambda: said.get("host"))
    monkeypatch.setattr(stored_messages, "user_name", lambda: said.get("username"))
    written_at = EPOCH + timedelta(milliseconds=said.get("timestamp", 0))
    log = MemoryEventLog(identify("__samza_coordinator_orders_1"))
    with CoordinatorStreamStore(log) as store:
        WRITERS[said["type"]](store, said, {"source": said["source"], "clock": lambda: written_at})
    expected = (decoded(vector["key_b64"]), decoded(vector["value_b64"]))
    assert expected in [(event.key, event.value) for event in log.read()]


def test_each_type_has_a_vector() -> None:
    assert {vector["input"]["type"] for vector in WRITTEN} == set(WRITERS)
