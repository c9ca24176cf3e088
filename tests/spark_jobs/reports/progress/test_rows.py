"""Results read back from Parquet."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs.reports.progress.rows import bucket_rows, count_tasks, notable_tasks
from spark_jobs.reports.progress.transforms import PROGRESS
from tests.spark_jobs.plain_relations import START, at

pytestmark = pytest.mark.spark

TASKS = (
    "job_name string, job_id string, task_name string, commits bigint, advanced bigint, rewound bigint,"
    " checkpoint_age_seconds double, median_gap_seconds double, stall string, stalled_since timestamp"
)
TYPES = ("string", "string", "string", "timestamp", "bigint", "bigint", "bigint")


@pytest.fixture
def tasks(spark: SparkSession, tmp_path: Path) -> str:
    stalls = {2: ("no-advance", at(-3))}
    rows = [("counts", "1", f"Partition {n}", 5, 10, 0, float(n), 1.0, *stalls.get(n, (None, None))) for n in range(12)]
    spark.createDataFrame(rows, TASKS).write.parquet(str(tmp_path / "tasks"))
    return str(tmp_path / "tasks")


def test_notable_tasks_are_the_stalled_ones_then_those_with_the_oldest_checkpoint(
    spark: SparkSession, tasks: str
) -> None:
    assert count_tasks(spark, tasks) == 12
    kept = notable_tasks(spark, tasks, 3)
    assert [task.task_name for task in kept] == ["Partition 2", "Partition 10", "Partition 11"]
    assert [task.stalled_since for task in kept] == [at(-3), None, None]


def test_buckets_are_sorted_by_time_and_skip_commits_without_one(
    spark: SparkSession, tasks: str, tmp_path: Path
) -> None:
    times = [at(20), START, None, at(10)]
    rows = [("counts", "1", f"Partition {n}", time, 1, 5, None) for n in (2, 3) for time in times]
    schema = ", ".join(f"{name} {kind}" for name, kind in zip(PROGRESS, TYPES, strict=True))
    spark.createDataFrame(rows, schema).write.parquet(str(tmp_path / "progress"))
    kept = notable_tasks(spark, tasks, 1)
    found, width = bucket_rows(spark, str(tmp_path / "progress"), kept, 10)
    ((task, buckets),) = found.items()
    assert width == 10
    assert task.task_name == "Partition 2"
    assert [bucket.start for bucket in buckets] == [START, at(10), at(20)]
    assert [(bucket.commits, bucket.advanced, bucket.rewound) for bucket in buckets] == [(1, 5, 0)] * 3


def test_buckets_of_a_second_over_a_month_are_joined(spark: SparkSession, tasks: str, tmp_path: Path) -> None:
    month = 30 * 86_400
    rows = [("counts", "1", "Partition 2", at(second), 1, 5, None) for second in (0, 1, month // 2, month - 1)]
    schema = ", ".join(f"{name} {kind}" for name, kind in zip(PROGRESS, TYPES, strict=True))
    spark.createDataFrame(rows, schema).write.parquet(str(tmp_path / "progress"))
    found, width = bucket_rows(spark, str(tmp_path / "progress"), notable_tasks(spark, tasks, 1), 1)
    ((_, buckets),) = found.items()
    assert width == 7_200
    assert [(bucket.commits, bucket.advanced) for bucket in buckets] == [(2, 10), (1, 5), (1, 5)]
    assert found.keys() == set(notable_tasks(spark, tasks, 1))


def test_tasks_without_a_usable_time_have_no_buckets(spark: SparkSession, tasks: str, tmp_path: Path) -> None:
    schema = ", ".join(f"{name} {kind}" for name, kind in zip(PROGRESS, TYPES, strict=True))
    spark.createDataFrame([("counts", "1", "Partition 2", None, 1, 5, 0)], schema).write.parquet(
        str(tmp_path / "progress")
    )
    kept = notable_tasks(spark, tasks, 1)
    assert bucket_rows(spark, str(tmp_path / "progress"), kept, 60) == ({kept[0]: []}, 60)
