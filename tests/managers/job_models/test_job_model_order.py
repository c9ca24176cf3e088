"""The order of a job model's parts in JSON."""

import pytest

from managers.job_models.job_model import ContainerModel, JobModel, TaskModel
from managers.job_models.job_model_order import (
    config_order,
    insertion_order,
    json_order,
)


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
