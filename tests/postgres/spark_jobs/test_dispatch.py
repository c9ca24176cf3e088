import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.postgres.connection import connect
from spark_jobs.dispatch import Progress, default_tasks, pack, shown_progress
from spark_jobs.log_task import LogTask
from tests.fixtures.waiting import wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@given(st.lists(st.integers(0, 1_000), max_size=60), st.integers(1, 20))
def test_the_heaviest_items_come_first_and_bins_differ_by_at_most_one(weights: list[int], bins: int) -> None:
    packed = pack(weights, bins)
    assert sorted(number for numbers in packed for number in numbers) == list(range(len(weights)))
    assert (len(packed), all(packed)) == (min(bins, len(weights)), True)
    heavy = [[max(weights[number], 1) for number in numbers] for numbers in packed]
    loads = [sum(each) for each in heavy]
    assert loads == sorted(loads, reverse=True)
    assert all(each == sorted(each, reverse=True) for each in heavy)
    assert not loads or loads[0] - loads[-1] <= max(map(max, heavy))


@pytest.mark.parametrize(
    ("weights", "tasks"),
    [([], 4), ([1] * 100, 4), ([100_000] * 4, 4), ([250_000, 250_000], 5), ([1_000] * 2_800, 28), ([4_000_000], 32)],
)
def test_few_events_get_fewer_tasks_but_one_per_core(weights: list[int], tasks: int) -> None:
    session = cast("SparkSession", SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=4)))
    log_tasks = [LogTask(weight, repr) for weight in weights]
    assert default_tasks(session, log_tasks) == tasks


def test_progress_names_logs_percent_and_time_left_and_counts_a_repeated_task_once() -> None:
    progress = Progress(1_000, 20_000)
    assert progress.describe(0) == "0 of 1,000 logs, 0 %"
    for payload in ("[0, 40, 1000]", "[3, 60, 4000]", "[3, 1, 10]", "no json", "{}"):
        progress.take(payload)
    assert progress.describe(10) == "100 of 1,000 logs, 25 %, 30 seconds left"


def test_notifications_are_shown(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("spark_jobs.dispatch.LINE_SECONDS", 0.01)
    channel, shown = "coordstream_spark_0", []
    with connect(database_url) as connection, shown_progress(database_url, channel, Progress(10, 100)):

        def is_shown() -> bool:
            connection.execute("select pg_notify(%s, '[0, 5, 50]')", (channel,))
            shown.append(capsys.readouterr().err)
            return "5 of 10 logs" in shown[-1]

        wait_until(is_shown, what="the progress")
    assert re.search(r"5 of 10 logs, 50 %, .* left\n", shown[-1])


def test_without_a_connection_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("postgresql://u@127.0.0.1:1/d", "coordstream_spark_0", Progress(1, 1)):
        pass
    assert capsys.readouterr().err == ""
