"""The whole job: what it writes, prints and draws."""

import io
import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pyspark
import pytest
from psycopg.conninfo import conninfo_to_dict
from pyspark.sql import SparkSession
from rich.console import Console

import spark_jobs.reports.checkpoint_progress
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.settings import ReadSettings
from spark_jobs.reports.checkpoint_progress import Options, main, run
from tests.spark_jobs.plain_relations import Relations, at

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def two_tasks(relations: Relations) -> Relations:
    """Task 0 advances by 10 offsets per second until 60 s; task 1 rewinds at 20 s and stops advancing at 30 s."""
    for second in range(0, 61, 5):
        relations.commit("Partition 0", second, {0: 10 * second})
        relations.commit("Partition 0", second, {0: 10 * second}, preferred=False)
        relations.commit("Partition 1", second, {1: {20: 5}.get(second, min(second, 30)), 9: "not a number"})
    relations.add_log("counts/1", next_offset=39, newest=at(65))
    return relations


def run_job(spark: SparkSession, url: str, options: Options, partitions: int | None = None) -> str:
    text = io.StringIO()
    run(spark, ReadSettings(url, partitions=partitions), options, Console(file=text, width=100))
    return text.getvalue()


def parquet(spark: SparkSession, path: Path, *order: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in spark.read.parquet(str(path)).orderBy(*order).collect()]


@pytest.mark.spark
@pytest.mark.parametrize("partitions", [1, 4])
def test_the_summary_counts_each_task(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path, partitions: int
) -> None:
    run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), stall_factor=3), partitions)
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
    assert "Partition 0" in run_job(spark, two_tasks.url, Options(str(tmp_path / "out")))


@pytest.mark.spark
def test_progress_has_a_row_per_task_and_bucket(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), bucket_seconds=30))
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
    printed = run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), Job("counts", "1"), stall_factor=3))
    assert "As of 2026-03-01 12:01:05 UTC" in printed
    assert "__samza_checkpoint_ver_1_for_counts_1 (incarnation 1): next offset 39" in printed
    assert max(map(len, printed.splitlines()[:-1])) <= 100
    assert "no-advance" in printed
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert [log["next_offset"] for log in about["logs"]] == [39]
    assert (tmp_path / "out" / "progress.png").read_bytes().startswith(PNG)


@pytest.mark.spark
def test_the_output_can_be_in_another_file_system(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    conf = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("fs.viewfs.mounttable.elsewhere.link./jobs", tmp_path.as_uri())
    printed = run_job(spark, two_tasks.url, Options("viewfs://elsewhere/jobs/out"))
    assert "Written to viewfs://elsewhere/jobs/out: " in printed
    assert len(parquet(spark, tmp_path / "out" / "tasks", "task_name")) == 2
    assert (tmp_path / "out" / "progress.png").read_bytes().startswith(PNG)
    assert json.loads((tmp_path / "out" / "as_of.json").read_text())["bucket"] == "2s"
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".crc"] == ["out"]


@pytest.mark.spark
def test_ages_count_to_the_time_of_now(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), now=at(60) + timedelta(hours=1)))
    tasks = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert [(row["checkpoint_age_seconds"], row["stall"]) for row in tasks] == [(3600.0, "silent")] * 2


@pytest.mark.spark
def test_a_commit_with_an_implausible_time_is_left_out_and_reported(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path
) -> None:
    def commit_rows(out: Path) -> list[dict[str, Any]]:
        run_job(spark, two_tasks.url, Options(str(out), stall_factor=3))
        return parquet(spark, out / "tasks", "task_name")

    before = commit_rows(tmp_path / "before")
    two_tasks.commit("Partition 0", 36_525 * 86_400, {0: 700}, plausible=False)
    printed = run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), stall_factor=3))
    steady, standing = parquet(spark, tmp_path / "out" / "tasks", "task_name")
    assert standing == before[1]
    assert steady == {**before[0], "commits": 14, "advanced": 700}
    starts = {row["bucket_start"] for row in parquet(spark, tmp_path / "out" / "progress", "bucket_start")}
    assert len(starts - {None}) == 13  # one per 5 s
    assert "1 commit has no usable record time" in " ".join(printed.split())
    about = json.loads((tmp_path / "out" / "as_of.json").read_text())
    assert (about["commits_without_usable_time"], about["bucket"]) == (1, "2s")


@pytest.mark.spark
def test_a_result_covers_one_job_or_all_jobs(spark: SparkSession, relations: Relations, tmp_path: Path) -> None:
    for bucket in range(8):
        for second in range(4):
            relations.commit("Partition 0", second, {0: second}, job=f"job/{bucket}", bucket=bucket * 8)
        relations.add_log(f"job/{bucket}", 4, at(4), bucket * 8)
    run_job(spark, relations.url, Options(str(tmp_path / "fleet")), partitions=3)
    fleet = parquet(spark, tmp_path / "fleet" / "tasks", "job_id")
    assert [(row["job_id"], row["commits"], row["advanced"]) for row in fleet] == [(str(n), 4, 3) for n in range(8)]
    run_job(spark, relations.url, Options(str(tmp_path / "one"), Job("job", "5")))
    assert [row["job_id"] for row in parquet(spark, tmp_path / "one" / "tasks", "job_id")] == ["5"]
    assert len(json.loads((tmp_path / "one" / "as_of.json").read_text())["logs"]) == 1


@pytest.mark.spark
def test_a_job_is_named_as_in_other_reports(spark: SparkSession, relations: Relations, tmp_path: Path) -> None:
    relations.commit("Partition 0", 1, {0: 1}, job="word_count/1")
    relations.add_log("word_count/1", 1, at(1))
    printed = run_job(spark, relations.url, Options(str(tmp_path / "out"), Job("word-count", "1")))
    assert "Checkpoint progress of word_count/1" in printed


@pytest.mark.spark
def test_an_unknown_job_fails_without_output(spark: SparkSession, two_tasks: Relations, tmp_path: Path) -> None:
    with pytest.raises(SparkJobError, match=r'^No job "counts/2"\. Did you mean "counts/1"'):
        run_job(spark, two_tasks.url, Options(str(tmp_path / "out"), Job("counts", "2")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
def test_a_failed_read_has_a_short_message_and_no_output(
    spark: SparkSession, two_tasks: Relations, tmp_path: Path
) -> None:
    with psycopg.connect(two_tasks.url) as connection:
        connection.execute("DROP TABLE coordinator.checkpoint_history")
    with pytest.raises(SparkJobError, match="Spark cannot read") as refusal:
        run_job(spark, two_tasks.url, Options(str(tmp_path / "out")))
    assert "\n" not in str(refusal.value)
    assert 'relation "coordinator.checkpoint_history" does not exist' in str(refusal.value)
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
    script = spark_jobs.reports.checkpoint_progress.__file__
    environ = {**os.environ, "COORDSTREAM_DATABASE_URL": url, "PYSPARK_PYTHON": sys.executable}
    environ |= {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYTHONPATH": str(Path(script).parents[2])}
    return subprocess.run(
        [submitter, *conf, script, *arguments], env=environ, capture_output=True, text=True, check=False
    )


@pytest.mark.spark
@pytest.mark.slow
def test_spark_submit_runs_the_job_without_logging_the_password(
    two_tasks: Relations, tmp_path: Path, jdbc_jar: Path
) -> None:
    secret = str(conninfo_to_dict(two_tasks.url)["password"])
    ended = submit(["--output", str(tmp_path / "out"), "--job", "counts/1"], two_tasks.url, jdbc_jar)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert "As of 2026-03-01 12:01:05 UTC" in ended.stdout
    assert "checkpoint_history" in ended.stderr, "Spark's log is not verbose, so the test proves nothing"
    assert secret not in ended.stdout + ended.stderr
    assert (tmp_path / "out" / "progress.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '--output'."),
        (["--output"], "Argument --output: expected one argument."),
        (["--output", "o", "--nonsense"], "Unrecognized arguments: --nonsense."),
        (["--output", "o", "--job", "counts"], "Invalid job 'counts'. Expected NAME/ID, for example wordcount/1."),
        (
            ["--output", "o", "--bucket", "0s"],
            "Invalid bucket width '0s'. Expected a number followed by s, m, h or d, ",
        ),
        (["--output", "o", "--stall", "-1"], "Invalid factor '-1'. Expected a number above 0, for example 10."),
        (["--output", "o", "--stall", "nan"], "Invalid factor 'nan'. Expected a number above 0, for example 10."),
        (["--output", "o", "--partitions", "0"], "Invalid number of partitions '0'. Expected 1 to 1000."),
        (["--output", "o", "--now", "yesterday"], "Invalid time 'yesterday'"),
    ],
)
def test_an_invalid_option_is_reported_with_the_expected_form(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        main(arguments, {})
    assert exited.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(message)
    assert line.endswith(". See `coordstream spark checkpoint_progress -- --help`.")


def test_an_invalid_output_fails_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--output", "s3a://key:hunter2@bucket/x"], {}) == 1
    assert capsys.readouterr().err.startswith("--output contains a password. ")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "letter").touch()
    assert main(["--output", "."], {}) == 1
    assert capsys.readouterr().err == (
        "Output folder '.' exists. Choose another folder, or use --overwrite to replace it.\n"
    )
    assert main(["--output", ".", "--overwrite"], {}) == 1
    assert capsys.readouterr().err.startswith("Output folder '.' is not an earlier result of this job. ")


@pytest.mark.parametrize(
    ("environ", "word"),
    [({}, "COORDSTREAM_DATABASE_URL"), ({"COORDSTREAM_DATABASE_URL": "postgresql://u@h/d"}, "COORDSTREAM_JDBC_JAR")],
)
def test_a_missing_setting_is_reported(environ: dict[str, str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--output", "never-made"], environ) == 1
    assert word in capsys.readouterr().err
