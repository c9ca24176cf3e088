"""The progress of tasks, on small examples and compared with plain Python."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_jobs.reports.checkpoint_progress import PROGRESS
from spark_jobs.reports.progress import activity, task_progress
from tests.fixtures.spark_jobs.fleet import START, at

COMMITS = "job_name string, job_id string, task_name string, record_time timestamp, incarnation int, log_offset bigint"
CHECKPOINTS = (
    f"{COMMITS}, system_name string, stream_name string, partition_id int, key_bucket int, input_offset_number bigint"
)

Offsets = Mapping[int, int | None]
Made = tuple[str, float | None, Offsets]


def frames(spark: SparkSession, made: Iterable[Made], incarnation: int = 1) -> tuple[DataFrame, DataFrame]:
    """Commits and checkpoints of one job. The rows are shuffled: only log_offset has the order."""
    commits: list[tuple[Any, ...]] = []
    checkpoints: list[tuple[Any, ...]] = []
    for log_offset, (task, seconds, offsets) in enumerate(made):
        time = None if seconds is None else at(seconds)
        commits.append(("counts", "1", task, time, incarnation, log_offset))
        checkpoints += [(*commits[-1], "kafka", "views", p, -1, offset) for p, offset in offsets.items()]
    random.Random(5).shuffle(checkpoints)
    return spark.createDataFrame(commits, COMMITS), spark.createDataFrame(checkpoints, CHECKPOINTS)


def summary(
    spark: SparkSession, made: Iterable[Made], as_of: float = 0, bucket: int = 1, factor: float = 3
) -> dict[str, dict[str, Any]]:
    commits, checkpoints = frames(spark, made)
    tasks = task_progress(activity(commits, checkpoints, bucket), commits, at(as_of), bucket, factor)
    return {row.task_name: row.asDict() for row in tasks.collect()}


def counted(task: dict[str, Any]) -> tuple[int, int, int]:
    return task["commits"], task["advanced"], task["rewound"]


def test_steps_are_counted_by_partition_and_direction_without_offsets_that_are_no_numbers(spark: SparkSession) -> None:
    made: list[Made] = [("a", 0, {0: 10}), ("a", 1, {0: 15}), ("a", 2, {0: 15}), ("a", 3, {0: 3}), ("a", 4, {0: 4})]
    made += [("b", 0, {0: 1, 1: 100}), ("b", 1, {0: None, 1: 101}), ("b", 2, {0: 4}), ("c", 3, {0: 50})]
    made += [("far", 0, {0: -(2**63)}), ("far", 1, {0: 2**63 - 1})]  # the difference is beyond bigint
    tasks = summary(spark, made)
    assert [counted(tasks[name]) for name in ("a", "b", "c", "far")] == [(5, 6, 12), (3, 4, 0), (1, 0, 0), (2, 0, 0)]


def test_steps_continue_across_incarnations(spark: SparkSession) -> None:
    commits, old = frames(spark, [("a", 0, {0: 1}), ("a", 1, {0: 5})])
    new = frames(spark, [("a", 2, {0: 8})], incarnation=2)[1]
    assert sorted(row.advanced for row in activity(commits, old.unionByName(new), 1).collect()) == [0, 3, 4]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York"])
def test_buckets_are_counted_in_utc_whatever_the_session_zone(spark: SparkSession, zone: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    rows = activity(*frames(spark, [("a", second, {}) for second in (-1e-6, 0, 3599.999999)]), 3600)
    starts = rows.selectExpr("unix_seconds(bucket_start) as start").collect()
    assert sorted(row.start - int(START.timestamp()) for row in starts) == [-3600, 0]


def test_progress_equals_plain_python(spark: SparkSession) -> None:
    dice = random.Random(11)
    made: list[Made] = [
        (f"task {dice.randint(0, 3)}", second / 2, {p: dice.randint(0, 50) for p in range(dice.randint(0, 4))})
        for second in range(200)
    ]
    commits, checkpoints = frames(spark, made)
    table = activity(commits, checkpoints, 7).select(*PROGRESS)
    rows = table.withColumn("bucket_start", sf.unix_seconds("bucket_start") - int(START.timestamp())).collect()
    assert {(row.task_name, row.bucket_start): tuple(row[4:]) for row in rows} == progress_in_python(made, 7)


def progress_in_python(made: Iterable[Made], width: int) -> dict[tuple[str, int], tuple[int, int, int]]:
    last: dict[tuple[str, int], int] = {}
    counted: dict[tuple[str, int], tuple[int, int, int]] = {}
    start = int(START.timestamp())
    for task, seconds, offsets in made:
        steps = [offset - last.get((task, p), offset) for p, offset in offsets.items() if offset is not None]
        last |= {(task, p): offset for p, offset in offsets.items() if offset is not None}
        bucket = (task, int(start + (seconds or 0)) // width * width - start)
        commits, advanced, rewound = counted.get(bucket, (0, 0, 0))
        advanced += sum(step for step in steps if step > 0)
        counted[bucket] = (commits + 1, advanced, rewound - sum(step for step in steps if step < 0))
    return counted


def test_a_commit_without_a_usable_time_is_counted_without_a_bucket(spark: SparkSession) -> None:
    made: list[Made] = [("a", 0, {0: 1}), ("a", None, {0: 5}), ("a", 2, {0: 6})]
    commits, checkpoints = frames(spark, made)
    rows = activity(commits, checkpoints, 10).collect()
    assert {row.bucket_start is None: (row.commits, row.advanced) for row in rows} == {False: (2, 1), True: (1, 4)}
    assert summary(spark, made, 3)["a"]["advanced"] == 5


def test_a_silent_task_stalls_since_its_last_commit(spark: SparkSession) -> None:
    made: list[Made] = [(task, second, {0: second}) for second in range(6) for task in ("a", "b")]
    made += [("a", second, {0: second}) for second in range(6, 20)]
    tasks = summary(spark, made, as_of=20)
    assert (tasks["a"]["stall"], tasks["a"]["checkpoint_age_seconds"], tasks["a"]["median_gap_seconds"]) == (None, 1, 1)
    assert (tasks["b"]["stall"], tasks["b"]["checkpoint_age_seconds"]) == ("silent", 15)
    assert tasks["b"]["stalled_since"] == tasks["b"]["newest_commit_at"]


def test_a_task_that_commits_the_same_offsets_stalls_while_others_advance(spark: SparkSession) -> None:
    made: list[Made] = [(t, s, {0: s if t == "a" else min(s, 5)}) for s in range(12) for t in ("a", "b")]
    tasks = summary(spark, made, as_of=12)
    assert (tasks["a"]["stall"], tasks["b"]["stall"]) == (None, "no-advance")
    assert tasks["b"]["stalled_since"] == tasks["b"]["last_advance_at"]


def test_no_task_stalls_if_none_advances_or_the_limit_is_long(spark: SparkSession) -> None:
    still: list[Made] = [(t, s, {0: 7}) for s in range(12) for t in ("a", "b")]
    assert {task["stall"] for task in summary(spark, still, as_of=12).values()} == {None}
    uneven: list[Made] = [(t, s, {0: s if t == "a" else 1}) for s in range(12) for t in ("a", "b")]
    assert summary(spark, uneven, as_of=12, factor=50)["b"]["stall"] is None
    assert summary(spark, uneven, as_of=12, bucket=60)["b"]["stall"] is None


def test_a_task_with_too_few_commits_never_stalls(spark: SparkSession) -> None:
    task = summary(spark, [("a", 0, {0: 1}), ("a", 1, {0: 2})], as_of=10_000)["a"]
    assert (task["median_gap_seconds"], task["stall"], task["checkpoint_age_seconds"]) == (None, None, 9999)
