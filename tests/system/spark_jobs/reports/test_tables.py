"""The tables of the reports, on small examples."""

from collections.abc import Sequence
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from pyspark.sql import SparkSession

from spark_jobs.reports import config_churn, startpoint_effects
from spark_jobs.reports.config_churn import MOST_JOBS, OTHERS, days_by_job
from tests.fixtures.spark_jobs.fleet import at

PLACE: Final = (
    "job_name string, job_id string, task_name string, system_name string, stream_name string, partition_id int,"
    " key_bucket int"
)
STEPS: Final = f"{PLACE}, startpoint_type string, startpoint_value string, status string, record_time timestamp"
OFFSET: Final = "input_offset_number bigint, record_time timestamp"
CHECKPOINTS: Final = f"{PLACE}, {OFFSET}, incarnation int, log_offset bigint"
HERE: Final = ("counts", "1", "Partition 0", "kafka", "views", 0, -1)


def effects(
    spark: SparkSession, fanned_out: Sequence[tuple[str, str | None, float]], commits: Sequence[tuple[float, int]]
) -> list[tuple[int | None, int | None, float | None]]:
    """offset_before, moved and seconds_to_catch_up of each startpoint, in order."""
    steps = [(*HERE, kind, value, "fanned_out", at(seconds)) for kind, value, seconds in fanned_out]
    steps.append((*HERE, "oldest", None, "requested", at(0)))
    made = [(*HERE, offset, at(seconds), 1, number) for number, (seconds, offset) in enumerate(commits)]
    found = startpoint_effects.effects(spark.createDataFrame(steps, STEPS), spark.createDataFrame(made, CHECKPOINTS))
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
    assert {(row.config_key, row.changes, row.jobs) for row in frames["keys"].collect()} == {
        ("a", 3, 1),
        ("b", 2, 2),
    }


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
