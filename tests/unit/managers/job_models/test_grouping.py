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
from managers.job_models.job_model import TaskModel

ROCKS_DB = "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory"
IN_MEMORY = "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory"


def by_task(count: int) -> dict[str, frozenset[SystemStreamPartition]]:
    return {f"Partition {at}": frozenset({SystemStreamPartition("kafka", "in", at)}) for at in range(count)}


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


def test_more_containers_than_tasks_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"2 containers but only 1 tasks\. Set job\.container\.count to 1 or less"):
        group_by_container_count([TaskModel("t", frozenset(), 0)], 2, {})
    with pytest.raises(ConfigError, match=r"The job has no tasks, .* Check task\.inputs"):
        group_by_container_count([], 1, {})
