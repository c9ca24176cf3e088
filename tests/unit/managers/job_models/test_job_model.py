"""JobModel, ContainerModel and TaskModel, and their comparison."""

import pytest

from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import (
    ContainerModel,
    JobModel,
    TaskModel,
    compare_container_model_for_processor,
    compare_container_models,
)


def task(name: str, number: int = 0, changelog: int = 0) -> TaskModel:
    return TaskModel(name, frozenset({SystemStreamPartition("kafka", "in", number)}), changelog)


def model(*tasks: TaskModel) -> JobModel:
    containers = {str(at): ContainerModel(str(at), {each.task_name: each}) for at, each in enumerate(tasks)}
    return JobModel({"job.name": "orders"}, containers)


@pytest.mark.scenario("JMM-14")
def test_tasks_are_sorted_by_name() -> None:
    tasks = [task(f"Partition {number}") for number in (2, 10, 1, 0)]
    names = [each.task_name for each in sorted(tasks)]
    assert names == ["Partition 0", "Partition 1", "Partition 10", "Partition 2"]


@pytest.mark.scenario("CLG-12")
def test_a_changelog_has_one_partition_more_than_the_greatest_number() -> None:
    shared = [ContainerModel("0", {f"t{at}": task(f"t{at}", at, at) for at in range(3)})]
    shared.append(ContainerModel("1", {f"t{at}": task(f"t{at}", at, at) for at in range(3, 5)}))
    five = JobModel({}, {each.processor_id: each for each in shared})
    assert five.max_changelog_stream_partitions == 5
    assert model(task("one", changelog=7)).max_changelog_stream_partitions == 8
    assert JobModel({}, {}).max_changelog_stream_partitions == 0


@pytest.mark.scenario("JMM-10")
def test_models_are_compared_by_the_tasks_of_all_containers_or_of_one() -> None:
    one, other = model(task("a"), task("b", 1)), model(task("a"), task("b", 2))
    same = JobModel({"job.name": "another"}, model(task("a"), task("b", 1)).containers)
    more = model(task("a"), task("b", 1), task("c", 2))
    pairs = [(None, None), (one, same), (one, other), (one, more), (one, None)]
    assert [compare_container_models(*pair) for pair in pairs] == [True, True, False, False, False]
    of_one = [("0", one, other), ("1", one, other), ("2", one, more), ("0", one, None), ("0", None, None)]
    compared = [compare_container_model_for_processor(*each) for each in of_one]
    assert compared == [True, False, False, False, True]
    for processor_id in ("", " "):
        with pytest.raises(ValueError, match="processor_id must not be blank"):
            compare_container_model_for_processor(processor_id, one, one)
