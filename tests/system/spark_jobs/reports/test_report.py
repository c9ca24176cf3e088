"""The whole reports: what they write, print and draw."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from coordstream.postgres import EmbeddedPostgres
from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from eventlog.startpoint import StartpointSpecific
from eventlog.timestamps import LAST_STORABLE_MS
from spark_jobs.errors import SparkJobError
from spark_jobs.reports import checkpoint_progress, config_churn, startpoint_effects
from spark_jobs.reports.checkpoint_progress import MOST_BUCKETS, width_for
from spark_jobs.reports.report import Report, Result, describe_positions, write_report
from tests.builders import FIRST_TIME, checkpoint_v1, checkpoint_v2, config_set, fan_out
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.acceptance.odd_jobs import import_recording_a
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.spark_jobs.fleet import START, at

PNG: Final = b"\x89PNG\r\n\x1a\n"
REPORTS: Final = (config_churn.REPORT, startpoint_effects.REPORT)
PROGRESS: Final = checkpoint_progress.REPORT
BROKEN: Final = """
ALTER VIEW coordinator.checkpoint_history RENAME TO renamed;
CREATE VIEW coordinator.checkpoint_history AS
SELECT * FROM coordinator.renamed WHERE 1 / (log_offset - log_offset) > 0;
"""
CENTURY: Final = 36_525 * 86_400


@pytest.fixture(autouse=True)
def _stall_after_three_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_progress, "STALL_FACTOR", 3)


@pytest.fixture(scope="module")
def recorded_job(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """A database with recording A's job, which no test changes."""
    with CloneSeries(postgres_server, template_database) as series:
        url = series.next_url()
        with connect(url) as connection:
            import_recording_a(connection)
        yield url


def run(report: Report, spark: SparkSession, url: str, output: Path, **options: Any) -> Result:
    written = write_report(report, spark, url, str(output), **options)
    assert (output / f"{report.name}.png").read_bytes().startswith(PNG)
    return written


def cells(report: Report, written: Result) -> list[list[Any]]:
    return [list(report.cells(row).values()) for row in written.rows]


def rows(path: Path, *order: str) -> list[dict[str, Any]]:
    """The rows of a table as it was written, in the order of columns, nulls first."""
    table = parquet.read_table(path).to_pylist()
    return sorted(table, key=lambda row: [(row[name] is not None, row[name]) for name in order])


def test_changes_of_config_are_counted_by_day_and_writer(
    spark: SparkSession, recorded_job: str, tmp_path: Path
) -> None:
    run(config_churn.REPORT, spark, recorded_job, tmp_path / "out", job="wordcount_pv/1")
    changes = rows(tmp_path / "out" / "changes", "source")
    assert {row["day"].isoformat() for row in changes} == {"2026-11-21"}
    assert sum(row["changes"] for row in changes) == 73
    keys = rows(tmp_path / "out" / "keys")
    assert sum(row["changes"] for row in keys) == 73
    assert {"app.note", "task.class"} <= {row["config_key"] for row in keys}


def test_startpoints_are_compared_with_the_commits_around_them(
    spark: SparkSession, recorded_job: str, tmp_path: Path
) -> None:
    run(startpoint_effects.REPORT, spark, recorded_job, tmp_path / "out")
    effects = rows(tmp_path / "out" / "effects", "stream_name", "partition_id", "task_name")
    assert len(effects) == 15
    by_place = {(row["task_name"], row["stream_name"]): row for row in effects}
    rewound = by_place["Partition 2", "page-views"]
    assert (rewound["startpoint_value"], rewound["offset_before"], rewound["moved"]) == ("5", 19, -15)
    assert 5 < rewound["seconds_to_catch_up"] < 15


def test_a_job_without_commits_and_a_database_without_logs_have_reports(
    spark: SparkSession, database_url: str, tmp_path: Path
) -> None:
    for report in REPORTS:
        run(report, spark, database_url, tmp_path / "empty" / report.name)
    assert rows(tmp_path / "empty" / "config_churn" / "changes") == []
    with pytest.raises(SparkJobError, match="The database has no commit of any job"):
        run(PROGRESS, spark, database_url, tmp_path / "empty" / "progress")


def test_an_unknown_job_leaves_no_output(spark: SparkSession, recorded_job: str, tmp_path: Path) -> None:
    for report in (*REPORTS, PROGRESS):
        with pytest.raises(SparkJobError, match=r'No job "wordcount/1".* Did you mean "wordcount_pv/1"'):
            run(report, spark, recorded_job, tmp_path / "out", job="wordcount/1")
    assert list(tmp_path.iterdir()) == []


def test_times_after_the_year_9999_are_not_usable(spark: SparkSession, database_url: str, tmp_path: Path) -> None:
    far = 1_790_000_000_000_000  # microseconds instead of milliseconds
    requested = StartpointSpecific("2", FIRST_TIME)
    first, late = (fan_out(task, {"kafka.in.0": requested}, timestamp=FIRST_TIME) for task in ("first", "late"))
    with connect(database_url) as connection:
        coordinator = [config_set(), first, NewEvent(late.key, late.value, far)]
        ImportedJob(connection, "far", coordinator=coordinator, checkpoints=[checkpoint_v1(), checkpoint_v1(at=far)])
        ImportedJob(connection, "farther", coordinator=[config_set(at=far)], checkpoints=[checkpoint_v1(at=far)])
        ImportedJob(
            connection, "farthest", coordinator=[config_set(at=LAST_STORABLE_MS)], checkpoints=[checkpoint_v1()]
        )
    written = [run(report, spark, database_url, tmp_path / report.name) for report in REPORTS]
    assert [row[-3:] for row in cells(startpoint_effects.REPORT, written[-1])] == [[None, None, ""]]
    effects = rows(tmp_path / "startpoint_effects" / "effects")
    assert [row["task_name"] for row in effects] == ["first"]
    changes = rows(tmp_path / "config_churn" / "changes", "job_name")
    assert [row["day"] is None for row in changes] == [False, True, True]


def test_positions_are_limited_to_a_few_lines() -> None:
    lines = describe_positions({(f"log{number}", 1): number for number in range(9)})
    assert lines[0] == "Log positions:"
    assert lines[1] == "  log0 (incarnation 1): next offset 0"
    assert lines[-1] == "  … and 3 more logs, in as_of.json"


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


def test_the_report_has_the_progress_of_each_task(
    spark: SparkSession, job_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/none/python")  # executors may have none
    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.width_for", lambda *_: 20)
    written = run(PROGRESS, spark, job_url, tmp_path / "out")
    steady, standing = rows(tmp_path / "out" / "tasks", "task_name")
    assert (steady["commits"], steady["advanced"], steady["rewound"], steady["stall"]) == (13, 600, 0, None)
    assert (standing["commits"], standing["advanced"], standing["rewound"]) == (13, 15 + 25, 10)
    assert standing["stall"] == "no-advance"
    assert steady["checkpoint_age_seconds"] == standing["checkpoint_age_seconds"] == 5.0
    assert steady["median_gap_seconds"] == 5.0
    by_bucket = rows(tmp_path / "out" / "progress", "task_name", "bucket_start")
    assert [(row["task_name"], row["commits"], row["advanced"], row["rewound"]) for row in by_bucket] == [
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


def test_a_report_of_one_job_has_its_logs_only(spark: SparkSession, job_url: str, tmp_path: Path) -> None:
    import_job(job_url, "others", [commit("Partition 0", second, {0: 1}) for second in range(3)])
    run(PROGRESS, spark, job_url, tmp_path / "all")
    assert len(rows(tmp_path / "all" / "tasks", "job_name")) == 3
    run(PROGRESS, spark, job_url, tmp_path / "out", job="counts/1")
    assert len(rows(tmp_path / "out" / "tasks")) == 2
    assert len(json.loads((tmp_path / "out" / "as_of.json").read_text())["logs"]) == 2


def test_commits_with_an_implausible_time_are_left_out_and_reported(
    spark: SparkSession, database_url: str, tmp_path: Path
) -> None:
    before, after = (commit("Partition 0", seconds, {0: 0}) for seconds in (-CENTURY, CENTURY))
    import_job(database_url, "counts", [before, *two_tasks(), after])
    written = run(PROGRESS, spark, database_url, tmp_path / "out")
    steady, standing = rows(tmp_path / "out" / "tasks", "task_name")
    assert (standing["commits"], standing["stall"], standing["checkpoint_age_seconds"]) == (13, "no-advance", 5.0)
    assert (steady["commits"], steady["advanced"], steady["rewound"]) == (15, 600, 600)
    assert (steady["checkpoint_age_seconds"], steady["median_gap_seconds"]) == (5.0, 5.0)
    starts = {row["bucket_start"] for row in rows(tmp_path / "out" / "progress", "bucket_start")}
    assert len(starts - {None}) == 13  # one per 5 s
    assert written.note.startswith("2 commits have no usable record time")
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert (about["commits_without_usable_time"], about["bucket_seconds"]) == (2, 2)


def test_a_failed_read_has_a_short_message_and_no_output(spark: SparkSession, job_url: str, tmp_path: Path) -> None:
    with psycopg.connect(job_url) as connection:
        connection.execute(BROKEN)
    with pytest.raises(SparkJobError, match="Spark cannot read") as refusal:
        run(PROGRESS, spark, job_url, tmp_path / "out")
    assert "\n" not in str(refusal.value)
    assert "division by zero" in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("days", "width"), [(0, 1), (95 / 86_400, 2), (1, 1_800), (400, 7 * 86_400), (7_300, 365 * 86_400)]
)
def test_a_span_has_at_most_60_buckets(days: float, width: int) -> None:
    assert width_for(START, START + timedelta(days=days)) == width
    assert days / width * 86_400 < MOST_BUCKETS


def test_the_picture_skips_commits_without_a_time_and_other_tasks(
    spark: SparkSession, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.draw_heat_map", lambda _, *values: drawn.extend(values))
    monkeypatch.setattr("spark_jobs.reports.report.MOST_ROWS", 2)
    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.width_for", lambda *_: 20)
    import_job(database_url, "counts", [*two_tasks(), commit("Partition 0", CENTURY, {0: 700})])
    import_job(database_url, "late", [commit("Partition 0", 64, {0: 1})])
    write_report(PROGRESS, spark, database_url, str(tmp_path / "out"))
    title, seconds, tasks, steps = drawn
    assert title.endswith("2026-03-01 12:01:05 UTC, the first 2 of 3")
    assert (seconds, tasks) == (20, {"counts/1 Partition 0": False, "counts/1 Partition 1": True})
    steady, standing = ([cell[1:] for cell in steps if cell.task == task] for task in tasks)
    assert sorted(steady) == [(at(0), 150, 0), (at(20), 200, 0), (at(40), 200, 0), (at(60), 50, 0)]
    assert sorted(standing) == [(at(0), 15, 0), (at(20), 25, 10), (at(40), 0, 0), (at(60), 0, 0)]


def test_a_row_shows_spans_and_unknown_values() -> None:
    times = {"newest_commit_at": at(55), "stalled_since": at(25), "checkpoint_age_seconds": 5.0}
    task = {"job_name": "counts", "job_id": "1", "task_name": "Partition 0", "stall": "no-advance"}
    row = {**task, **times, "commits": 7, "advanced": None, "rewound": 0, "median_gap_seconds": None}
    assert list(PROGRESS.cells(row).values()) == [
        "counts/1 Partition 0",
        7,
        "?",
        0,
        "5 seconds ago",
        "",
        "no-advance 35 seconds",
    ]
