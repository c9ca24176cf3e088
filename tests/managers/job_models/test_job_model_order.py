"""The order of a job model's parts in JSON."""

import pytest

from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.job_model_order import (
    OrderedContainers,
    config_order,
    insertion_order,
    json_order,
    metadata_order,
    partition_hash,
)


def partition(stream: str, number: int) -> SystemStreamPartition:
    return SystemStreamPartition("kafka", stream, number)


def task(name: str, *partitions: SystemStreamPartition) -> TaskModel:
    return TaskModel(name, frozenset(partitions), 0)


def model(*tasks: TaskModel, config: dict[str, str] | None = None) -> JobModel:
    return JobModel(config or {}, {"0": ContainerModel("0", {each.task_name: each for each in tasks})})


def order(read: JobModel, task_name: str) -> list[str]:
    ((_, tasks),) = json_order(insertion_order(read))
    return [f"{each.stream}.{each.partition}" for each in dict(tasks)[task_name]]


def names(containers: OrderedContainers) -> list[str]:
    return [name for _, tasks in containers for name, _ in tasks]


@pytest.mark.parametrize("keys", ["da", "hai", "hacd", "habdg"])
def test_a_small_config_has_fewer_buckets_than_a_map_that_grows(keys: str) -> None:
    """The order of ``MapConfig`` in Samza 1.8.0."""
    assert config_order(sorted(keys)) == list(keys)


def test_containers_are_inserted_by_number() -> None:
    containers = {str(at): ContainerModel(str(at), {}) for at in range(12)}
    turned = insertion_order(JobModel({}, dict(reversed(containers.items()))))
    assert [key for key, _ in turned] == list(containers)
    assert [key for key, _ in json_order(turned)][:3] == ["0", "11", "1"]
    assert [key for key, _ in json_order(turned[::-1])][:3] == ["11", "0", "1"]


@pytest.mark.scenario("JCM-06")
def test_tasks_without_partitions_keep_their_order() -> None:
    read = model(*(task(f"t{at}") for at in (3, 1, 5, 2, 4)))
    assert names(json_order(insertion_order(read))) == ["t1", "t2", "t3", "t4", "t5"]


def test_the_key_bucket_is_part_of_the_hash() -> None:
    whole, first, second = (SystemStreamPartition("kafka", "in", 0, bucket) for bucket in (-1, 0, 1))
    assert partition_hash(whole) == partition_hash(first) == partition_hash(second) - 1


def test_partitions_in_a_bucket_have_the_order_of_all_inputs() -> None:
    """Of ``h`` and ``in`` the fourth partitions share one of a task's 16 buckets, and none of the 32 of all inputs."""
    alone = model(task("Partition 4", partition("h", 4), partition("in", 4)))
    assert order(alone, "Partition 4") == ["h.4", "in.4"]
    tasks = (task(f"Partition {number}", partition("h", number), partition("in", number)) for number in range(8))
    assert order(model(*tasks), "Partition 4") == ["in.4", "h.4"]


def test_partitions_in_a_bucket_of_all_inputs_have_the_order_of_metadata() -> None:
    """Of ``Z9`` and ``ad-views`` the fifth partitions share a bucket of all inputs, too."""
    streams = [("kafka", "Z9"), ("kafka", "ad-views")]
    assert metadata_order(streams) == metadata_order(streams[::-1]) == streams[::-1]
    alone = model(task("Partition 5", *(partition(stream, 5) for _, stream in streams)))
    assert order(alone, "Partition 5") == ["ad-views.5", "Z9.5"]


def test_partitions_from_an_expansion_come_last() -> None:
    """16 and 0 share a bucket."""
    read = model(task("Partition 0", partition("in", 16), partition("in", 0)), task("Partition 1", partition("in", 1)))
    assert order(read, "Partition 0") == ["in.0", "in.16"]
    apart = model(task("Partition 16", partition("in", 16), partition("in", 0)))
    assert order(apart, "Partition 16") == ["in.16", "in.0"]


def test_a_standby_task_has_the_order_of_its_active_task() -> None:
    pair = (partition("in", 16), partition("in", 0))
    read = model(task("Standby-Partition 16-0", *pair), task("Partition 16", *pair))
    assert order(read, "Standby-Partition 16-0") == order(read, "Partition 16") == ["in.16", "in.0"]


def test_broadcast_partitions_come_between_inputs_and_expansions() -> None:
    read = model(
        task("Partition 0", partition("in", 0), partition("in", 16), partition("in", 32)),
        config={"task.broadcast.inputs": "kafka.in#32"},
    )
    assert order(read, "Partition 0") == ["in.0", "in.32", "in.16"]
