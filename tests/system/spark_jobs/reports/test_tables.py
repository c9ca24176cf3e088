"""The tables of the reports, on small examples."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.reports import config_churn, startpoint_effects
from spark_jobs.reports.checkpoint_progress import activity, task_progress
from spark_jobs.reports.config_churn import MOST_JOBS, OTHERS, days_by_job
from tests.fixtures.spark_jobs.fleet import START, at

COMMITS: Final = (
    "job_name string, job_id string, task_name string, record_time timestamp, incarnation int, log_offset bigint"
)
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


PLACE: Final = (
    "job_name string, job_id string, task_name string, system_name string, stream_name string, partition_id int,"
    " key_bucket int"
)
STEPS: Final = f"{PLACE}, startpoint_type string, startpoint_value string, status string, record_time timestamp"
OF_COMMITS: Final = f"{PLACE}, input_offset_number bigint, record_time timestamp, incarnation int, log_offset bigint"
HERE: Final = ("counts", "1", "Partition 0", "kafka", "views", 0, -1)


def effects(
    spark: SparkSession, fanned_out: Sequence[tuple[str, str | None, float]], commits: Sequence[tuple[float, int]]
) -> list[tuple[int | None, int | None, float | None]]:
    """offset_before, moved and seconds_to_catch_up of each startpoint, in order."""
    steps = [(*HERE, kind, value, "fanned_out", at(seconds)) for kind, value, seconds in fanned_out]
    steps.append((*HERE, "oldest", None, "requested", at(0)))
    made = [(*HERE, offset, at(seconds), 1, number) for number, (seconds, offset) in enumerate(commits)]
    found = startpoint_effects.effects(spark.createDataFrame(steps, STEPS), spark.createDataFrame(made, OF_COMMITS))
    return [(row.offset_before, row.moved, row.seconds_to_catch_up) for row in found.orderBy("fanned_out_at").collect()]


def test_a_rewind_is_caught_up_at_the_offset_before(spark: SparkSession) -> None:
    commits = [(1, 50), (2, 100), (12, 20), (13, 60), (14, 100), (15, 120)]
    assert effects(spark, [("oldest", None, 10)], commits) == [(100, -80, 4.0)]
    assert effects(spark, [("specific", "5", 10)], commits) == [(100, -96, 4.0)]


def test_the_next_startpoint_ends_the_comparison(spark: SparkSession) -> None:
    commits = [(2, 100), (12, 20), (22, 5), (30, 50)]
    assert effects(spark, [("oldest", None, 10), ("oldest", None, 20)], commits) == [(100, -80, None), (20, -15, 10.0)]


def test_a_startpoint_without_commits_around_it_has_no_effect_to_show(spark: SparkSession) -> None:
    assert effects(spark, [("oldest", None, 10)], []) == [(None, None, None)]
    assert effects(spark, [("oldest", None, 10)], [(2, 100)]) == [(100, None, None)]
    assert effects(spark, [("specific", "many", 10)], [(12, 100)]) == [(None, None, None)]


CHANGES: Final = (
    "job_name string, job_id string, config_key string, previous_value string, operation string, source string,"
    " host string, username string, record_time timestamp"
)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati"])
def test_config_changes_are_counted_by_day_in_utc(spark: SparkSession, zone: str) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    rows = [
        ("counts", "1", "a", None, "set", "writer", "h", "u", at(0)),
        ("counts", "1", "a", "1", "set", "writer", "h", "u", at(60)),
        ("counts", "1", "a", "2", "delete", "writer", "h", "u", at(12 * 3600 - 1)),
        ("counts", "1", "b", None, "set", "writer", None, None, at(12 * 3600)),
        ("views", "1", "b", None, "set", "writer", "h", "u", None),
    ]
    changes = spark.createDataFrame(rows, CHANGES)
    frames = config_churn.tables(cast("Any", SimpleNamespace(read=lambda *_: changes))).frames
    counted = {tuple(row) for row in frames["changes"].collect()}
    assert counted == {
        (date(2026, 3, 1), "counts", "1", "writer", "h", "u", 3, 1, 1, 1),
        (date(2026, 3, 2), "counts", "1", "writer", None, None, 1, 1, 1, 0),
        (None, "views", "1", "writer", "h", "u", 1, 1, 1, 0),
    }
    assert {(row.config_key, row.changes, row.jobs) for row in frames["keys"].collect()} == {("a", 3, 1), ("b", 2, 2)}


def test_the_picture_of_config_changes_has_all_of_them() -> None:
    jobs = MOST_JOBS + 3
    days = [date(2026, 3, 1) - timedelta(days=day) for day in range(30)]
    rows = [
        {"day": day, "job_name": f"job-{job:02}", "job_id": "1", "changes": jobs - job}
        for job in range(jobs)
        for day in days
    ]
    counts = days_by_job(rows)
    assert list(counts) == [*(f"job-{job:02}/1" for job in range(MOST_JOBS)), OTHERS]
    assert counts["job-00/1"] == dict.fromkeys(days, jobs)
    assert counts[OTHERS] == dict.fromkeys(days, 1 + 2 + 3)
