"""Job models, their comparison, and the order of their parts in JSON, which is that of Java and Scala 2.12."""

import pytest

from eventlog.partition import SystemStreamPartition
from managers.job_models.job_model import (
    ContainerModel,
    JobModel,
    TaskModel,
    compare_container_model_for_processor,
    compare_container_models,
)
from managers.job_models.job_model_json import config_order, insertion_order, json_order
from managers.job_models.jvm_order import java_map_order, scala_mutable_map_order, text_hash, text_order


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


def test_an_astral_character_sorts_before_the_last_of_the_first_plane() -> None:
    assert sorted(["\uffee", "\U0001f680", "a"], key=text_order) == ["a", "\U0001f680", "\uffee"]
    assert sorted(["\uffee", "\U0001f680", "a"]) != ["a", "\U0001f680", "\uffee"]


@pytest.mark.scenario("JCM-20")
def test_the_order_of_twelve_container_ids() -> None:
    """The order of a map of twelve containers in Samza 1.8.0."""
    numbers = [str(number) for number in range(12)]
    assert java_map_order(numbers, text_hash) == ["0", "11", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


def numbered(count: int) -> list[str]:
    return [f"s{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, ""),
        (4, "s2 s1 s0 s3"),
        (12, "s5 s8 s2 s1 s4 s7 s11 s9 s0 s3 s6 s10"),
        (13, "s5 s8 s2 s12 s1 s4 s7 s11 s0 s9 s3 s6 s10"),
        (25, "s5 s8 s2 s15 s21 s24 s18 s12 s1 s4 s7 s23 s11 s14 s20 s17 s9 s0 s3 s16 s22 s6 s10 s19 s13"),
    ],
)
def test_a_scala_mutable_map_starts_with_its_last_bucket(count: int, expected: str) -> None:
    assert " ".join(scala_mutable_map_order(numbered(count), text_hash)) == expected


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
    tasks = {f"t{at}": TaskModel(f"t{at}", frozenset(), 0) for at in (3, 1, 5, 2, 4)}
    ((_, ordered),) = json_order(insertion_order(JobModel({}, {"0": ContainerModel("0", tasks)})))
    assert [name for name, _ in ordered] == ["t1", "t2", "t3", "t4", "t5"]
