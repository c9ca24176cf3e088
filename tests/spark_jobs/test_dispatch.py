from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.dispatch import default_tasks, pack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_jobs.log_task import LogTask

WEIGHTS = st.lists(st.integers(0, 1_000), max_size=60)


@given(WEIGHTS, st.integers(1, 20))
def test_each_item_is_in_one_bin_and_no_bin_is_empty(weights: list[int], bins: int) -> None:
    packed = pack(weights, bins)
    assert sorted(number for numbers in packed for number in numbers) == list(range(len(weights)))
    assert len(packed) == min(bins, len(weights))
    assert all(packed)


@given(WEIGHTS, st.integers(1, 20))
def test_the_heaviest_come_first_and_bins_differ_by_at_most_one_item(weights: list[int], bins: int) -> None:
    heavy = [max(weight, 1) for weight in weights]
    packed = [[heavy[number] for number in numbers] for numbers in pack(weights, bins)]
    loads = [sum(bin_) for bin_ in packed]
    assert loads == sorted(loads, reverse=True)
    assert all(bin_ == sorted(bin_, reverse=True) for bin_ in packed)
    assert not loads or loads[0] - loads[-1] <= max(heavy)


def test_a_few_large_logs_do_not_share_a_bin() -> None:
    assert pack([5, 900, 5, 1_000, 5, 800], 3) == [[3], [1], [5, 0, 2, 4]]


@pytest.mark.parametrize(
    ("weights", "tasks"),
    [([], 4), ([1] * 100, 4), ([100_000] * 4, 4), ([250_000, 250_000], 5), ([1_000] * 2_800, 28), ([4_000_000], 32)],
)
def test_few_events_get_fewer_tasks_but_one_per_core(weights: list[int], tasks: int) -> None:
    session = cast("SparkSession", SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=4)))
    log_tasks = cast("list[LogTask]", [SimpleNamespace(weight=weight) for weight in weights])
    assert default_tasks(session, log_tasks) == tasks
