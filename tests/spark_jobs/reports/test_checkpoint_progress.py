"""The whole report: what it writes, prints and draws."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pyspark
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict
from pyspark.sql import SparkSession
from rich.console import Console

import coordstream
from eventlog.postgres.connection import connect
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.checkpoint_progress import (
    COLUMNS,
    MOST_BUCKETS,
    MOST_DRAWN,
    drawn_width,
    format_width,
    report,
    width_for,
)
from spark_jobs.reports.picture import TaskRow
from spark_jobs.reports.report import Options, write_report
from tests.acceptance.odd_jobs import import_recording_a
from tests.spark_jobs.plain_relations import START, Relations, at

PNG = b"\x89PNG\r\n\x1a\n"
BROKEN = """
ALTER TABLE coordinator.checkpoint_history RENAME TO renamed;
CREATE VIEW coordinator.checkpoint_history AS
SELECT * FROM coordinator.renamed WHERE 1 / (log_offset - log_offset) > 0;
"""


@pytest.fixture
def two_tasks(relations: Relations) -> Relations:
    """Task 0 advances by 10 offsets per second until 60 s; task 1 rewinds at 20 s and stops advancing at 30 s."""
    for second in range(0, 61, 5):
        relations.commit("Partition 0", second, {0: 10 * second})
        relations.commit("Partition 0", second, {0: 10 * second}, preferred=False)
        relations.commit("Partition 1", second, {1: {20: 5}.get(second, min(second, 30)), 9: "not a number"})
    relations.add_log("counts/1", next_offset=39, newest=at(65))
    return relations


def run_job(
    spark: SparkSession, url: str, output: Path | str, *, bucket: int | None = None, stall: float = 10, **options: Any
) -> str:
    text = io.StringIO()
    write_report(report(bucket, stall), spark, url, Options(str(output), **options), Console(file=text, width=100))
    return text.getvalue()


def parquet(spark: SparkSession, path: Path, *order: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in spark.read.parquet(str(path)).orderBy(*order).collect()]


@pytest.mark.spark
@pytest.mark.parametrize("partitions", [1, 4])
def test_the_summary_counts_each_task(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path, partitions: int
) -> None:
    run_job(spark, two_tasks.url, tmp_path / "out", stall=3, partitions=partitions)
    steady, standing = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert (steady["commits"], steady["advanced"], steady["rewound"], steady["stall"]) == (13, 600, 0, None)
    assert (standing["commits"], standing["advanced"], standing["rewound"]) == (13, 15 + 25, 10)
    assert standing["stall"] == "no-advance"
    assert steady["checkpoint_age_seconds"] == standing["checkpoint_age_seconds"] == 5.0
    assert steady["median_gap_seconds"] == 5.0


@pytest.mark.spark
def test_executors_need_no_python(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/none/python")
    assert "Partition 0" in run_job(spark, two_tasks.url, tmp_path / "out")


@pytest.mark.spark
def test_progress_has_a_row_per_task_and_bucket(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    run_job(spark, two_tasks.url, tmp_path / "out", bucket=30)
    rows = parquet(spark, tmp_path / "out" / "progress", "task_name", "bucket_start")
    assert [(row["task_name"], row["commits"], row["advanced"], row["rewound"]) for row in rows] == [
        ("Partition 0", 6, 250, 0),
        ("Partition 0", 6, 300, 0),
        ("Partition 0", 1, 50, 0),
        ("Partition 1", 6, 15 + 20, 10),
        ("Partition 1", 6, 5, 0),
        ("Partition 1", 1, 0, 0),
    ]


@pytest.mark.spark
def test_the_result_includes_the_log_positions(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    printed = run_job(spark, two_tasks.url, tmp_path / "out", job="counts/1", stall=3)
    assert "as of 2026-03-01 12:01:05 UTC" in printed
    assert "__samza_checkpoint_ver_1_for_counts_1 (incarnation 1): next offset 39" in printed
    assert "no-advance" in printed
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert [log["next_offset"] for log in about["logs"]] == [39]
    assert (tmp_path / "out" / "checkpoint_progress.png").read_bytes().startswith(PNG)


@pytest.mark.spark
def test_ages_count_to_the_time_of_now(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    run_job(spark, two_tasks.url, tmp_path / "out", now=at(60) + timedelta(hours=1))
    tasks = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert [(row["checkpoint_age_seconds"], row["stall"]) for row in tasks] == [(3600.0, "silent")] * 2


@pytest.mark.spark
def test_a_commit_with_an_implausible_time_is_left_out_and_reported(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path
) -> None:
    def commit_rows(out: Path) -> list[dict[str, Any]]:
        run_job(spark, two_tasks.url, out, stall=3)
        return parquet(spark, out / "tasks", "task_name")

    before = commit_rows(tmp_path / "before")
    two_tasks.commit("Partition 0", 36_525 * 86_400, {0: 700}, plausible=False)
    printed = run_job(spark, two_tasks.url, tmp_path / "out", stall=3)
    steady, standing = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert standing == before[1]
    assert steady == {**before[0], "commits": 14, "advanced": 700}
    starts = {row["bucket_start"] for row in parquet(spark, tmp_path / "out" / "progress", "bucket_start")}
    assert len(starts - {None}) == 13  # one per 5 s
    assert "1 commit has no usable record time" in " ".join(printed.split())
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert (about["commits_without_usable_time"], about["bucket_seconds"]) == (1, 2)


@pytest.mark.spark
def test_a_result_covers_one_job_or_all_jobs(spark: SparkSession, relations: Relations, tmp_path: Path) -> None:
    for bucket in range(8):
        for second in range(4):
            relations.commit("Partition 0", second, {0: second}, job=f"job/{bucket}", bucket=bucket * 8)
        relations.add_log(f"job/{bucket}", 4, at(4), bucket * 8)
    run_job(spark, relations.url, tmp_path / "fleet", partitions=3)
    fleet = parquet(spark, tmp_path / "fleet" / "tasks", "job_id")
    assert [(row["job_id"], row["commits"], row["advanced"]) for row in fleet] == [(str(n), 4, 3) for n in range(8)]
    run_job(spark, relations.url, tmp_path / "one", job="job/5")
    assert [row["job_id"] for row in parquet(spark, tmp_path / "one" / "tasks", "job_id")] == ["5"]
    assert len(json.loads((tmp_path / "one" / "as_of.json").read_text())["logs"]) == 1


@pytest.mark.spark
def test_a_failed_read_has_a_short_message_and_no_output(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path
) -> None:
    with psycopg.connect(two_tasks.url) as connection:
        connection.execute(BROKEN)
    with pytest.raises(SparkJobError, match="Spark cannot read") as refusal:
        run_job(spark, two_tasks.url, tmp_path / "out")
    assert "\n" not in str(refusal.value)
    assert "division by zero" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def submit(arguments: list[str], url: str, jar: Path) -> subprocess.CompletedProcess[str]:
    """Run the job with spark-submit, with the password in the URL and a verbose Spark log."""
    submitter = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    conf = [
        "--master",
        "local[1]",
        "--jars",
        str(jar),
        "--conf",
        "spark.log.level=DEBUG",
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        "spark.sql.shuffle.partitions=1",
        "--driver-java-options",
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    ]
    folder = Path(coordstream.__path__[0])
    environ = {name: value for name, value in os.environ.items() if name != "COORDSTREAM_JDBC_JAR"}
    environ |= {"COORDSTREAM_DATABASE_URL": url, "PYSPARK_PYTHON": sys.executable}
    environ |= {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYTHONPATH": str(folder.parent)}
    command = [str(submitter), *conf, str(folder / "__main__.py"), "spark", "checkpoint_progress", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.spark
@pytest.mark.slow
def test_spark_submit_runs_the_job_without_logging_the_password(
    database_url: str, tmp_path: Path, jdbc_jar: Path
) -> None:
    with connect(database_url) as connection:
        import_recording_a(connection)
    secret = str(conninfo_to_dict(database_url)["password"])
    ended = submit(["wordcount_pv/1", "--output", str(tmp_path / "out")], database_url, jdbc_jar)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert "Partition 7" in ended.stdout
    assert "checkpoint_history" in ended.stderr, "Spark's log is not verbose, so the test proves nothing"
    assert secret not in ended.stdout + ended.stderr
    assert (tmp_path / "out" / "checkpoint_progress.png").is_file()


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


@given(
    st.integers(min_value=1, max_value=36_500 * 86_400),
    st.integers(min_value=-40 * 365 * 86_400, max_value=40 * 365 * 86_400),
    st.floats(min_value=0, max_value=2_000 * 365 * 86_400),
)
def test_at_most_500_buckets_are_drawn(seconds: int, first: int, span: float) -> None:
    start = START + timedelta(seconds=first)
    last = start + timedelta(seconds=span)
    width = drawn_width(
        seconds, int(last.timestamp()) // seconds * seconds - int(start.timestamp()) // seconds * seconds
    )
    assert width % seconds == 0
    assert int(last.timestamp()) // width - int(start.timestamp()) // width + 1 <= MOST_DRAWN


def test_the_shortest_form_of_a_width_is_used() -> None:
    widths = {1: "1s", 60: "1m", 90: "90s", 3600: "1h", 86_400: "1d", 5400: "90m"}
    assert {seconds: format_width(seconds) for seconds in widths} == widths


def test_the_picture_joins_buckets_and_skips_commits_without_a_time(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def draw(_path: Path, title: str, width: str, seconds: int, tasks: Sequence[TaskRow]) -> None:
        drawn.extend((title, width, seconds, tasks))

    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.draw_heat_map", draw)
    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.MOST_DRAWN", 4)
    two_tasks.commit("Partition 0", 36_525 * 86_400, {0: 700}, plausible=False)
    run_job(spark, two_tasks.url, tmp_path / "out", bucket=5, stall=3)
    title, width, seconds, (steady, standing) = drawn
    assert title.startswith("Checkpoint progress of all jobs as of 2026-03-01 12:01:05 UTC")
    assert (width, seconds) == ("30s", 30)
    assert (steady.label, steady.is_alarm, standing.is_alarm) == ("counts/1 Partition 0", False, True)
    assert sorted(steady.cells) == [(at(0), 250, 0), (at(30), 300, 0), (at(60), 50, 0)]
    assert sorted(standing.cells) == [(at(0), 35, 10), (at(30), 5, 0), (at(60), 0, 0)]


def test_a_row_shows_spans_and_unknown_values() -> None:
    times = {"newest_commit_at": at(55), "stalled_since": at(25), "checkpoint_age_seconds": 5.0}
    task = {"job_name": "counts", "job_id": "1", "task_name": "Partition 0", "stall": "no-advance"}
    row = {**task, **times, "commits": 7, "advanced": None, "rewound": 0, "median_gap_seconds": None}
    cells = [column.cell(row) for column in COLUMNS]
    assert cells == ["counts/1 Partition 0", 7, "?", 0, "5.0s ago", None, "no-advance 35.0s"]
