"""Which task reads which partitions."""

import pytest

from eventlog.errors import ConfigError
from eventlog.partition import SystemStreamPartition
from managers.job_models.grouping import (
    BY_SYSTEM_STREAM_PARTITION,
    GROUPER_FACTORY,
    INPUT_EXPANSION,
    group_partitions,
    keep_tasks,
    keeps_tasks,
    task_namer,
)

ROCKS_DB = "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"
IN_MEMORY = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"
BY_NUMBER = task_namer({})
BY_LABEL = task_namer({GROUPER_FACTORY: BY_SYSTEM_STREAM_PARTITION})


def partition(stream: str, number: int) -> SystemStreamPartition:
    return SystemStreamPartition("kafka", stream, number)


def stream(name: str, count: int) -> set[SystemStreamPartition]:
    return {partition(name, number) for number in range(count)}


def grouped(count: int, *, moved: dict[str, set[int]] | None = None) -> dict[str, frozenset[SystemStreamPartition]]:
    """The partitions of stream ``in`` by task; arguments override the default."""
    numbers = {f"Partition {at}": {at} for at in range(count)} | (moved or {})
    return {name: frozenset(partition("in", number) for number in found) for name, found in numbers.items() if found}


def test_partitions_with_the_same_number_have_the_same_task() -> None:
    groups = group_partitions(stream("a", 2) | stream("b", 3), (), BY_NUMBER)
    assert groups == {
        "Partition 0": {partition("a", 0), partition("b", 0)},
        "Partition 1": {partition("a", 1), partition("b", 1)},
        "Partition 2": {partition("b", 2)},
    }


def test_each_partition_has_its_own_task() -> None:
    groups = group_partitions(stream("a", 2), (), BY_LABEL)
    assert groups == {
        "SystemStreamPartition [kafka, a, 0]": {partition("a", 0)},
        "SystemStreamPartition [kafka, a, 1]": {partition("a", 1)},
    }


def test_an_expanded_stream_stays_with_its_tasks() -> None:
    kept = keep_tasks(grouped(8), grouped(4), ())
    assert kept == grouped(4, moved={f"Partition {at}": {at, at + 4} for at in range(4)})


def test_an_expanded_stream_stays_with_its_tasks_at_the_next_start() -> None:
    once = keep_tasks(grouped(8), grouped(4), ())
    assert keep_tasks(grouped(8), once, ()) == once


def test_a_partition_stays_with_a_task_of_another_name() -> None:
    previous = {"mine": frozenset({partition("in", 1)}), "Partition 0": frozenset({partition("in", 0)})}
    assert keep_tasks(grouped(2), previous, ()) == previous


def test_broadcast_and_new_streams_are_grouped_as_usual() -> None:
    broadcast = {partition("rules", 0)}
    previous = group_partitions(stream("in", 2), broadcast, BY_NUMBER)
    now = group_partitions(stream("in", 2) | stream("new", 2), broadcast, BY_NUMBER)
    assert keep_tasks(now, previous, broadcast) == now


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
        keep_tasks(grouped(6), grouped(4), ())
