"""Which tasks and containers read which partitions."""

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.job_models.grouping import (
    INPUT_EXPANSION,
    group_by_container_count,
    keep_tasks,
    keeps_tasks,
)
from managers.job_models.job_model import ContainerModel, TaskModel

ROCKS_DB = "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"
IN_MEMORY = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"


def partition_of(stream: str, number: int) -> SystemStreamPartition:
    return SystemStreamPartition("kafka", stream, number)


def stream(name: str, count: int) -> set[SystemStreamPartition]:
    return {partition_of(name, number) for number in range(count)}


def by_task(count: int, *, moved: dict[str, set[int]] | None = None) -> dict[str, frozenset[SystemStreamPartition]]:
    """The partitions of stream ``in`` by task; arguments override the default."""
    numbers = {f"Partition {at}": {at} for at in range(count)} | (moved or {})
    return {name: frozenset(partition_of("in", number) for number in found) for name, found in numbers.items() if found}


def test_a_partition_stays_with_a_task_of_another_name() -> None:
    previous = {"mine": frozenset({partition_of("in", 1)}), "Partition 0": frozenset({partition_of("in", 0)})}
    assert keep_tasks(by_task(2), previous, ()) == previous


@pytest.mark.parametrize(
    ("config", "keeps"),
    [
        ({}, False),
        ({"stores.counts.factory": ROCKS_DB}, True),
        ({"stores.counts.factory": ROCKS_DB, INPUT_EXPANSION: "false"}, False),
        ({"stores.counts.factory": IN_MEMORY}, False),
        ({"stores.counts.factory": IN_MEMORY, "stores.more.factory": ROCKS_DB}, True),
        ({"stores.counts.changelog": "kafka.counts", "stores.counts.side.inputs.processor.factory": "x.Y"}, False),
    ],
)
def test_tasks_with_state_keep_their_partitions(config: dict[str, str], keeps: bool) -> None:
    assert keeps_tasks(config) == keeps


def test_a_count_that_is_not_a_multiple_is_refused() -> None:
    with pytest.raises(
        ConfigError,
        match=r"kafka\.in has 6 partitions, which is not a multiple of the previous 4: .*\.input\.expansion\.enabled",
    ):
        keep_tasks(by_task(6), by_task(4), ())


def tasks(count: int) -> list[TaskModel]:
    return [
        TaskModel(f"Partition {at}", frozenset({SystemStreamPartition("kafka", "in", at)}), at) for at in range(count)
    ]


def numbers(containers: list[ContainerModel]) -> list[list[int]]:
    assert [container.processor_id for container in containers] == [str(at) for at in range(len(containers))]
    return [[int(name.removeprefix("Partition ")) for name in container.tasks] for container in containers]


def grouped(count: int, containers: int, previous: dict[int, str] | None = None) -> list[list[int]]:
    had = {f"Partition {at}": container for at, container in (previous or {}).items()}
    return numbers(group_by_container_count(tasks(count), containers, had))


def test_more_containers_take_the_last_tasks_of_those_that_have_too_many() -> None:
    had = {0: "0", 2: "0", 4: "0", 6: "0", 1: "1", 3: "1", 5: "1", 7: "1"}
    assert grouped(8, 3, had) == [[0, 2, 4], [1, 3, 5], [6, 7]]
    assert grouped(8, 4, had) == [[0, 2], [1, 3], [6, 4], [7, 5]]


def test_tasks_of_removed_containers_move_to_those_with_too_few() -> None:
    had = {0: "0", 2: "0", 4: "0", 1: "1", 3: "1", 5: "1", 6: "2", 7: "2"}
    assert grouped(8, 2, had) == [[0, 2, 4, 7], [1, 3, 5, 6]]


def test_more_containers_than_tasks_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"2 containers but only 1 tasks\. Set job\.container\.count to 1 or less"):
        grouped(1, 2)
    with pytest.raises(ConfigError, match=r"The job has no tasks, .* Check task\.inputs"):
        grouped(0, 1)
