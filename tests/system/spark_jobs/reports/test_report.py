"""The reports on the recorded job: their tables, pictures and texts."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from eventlog.startpoint import StartpointSpecific
from eventlog.timestamps import LAST_STORABLE_MS
from spark_jobs.errors import SparkJobError
from spark_jobs.reports import checkpoint_progress, config_churn, fleet, startpoint_effects
from spark_jobs.reports.report import Report, Result, describe_positions, format_span, write_report
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, fan_out
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.acceptance.odd_jobs import import_recording_a

PNG: Final = b"\x89PNG\r\n\x1a\n"
PREFERRED: Final = "select count(*) from coordinator.commit_history where is_preferred"
REPORTS: Final = (fleet.report(), config_churn.report(), startpoint_effects.report())
PROGRESS: Final = checkpoint_progress.report()


@pytest.fixture
def recorded_job(database_url: str) -> str:
    with connect(database_url) as connection:
        import_recording_a(connection)
    return database_url


def run(report: Report, spark: SparkSession, url: str, output: Path, **options: Any) -> Result:
    written = write_report(report, spark, url, str(output), **options)
    assert (output / f"{report.name}.png").read_bytes().startswith(PNG)
    return written


def cells(report: Report, written: Result) -> list[list[Any]]:
    return [list(report.cells(row).values()) for row in written.rows]


def rows(spark: SparkSession, path: Path, *order: str) -> list[dict[str, Any]]:
    frame = spark.read.parquet(str(path))
    return [row.asDict() for row in (frame.orderBy(*order) if order else frame).collect()]


def test_the_fleet_has_its_tasks_containers_and_last_commits(
    spark: SparkSession, recorded_job: str, tmp_path: Path
) -> None:
    with connect(recorded_job) as connection:
        ((preferred,),) = connection.execute(PREFERRED).fetchall()
    written = run(fleet.report(), spark, recorded_job, tmp_path / "out")
    assert written.title == "Fleet of all jobs as of 2026-11-21 09:18:19 UTC"
    ((*shown, age, stalled),) = cells(fleet.report(), written)
    assert (*shown[:4], f"{shown[4]:%H:%M:%S}", age, stalled) == (
        "wordcount_pv/1",
        8,
        2,
        preferred,
        "09:18:13",
        "5.8s",
        0,
    )
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert about["as_of"].startswith("2026-11-21T09:18:19")
    assert [log["next_offset"] for log in about["logs"]] == [388, 427]
    (job,) = rows(spark, tmp_path / "out" / "jobs")
    assert (job["tasks"], job["containers"], job["stalled_tasks"]) == (8, 2, 0)
    assert job["last_commit_at"] is not None
    assert rows(spark, tmp_path / "out" / "stalled") == []


def test_changes_of_config_are_counted_by_day_and_writer(
    spark: SparkSession, recorded_job: str, tmp_path: Path
) -> None:
    run(config_churn.report(), spark, recorded_job, tmp_path / "out", job="wordcount_pv/1")
    changes = rows(spark, tmp_path / "out" / "changes", "source")
    assert {row["day"].isoformat() for row in changes} == {"2026-11-21"}
    assert sum(row["changes"] for row in changes) == 73
    keys = rows(spark, tmp_path / "out" / "keys")
    assert sum(row["changes"] for row in keys) == 73
    assert {"app.note", "task.class"} <= {row["config_key"] for row in keys}


def test_startpoints_are_compared_with_the_commits_around_them(
    spark: SparkSession, recorded_job: str, tmp_path: Path
) -> None:
    run(startpoint_effects.report(), spark, recorded_job, tmp_path / "out")
    effects = rows(spark, tmp_path / "out" / "effects", "stream_name", "partition_id", "task_name")
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
    assert rows(spark, tmp_path / "empty" / "fleet" / "jobs") == []
    with pytest.raises(SparkJobError, match="The database has no commit of any job"):
        run(PROGRESS, spark, database_url, tmp_path / "empty" / "progress")
    with connect(database_url) as connection:
        ImportedJob(connection, "idle", coordinator=[config_set()])
    written = run(fleet.report(), spark, database_url, tmp_path / "idle", job="idle/1")
    assert cells(fleet.report(), written) == [["idle/1", 0, 0, 0, None, "", 0]]
    (job,) = rows(spark, tmp_path / "idle" / "jobs")
    assert (job["commits"], job["last_commit_at"], job["stalled_tasks"]) == (0, None, 0)


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
    for report in REPORTS:
        run(report, spark, database_url, tmp_path / report.name)
    effects = rows(spark, tmp_path / "startpoint_effects" / "effects")
    assert [row["task_name"] for row in effects] == ["first"]
    jobs = rows(spark, tmp_path / "fleet" / "jobs", "job_name")
    assert [(row["commits"], row["last_commit_at"] is None) for row in jobs] == [(2, False), (1, True), (1, False)]


def test_a_task_of_the_fleet_stalls_however_long_the_history_is(
    spark: SparkSession, database_url: str, tmp_path: Path
) -> None:
    minutes = [FIRST_TIME + 60_000 * number for number in range(5)]
    days = [FIRST_TIME + 86_400_000 * number for number in (-360, 0, 3)]
    with connect(database_url) as connection:
        for name, times in (("silent", minutes), ("steady", days)):
            commits = [checkpoint_v1(at=time) for time in times]
            ImportedJob(connection, name, coordinator=[config_set(at=times[0])], checkpoints=commits)
    run(fleet.report(), spark, database_url, tmp_path / "out")
    jobs = rows(spark, tmp_path / "out" / "jobs", "job_name")
    assert [(row["job_name"], row["stalled_tasks"]) for row in jobs] == [("silent", 1), ("steady", 0)]


def test_positions_are_limited_to_a_few_lines() -> None:
    lines = describe_positions({(f"log{number}", 1): number for number in range(9)})
    assert lines[0] == "Log positions:"
    assert lines[1] == "  log0 (incarnation 1): next offset 0"
    assert lines[-1] == "  … and 3 more logs, in as_of.json"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0s"),
        (59.94, "59.9s"),
        (59.96, "1m 00s"),
        (125, "2m 05s"),
        (3600, "1h 00m"),
        (90_000, "1d 01h"),
        (-5, "-5.0s"),
    ],
)
def test_a_duration_has_at_most_two_units(seconds: float, text: str) -> None:
    assert format_span(seconds) == text
