"""ChangelogPartitionManager, and the creation of changelog streams."""

from collections.abc import Callable
from typing import cast

import pytest

from eventlog.errors import ConfigError
from eventlog.log import EventLog
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.job_facts import ChangelogError, ChangelogRemapped
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stream_creation import ChangelogStream, create_changelog_streams
from tests.fixtures.managers.noted_topics import NotedTopics
from tests.fixtures.managers.watched_log import WatchedLog, unconditional


@pytest.fixture
def manager(coordinator_store: CoordinatorStreamStore) -> ChangelogPartitionManager:
    return ChangelogPartitionManager(coordinator_store)


@pytest.mark.scenario("CLG-02", "CLG-03", "CLG-04", "CLG-08")
def test_new_tasks_get_the_next_partitions_by_name(manager: ChangelogPartitionManager) -> None:
    assert manager.read_change_log_partition_mapping() == {}
    manager.write_change_log_partition_mapping({"Partition 0": 4})
    assigned = manager.assign(f"Partition {number}" for number in range(12))
    in_order = [f"Partition {number}" for number in (0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9)]
    assert assigned == {task: 4 + number for number, task in enumerate(in_order)}
    assert manager.read_change_log_partition_mapping() == assigned


@pytest.mark.scenario("CLG-05")
def test_the_partition_of_a_removed_task_is_not_reused(manager: ChangelogPartitionManager) -> None:
    manager.write_change_log_partition_mapping({"gone": 7, "stays": 0})
    assert manager.assign(["stays", "new"]) == {"stays": 0, "new": 8}
    assert manager.read_change_log_partition_mapping() == {"gone": 7, "stays": 0, "new": 8}
    assert manager.assign(["gone"]) == {"gone": 7}


@pytest.mark.parametrize("wrapped", [WatchedLog, unconditional])
def test_tasks_that_others_assign_meanwhile_have_other_partitions(
    wrapped: Callable[[EventLog], WatchedLog], manager: ChangelogPartitionManager, coordinator_log: EventLog
) -> None:
    log = wrapped(coordinator_log)
    with CoordinatorStreamStore(log) as store:
        log.meanwhile = lambda: manager.assign(["theirs"])
        assert ChangelogPartitionManager(store).assign(["ours"]) == {"ours": 1}
        log.meanwhile = lambda: manager.write_partition_mapping({"both": 2})
        with pytest.raises(ChangelogRemapped, match="'both' from 2 to 3"):
            ChangelogPartitionManager(store).write_partition_mapping({"more": 4, "both": 3})
    assert manager.read_partition_mapping() == {"theirs": 0, "ours": 1, "both": 2}


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


def test_a_different_partition_is_refused(manager: ChangelogPartitionManager) -> None:
    manager.write_change_log_partition_mapping({"a": 1, "b": 2, "c": 3})
    changed = {"a": 1, "b": 3, "c": 2, "d": 4}
    with pytest.raises(ChangelogRemapped, match=r"partition of 'b' from 2 to 3, 'c' from 3 to 2\.") as refused:
        manager.write_change_log_partition_mapping(changed)
    assert refused.value.changes == (("b", 2, 3), ("c", 3, 2))
    assert refused.value.changes[0].old_partition == 2
    assert manager.read_change_log_partition_mapping() == {"a": 1, "b": 2, "c": 3}


def test_invalid_mappings_are_not_written(manager: ChangelogPartitionManager, coordinator_log: EventLog) -> None:
    with pytest.raises(TypeError, match="task_names must be a list of strings"):
        manager.assign("Partition 0")
    for partition in (-1, 2**31, 1.0, "1"):
        with pytest.raises(ValueError, match=f"task 'a' must be an integer from 0 to 2147483647, not {partition!r}"):
            manager.write_change_log_partition_mapping({"a": cast("int", partition)})
    assert coordinator_log.end_offset() == 0


CONFIG = {
    "stores.store0.factory": "f",
    "stores.store0.changelog": "system.stream",
    "stores.store0.accesslog.enabled": "true",
    "stores.store1.factory": "f",
}


@pytest.mark.scenario("CLG-13")
def test_each_changelog_is_created_and_checked() -> None:
    system = NotedTopics()
    made = create_changelog_streams(CONFIG, 10, {"system": system, "other": NotedTopics()})
    assert made == (
        ChangelogStream("store0", "system", "stream", is_new=True),
        ChangelogStream("store0", "system", "stream-access-log", is_new=True),
    )
    assert system.calls == [
        "create stream: 10 partitions, 2 copies, compact",
        "validate stream",
        "create stream-access-log: 10 partitions, 2 copies, the broker's",
        "validate stream-access-log",
    ]


@pytest.mark.parametrize(
    ("changelog", "system", "problem"),
    [("elsewhere.log", "elsewhere", "is 'elsewhere', which has no admin"), ("log", None, "is not configured")],
)
@pytest.mark.scenario("CLG-13")
def test_an_unknown_system_raises_before_anything_is_created(changelog: str, system: str | None, problem: str) -> None:
    known = NotedTopics()
    config = {**CONFIG, "stores.store1.changelog": changelog}
    with pytest.raises(ConfigError, match=f"changelog of store 'store1' {problem}"):
        create_changelog_streams(config, 10, {"system": known})
    assert known.calls == []


@pytest.mark.parametrize("there", [4, 16])
def test_a_wrong_number_of_partitions_is_refused(there: int) -> None:
    topics = NotedTopics(stream=there)
    with pytest.raises(ChangelogError, match=f"stream of store 'store0' has {there} partitions, but .* need 10"):
        create_changelog_streams(CONFIG, 10, {"system": topics})
