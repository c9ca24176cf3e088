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
    ((task, buckets),) = bucket_rows(spark, str(tmp_path / "progress"), kept).items()
    assert task.task_name == "Partition 2"
    assert [bucket.start for bucket in buckets] == [START, at(10), at(20)]
    assert [(bucket.commits, bucket.advanced, bucket.rewound) for bucket in buckets] == [(1, 5, 0)] * 3
