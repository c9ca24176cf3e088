"""What the managers of assignments read is what the relations show, after each of their writes and of others'."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.source import PostgresSource
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.assignments.locality_manager import ExecutionContainerIdManager, LocalityManager
from managers.assignments.task_assignment_manager import TaskAssignmentManager, TaskPartitionAssignmentManager
from managers.job_models.job_model import ACTIVE, STANDBY, ContainerModel, JobModel, TaskModel
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.acceptance.followed import follow_once, shown
from tests.builders import config_set, coordinator_key, raw
from tests.contracts.event_log import STREAM

Rows = list[tuple[Any, ...]]
Step = Callable[[CoordinatorStreamStore, EventLog], None]

PAGE_VIEWS: Final = tuple(SystemStreamPartition("kafka", "page.views", number) for number in range(6))
SHARES: Final = tuple(SystemStreamPartition("kafka", "page.views", 0, bucket) for bucket in range(2))
QUERIES: Final = {
    "changelog_mapping": "task_name, changelog_partition",
    "container_host": "container_id, host_name, jmx_url, jmx_tunneling_url",
    "container_execution": "container_id, execution_container_id",
    "task_container": "task_name, container_id",
    "task_mode": "task_name, task_mode",
    "task_partition": "system_name, stream_name, partition_id, key_bucket, task_name",
}
ODD: Final = (
    raw(coordinator_key("set-changelog", "Partition 0"), b'{"values":{"Partition":"x"}}'),
    raw(coordinator_key("set-changelog", "Partition 8"), b'{"values":{"partition":"8"}}'),
    raw(coordinator_key("set-container-host-assignment", "1"), b'{"values":{}}'),
    raw(coordinator_key("set-container-host-assignment", "2"), b'{"values":{"hostname":""}}'),
    raw(b'[ 1, "set-task-container-assignment", "Partition 0" ]', b'{"values":{"containerId":"7"}}'),
    raw(b'[2,"set-task-mode-assignment","Partition 1"]', b'{"values":{"taskMode":"Standby"}}'),
    raw(coordinator_key("set-task-partition-assignment", '{"partition":0,"stream":"s","system":"k"}'), b"garbage"),
    raw(
        coordinator_key("set-task-partition-assignment", '{"partition":1,"stream":"page.views","system":"kafka"}'),
        b'{"values":{"taskNames":"[\\"b\\",\\"a\\",\\"b\\"]"}}',
    ),
    raw(
        coordinator_key("set-task-partition-assignment", '{"partition":2,"stream":"page.views","system":"kafka"}'),
        b'{"values":{"taskNames":"[]"}}',
    ),
)


def job_model(tasks: int, standby: int = 0) -> JobModel:
    active = {f"Partition {number}": _task(f"Partition {number}", number) for number in range(tasks)}
    waiting = {f"Standby-{number}": _task(f"Standby-{number}", number, STANDBY) for number in range(standby)}
    return JobModel({}, {"0": ContainerModel("0", active), "0-0": ContainerModel("0-0", waiting)})


def _task(name: str, number: int, mode: Any = ACTIVE) -> TaskModel:
    return TaskModel(name, frozenset((PAGE_VIEWS[number], SHARES[number % 2])), number, mode)


def save(tasks: int, standby: int = 0) -> Step:
    return lambda store, _: JobModelAssignments(store).save(job_model(tasks, standby))


def place(container: str, host: str) -> Step:
    return lambda store, _: LocalityManager(store).write_container_to_host_mapping(container, host, jmx_url="jmx:é")


def name(container: str, given: str) -> Step:
    return lambda store, _: ExecutionContainerIdManager(store).write_execution_environment_container_id_mapping(
        container, given
    )


def map_changelogs(**partitions: int | None) -> Step:
    return lambda store, _: ChangelogPartitionManager(store).write_change_log_partition_mapping(partitions)


def append(*events: NewEvent) -> Step:
    def appended(_: CoordinatorStreamStore, log: EventLog) -> None:
        log.append(events)

    return appended


def forget(store: CoordinatorStreamStore, _: EventLog) -> None:
    tasks = TaskAssignmentManager(store)
    tasks.delete_task_container_mappings(list(tasks.read_task_assignment())[:2])
    TaskPartitionAssignmentManager(store).delete(PAGE_VIEWS[:3])


STEPS: Final[tuple[Step, ...]] = (
    save(2, standby=1),
    place("0", "host-1"),
    place("1", "host-1"),
    place("0", "host-2"),
    name("0", "container_1_0001_01_000002"),
    name("0", "container_1_0001_02_000002"),
    save(5, standby=3),
    map_changelogs(more=17, other=4),
    map_changelogs(more=None),
    append(*ODD),
    forget,
    save(3),
    save(3),
)


def shown_by_managers(store: CoordinatorStreamStore) -> dict[str, Rows]:
    tasks = TaskAssignmentManager(store)
    hosts = LocalityManager(store).read_locality().values()
    partitions = TaskPartitionAssignmentManager(store).read_task_partition_assignments()
    said: dict[str, Rows] = {
        "changelog_mapping": list(ChangelogPartitionManager(store).read_change_log_partition_mapping().items()),
        "container_host": [(at.container_id, at.host_name, at.jmx_url, at.jmx_tunneling_url) for at in hosts],
        "container_execution": list(
            ExecutionContainerIdManager(store).read_execution_environment_container_id_mapping().items()
        ),
        "task_container": list(tasks.read_task_assignment().items()),
        "task_mode": list(tasks.read_task_modes().items()),
        "task_partition": [
            (at.system, at.stream, at.partition, at.key_bucket, task) for at in partitions for task in partitions[at]
        ],
    }
    return {relation: sorted(rows, key=repr) for relation, rows in said.items()}


@pytest.fixture
def log(database_url: str) -> Iterator[PostgresEventLog]:
    """A coordinator stream in a database of the test's own."""
    with PostgresEventLog.create(database_url, STREAM) as log:
        log.append([config_set("job.name", "orders")])
        yield log


def test_managers_and_relations_say_the_same(database_url: str, log: PostgresEventLog) -> None:
    seen: set[str] = set()
    with CoordinatorStreamStore(log) as store, PostgresSource(database_url) as source:
        for step in STEPS:
            step(store, log)
            assert follow_once(database_url, source, STREAM.stream_name).failures == {}
            said = shown_by_managers(store)
            for relation, columns in QUERIES.items():
                rows = shown(database_url, f"select {columns} from coordinator.{relation}")
                assert (relation, sorted(rows, key=repr)) == (relation, said[relation])
            seen.update(relation for relation, rows in said.items() if rows)
    assert seen == set(QUERIES)
