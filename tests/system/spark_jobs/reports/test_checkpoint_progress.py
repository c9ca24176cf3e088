"""The whole report: what it writes, prints and draws."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.checkpoint_progress import MOST_BUCKETS, cells, report, width_for
from spark_jobs.reports.report import Result, write_report
from tests.builders import checkpoint_v1, checkpoint_v2, config_set
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.spark_jobs.fleet import START, at

PNG: Final = b"\x89PNG\r\n\x1a\n"
BROKEN: Final = """
ALTER VIEW coordinator.checkpoint_history RENAME TO renamed;
CREATE VIEW coordinator.checkpoint_history AS
SELECT * FROM coordinator.renamed WHERE 1 / (log_offset - log_offset) > 0;
"""
CENTURY: Final = 36_525 * 86_400


def ms(seconds: float) -> int:
    return int(at(seconds).timestamp() * 1_000)


def commit(task: str, seconds: float, offsets: Mapping[int, object]) -> NewEvent:
    return checkpoint_v1(task, {f"kafka.views.{p}": str(offset) for p, offset in offsets.items()}, at=ms(seconds))


def two_tasks() -> list[NewEvent]:
    """Task 0 advances by 10 offsets per second until 60 s; task 1 rewinds at 20 s and stops advancing at 30 s."""
    events = []
    for second in range(0, 61, 5):
        events.append(commit("Partition 0", second, {0: 10 * second}))
        events.append(checkpoint_v2("Partition 0", {"kafka.views.0": "7"}, at=ms(second)))  # not the preferred version
        events.append(commit("Partition 1", second, {1: {20: 5}.get(second, min(second, 30)), 9: "not a number"}))
    return events


def import_job(url: str, name: str, checkpoints: Sequence[NewEvent]) -> None:
    """A job with these commits, whose log_time ends at 65 s."""
    with connect(url) as connection:
        ImportedJob(connection, name, coordinator=[config_set(at=ms(65))], checkpoints=checkpoints)


@pytest.fixture
def job_url(database_url: str) -> str:
    import_job(database_url, "counts", two_tasks())
    return database_url


def run_job(
    spark: SparkSession, url: str, output: Path, *, bucket: int | None = None, stall: float = 3, **options: Any
) -> Result:
    return write_report(report(bucket, stall), spark, url, str(output), **options)


def parquet(spark: SparkSession, path: Path, *order: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in spark.read.parquet(str(path)).orderBy(*order).collect()]


@pytest.mark.spark
def test_the_report_has_the_progress_of_each_task(
    spark: SparkSession, job_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/none/python")  # executors may have none
    written = run_job(spark, job_url, tmp_path / "out", bucket=20, partitions=4)
    steady, standing = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert (steady["commits"], steady["advanced"], steady["rewound"], steady["stall"]) == (13, 600, 0, None)
    assert (standing["commits"], standing["advanced"], standing["rewound"]) == (13, 15 + 25, 10)
    assert standing["stall"] == "no-advance"
    assert steady["checkpoint_age_seconds"] == standing["checkpoint_age_seconds"] == 5.0
    assert steady["median_gap_seconds"] == 5.0
    rows = parquet(spark, tmp_path / "out" / "progress", "task_name", "bucket_start")
    assert [(row["task_name"], row["commits"], row["advanced"], row["rewound"]) for row in rows] == [
        ("Partition 0", 4, 150, 0),
        ("Partition 0", 4, 200, 0),
        ("Partition 0", 4, 200, 0),
        ("Partition 0", 1, 50, 0),
        ("Partition 1", 4, 15, 0),
        ("Partition 1", 4, 20 + 5, 10),
        ("Partition 1", 4, 0, 0),
        ("Partition 1", 1, 0, 0),
    ]
    assert written.title == "Checkpoint progress of all jobs as of 2026-03-01 12:01:05 UTC"
    assert written.positions["__samza_checkpoint_ver_1_for_counts_1", 1] == 39
    assert [row["stall"] for row in written.rows] == [None, "no-advance"]
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert [log["next_offset"] for log in about["logs"]] == [39, 1]
    assert (tmp_path / "out" / "checkpoint_progress.png").read_bytes().startswith(PNG)


@pytest.mark.spark
def test_a_report_of_one_job_may_count_ages_to_another_time(spark: SparkSession, job_url: str, tmp_path: Path) -> None:
    import_job(job_url, "others", [commit("Partition 0", second, {0: 1}) for second in range(3)])
    run_job(spark, job_url, tmp_path / "all")
    assert len(parquet(spark, tmp_path / "all" / "tasks", "job_name")) == 3
    run_job(spark, job_url, tmp_path / "out", job="counts/1", now=at(60) + timedelta(hours=1))
    tasks = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert [(row["checkpoint_age_seconds"], row["stall"]) for row in tasks] == [(3600.0, "silent")] * 2
    assert len(json.loads((tmp_path / "out" / "as_of.json").read_text())["logs"]) == 2


@pytest.mark.spark
def test_commits_with_an_implausible_time_are_left_out_and_reported(
    spark: SparkSession, database_url: str, tmp_path: Path
) -> None:
    before, after = (commit("Partition 0", seconds, {0: 0}) for seconds in (-CENTURY, CENTURY))
    import_job(database_url, "counts", [before, *two_tasks(), after])
    written = run_job(spark, database_url, tmp_path / "out")
    steady, standing = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert (standing["commits"], standing["stall"], standing["checkpoint_age_seconds"]) == (13, "no-advance", 5.0)
    assert (steady["commits"], steady["advanced"], steady["rewound"]) == (15, 600, 600)
    assert (steady["checkpoint_age_seconds"], steady["median_gap_seconds"]) == (5.0, 5.0)
    starts = {row["bucket_start"] for row in parquet(spark, tmp_path / "out" / "progress", "bucket_start")}
    assert len(starts - {None}) == 13  # one per 5 s
    assert written.note.startswith("2 commits have no usable record time")
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert (about["commits_without_usable_time"], about["bucket_seconds"]) == (2, 2)


@pytest.mark.spark
def test_a_failed_read_has_a_short_message_and_no_output(spark: SparkSession, job_url: str, tmp_path: Path) -> None:
    with psycopg.connect(job_url) as connection:
        connection.execute(BROKEN)
    with pytest.raises(SparkJobError, match="Spark cannot read") as refusal:
        run_job(spark, job_url, tmp_path / "out")
    assert "\n" not in str(refusal.value)
    assert "division by zero" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@given(
    st.integers(min_value=-40 * 365 * 86_400, max_value=40 * 365 * 86_400),
    st.floats(min_value=0, max_value=20 * 365 * 86_400),
)
def test_a_span_has_at_most_60_buckets(first: int, seconds: float) -> None:
    start = START + timedelta(seconds=first)
    last = start + timedelta(seconds=seconds)
    width = width_for(start, last)
    assert int(last.timestamp()) // width - int(start.timestamp()) // width + 1 <= MOST_BUCKETS


def test_a_short_span_has_narrow_buckets() -> None:
    assert width_for(START, START + timedelta(seconds=95)) == 2
    assert width_for(None, None) == 1


def test_the_picture_skips_commits_without_a_time_and_other_tasks(
    spark: SparkSession, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.draw_heat_map", lambda _, *values: drawn.extend(values))
    monkeypatch.setattr("spark_jobs.reports.report.MOST_ROWS", 2)
    import_job(database_url, "counts", [*two_tasks(), commit("Partition 0", CENTURY, {0: 700})])
    import_job(database_url, "late", [commit("Partition 0", 64, {0: 1})])
    run_job(spark, database_url, tmp_path / "out", bucket=20, stall=3)
    title, seconds, tasks, cells = drawn
    assert title.endswith("2026-03-01 12:01:05 UTC, the first 2 of 3")
    assert (seconds, tasks) == (20, {"counts/1 Partition 0": False, "counts/1 Partition 1": True})
    steady, standing = ([cell[1:] for cell in cells if cell.task == task] for task in tasks)
    assert sorted(steady) == [(at(0), 150, 0), (at(20), 200, 0), (at(40), 200, 0), (at(60), 50, 0)]
    assert sorted(standing) == [(at(0), 15, 0), (at(20), 25, 10), (at(40), 0, 0), (at(60), 0, 0)]


def test_a_row_shows_spans_and_unknown_values() -> None:
    times = {"newest_commit_at": at(55), "stalled_since": at(25), "checkpoint_age_seconds": 5.0}
    task = {"job_name": "counts", "job_id": "1", "task_name": "Partition 0", "stall": "no-advance"}
    row = {**task, **times, "commits": 7, "advanced": None, "rewound": 0, "median_gap_seconds": None}
    assert list(cells(row).values()) == ["counts/1 Partition 0", 7, "?", 0, "5.0s ago", "", "no-advance 35.0s"]
