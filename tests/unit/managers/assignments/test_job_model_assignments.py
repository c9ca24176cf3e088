"""JobModelAssignments: saving the assignments of a job model, and reading the previous ones."""

from collections.abc import Mapping
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import decode_key
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import (
    JobModelAssignments,
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
)
from managers.job_facts import ChangelogRemapped
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_names import ACTIVE, STANDBY, TaskMode
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import config_set, task_container, task_mode, task_partition
from tests.contracts.event_log import STREAM, clock
from tests.fixtures.managers.watched_log import RecordingLog

FLUSH_MS: Final = 50

Deleted = list[tuple[str, str]]


def page_views(partition: int) -> SystemStreamPartition:
    return SystemStreamPartition("kafka", "page-views", partition)


def task(name: str, *partitions: int, changelog: int = 0, mode: TaskMode = ACTIVE) -> TaskModel:
    return TaskModel(name, frozenset(map(page_views, partitions)), changelog, mode)


def job_model(containers: Mapping[str, list[TaskModel]]) -> JobModel:
    return JobModel(
        {}, {each: ContainerModel(each, {one.task_name: one for one in containers[each]}) for each in containers}
    )


def simple(tasks: int, containers: int = 2, *, standby: int = 0, each: int = 1) -> JobModel:
    """A model whose tasks read so many partitions each, assigned round-robin, and standby tasks for the first ones."""
    dealt: dict[str, list[TaskModel]] = {}
    for number in range(tasks):
        read = range(number, tasks * each, tasks)
        dealt.setdefault(str(number % containers), []).append(task(f"Partition {number}", *read, changelog=number))
        if number < standby:
            waiting = task(f"Standby-Partition {number}-0", *read, changelog=number, mode=STANDBY)
            dealt.setdefault(f"{number % containers}-0", []).append(waiting)
    return job_model(dealt)


def shown(store: CoordinatorStreamStore) -> dict[str, object]:
    tasks = TaskAssignmentManager(store)
    return {
        "changelogs": ChangelogPartitionManager(store).read_change_log_partition_mapping(),
        "containers": tasks.read_task_assignment(),
        "modes": tasks.read_task_modes(),
        "partitions": TaskPartitionAssignmentManager(store).read_task_partition_assignments(),
    }


def expected(model: JobModel) -> dict[str, object]:
    readers: dict[SystemStreamPartition, tuple[str, ...]] = {}
    for one in sorted(model.tasks.values()):
        for partition in one.partitions:
            readers[partition] = (*readers.get(partition, ()), one.task_name)
    return {
        "changelogs": {one.task_name: one.changelog_partition for one in model.tasks.values()},
        "containers": {name: each.processor_id for each in model.containers.values() for name in each.tasks},
        "modes": {one.task_name: one.task_mode for one in model.tasks.values()},
        "partitions": readers,
    }


def deletes(log: EventLog, since: int) -> Deleted:
    keys = [decode_key(event.key) for event in log.read(since) if event.value is None]
    return [(key.message_type, key.key) for key in keys]


@pytest.fixture
def assignments(coordinator_store: CoordinatorStreamStore) -> JobModelAssignments:
    return JobModelAssignments(coordinator_store)


@pytest.mark.parametrize("standby", [0, 1, 3])
@pytest.mark.scenario("TAM-11")
def test_new_standby_tasks_delete_only_previous_standby_tasks(
    assignments: JobModelAssignments, coordinator_store: CoordinatorStreamStore, coordinator_log: EventLog, standby: int
) -> None:
    assignments.save(simple(4, standby=2))
    before = coordinator_log.end_offset()
    assignments.save(simple(4, standby=standby))
    found, model = shown(coordinator_store), expected(simple(4, standby=standby))
    for kind in ("containers", "modes", "partitions"):
        assert found[kind] == model[kind]
    assert {key for _, key in deletes(coordinator_log, before)} == {"Standby-Partition 0-0", "Standby-Partition 1-0"}


@pytest.mark.scenario("TAM-13")
def test_only_active_tasks_are_in_the_previous_assignment(
    assignments: JobModelAssignments, coordinator_log: EventLog
) -> None:
    assert assignments.read_previous().task_containers == {}
    coordinator_log.append(
        [
            *(task_container("active", "0"), task_mode("active", "Active")),
            *(task_container("standby", "0-0"), task_mode("standby", "Standby")),
            task_container("without a mode", "1"),
            task_partition("kafka.page-views.0", "active", "standby"),
            task_partition("kafka.page-views.1", "without a mode", "active"),
            task_partition("kafka.page-views.2", "standby"),
        ]
    )
    previous = assignments.read_previous()
    assert previous.task_containers == {"active": "0", "without a mode": "1"}
    assert previous.task_partitions == {"active": {page_views(0), page_views(1)}, "without a mode": {page_views(1)}}


@pytest.mark.scenario("HRD-29")
def test_a_large_model_is_saved_in_a_few_writes() -> None:
    log = RecordingLog()
    with CoordinatorStreamStore(log) as store:
        for _ in range(2):
            log.calls.clear()
            JobModelAssignments(store).save(simple(1_000, 20))
            appends = [call for call in log.calls if call.startswith("append")]
            assert len(appends) * FLUSH_MS < 1_000
        assert shown(store) == expected(simple(1_000, 20))


def test_a_moved_changelog_partition_is_refused_before_anything_is_written(
    assignments: JobModelAssignments, coordinator_log: EventLog
) -> None:
    assignments.save(simple(2))
    end = coordinator_log.end_offset()
    moved = job_model({"0": [task("Partition 0", 0, changelog=0), task("Partition 1", 1, changelog=5)]})
    with pytest.raises(ChangelogRemapped) as refused:
        assignments.save(moved)
    assert refused.value.changes == (("Partition 1", 1, 5),)
    assert coordinator_log.end_offset() == end


@pytest.mark.parametrize(
    ("last", "new"),
    [(simple(3, standby=1), simple(5, standby=2)), (simple(5), simple(2)), (simple(2, standby=2, each=2), simple(2))],
    ids=["more tasks", "fewer tasks", "no standby tasks and fewer partitions"],
)
def test_the_next_save_completes_an_interrupted_one(last: JobModel, new: JobModel) -> None:
    whole = MemoryEventLog(STREAM, clock=clock)
    with CoordinatorStreamStore(whole) as store:
        JobModelAssignments(store).save(last)
        before = whole.end_offset()
        JobModelAssignments(store).save(new)
        right = shown(store)
    assert right["partitions"] == expected(new)["partitions"]
    events = [NewEvent(event.key, event.value) for event in whole.read()]
    for cut in range(before, len(events) + 1):
        log = MemoryEventLog(STREAM, clock=clock)
        log.append([config_set(), *events[:cut]])
        with CoordinatorStreamStore(log) as store:
            numbers = ChangelogPartitionManager(store).read_change_log_partition_mapping()
            assert numbers.items() <= dict(right["changelogs"]).items()  # type: ignore[call-overload]
            if not JobModelAssignments(store).are_saved(new):
                JobModelAssignments(store).save(new)
            assert shown(store) == right
