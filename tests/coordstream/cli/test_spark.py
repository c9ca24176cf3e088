import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from pyspark.sql import SparkSession

from coordstream.cli.spark.jobs import JOBS
from projections.job_choice import Job
from spark_jobs.relations.snapshots import exported_snapshot
from spark_jobs.reports.progress.scope import find_scope
from tests.coordstream.command_line import RECORDING_A, CommandLine


@pytest.mark.slow
def test_a_job_reads_the_database_of_the_settings(
    wordcount: CommandLine, spark: SparkSession, tmp_path: Path, jdbc_jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the session of the tests, which the job may not end; test_readme.py runs a job in its own process."""
    monkeypatch.setattr("pyspark.sql.SparkSession.stop", lambda _: None)
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    out = str(tmp_path / "out")
    ended = wordcount("spark", "checkpoint_progress", "--", "--job", "wordcount_pv/1", "--output", out)
    assert ended.code == 0, ended.err
    assert "Partition 7" in ended.out
    assert (tmp_path / "out" / "progress.png").read_bytes().startswith(b"\x89PNG")


def test_a_commit_of_the_next_century_makes_no_bucket_of_a_year(cli: CommandLine, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in gzip.decompress(RECORDING_A[1].read_bytes()).splitlines()]
    lines[200]["timestamp"] += 100 * 365 * 86_400_000
    changed = tmp_path / "checkpoint.jsonl"
    changed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    cli.done("import", RECORDING_A[0], changed)
    as_reader = make_conninfo(cli.database_url, options="-c role=coordstream_reader")
    with exported_snapshot(as_reader) as snapshot:
        scope = find_scope(snapshot, Job("wordcount_pv", "1"), partitions=1, now=None, bucket_seconds=None)
        ((newest,),) = snapshot.connection.execute(
            "select max(record_time) from coordinator.event where record_time < '2100-01-01'"
        ).fetchall()
    assert (scope.as_of, scope.bucket_seconds, scope.untimed_commits) == (newest, 2, 1)


def test_the_job_gets_its_options_the_database_and_the_jar(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "driver.jar"
    jar.touch()
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jar))
    given: list[object] = []

    def job(options: list[str], environment: dict[str, str]) -> int:
        given.extend((options, environment["COORDSTREAM_DATABASE_URL"], environment["COORDSTREAM_JDBC_JAR"]))
        return 1

    monkeypatch.setattr("spark_jobs.reports.checkpoint_progress.main", job)
    for words in (["--output", "o", "--bucket", "5s"], ["--", "--output", "o", "--bucket", "5s"]):
        given.clear()
        assert cli("spark", "checkpoint_progress", *words).code == 1
        assert given == [["--output", "o", "--bucket", "5s"], cli.database_url, str(jar)]


def test_the_database_of_a_file_is_opened_instead_of_that_of_the_settings(
    wordcount: CommandLine, spark: SparkSession, tmp_path: Path, jdbc_jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark.sql.SparkSession.stop", lambda _: None)
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    file = tmp_path / "url"
    file.write_text(wordcount.database_url)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u@127.0.0.1:1/none")
    ended = wordcount("spark", "fleet", "--output", str(tmp_path / "out"), "--database-url-file", str(file))
    assert ended.code == 0, ended.err
    assert "wordcount_pv/1" in ended.out
    monkeypatch.delenv("COORDSTREAM_DATABASE_URL")
    monkeypatch.setattr("coordstream.database.EmbeddedPostgres.start", lambda _: pytest.fail("a server starts"))
    ended = wordcount("spark", "fleet", "--output", str(tmp_path / "again"), "--database-url-file", str(file))
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("job", JOBS)
def test_options_of_a_job_are_checked_before_the_database_is_opened(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u@127.0.0.1:1/none")
    see = f"See `coordstream spark {job} -- --help`."
    assert cli.refused("spark", job, code=2) == f"Missing option '--output'. {see}"
    assert cli.refused("spark", job, "--output", "o", "--nope", code=2) == f"Unrecognized arguments: --nope. {see}"
    assert cli.refused("spark", job, "--output", "o").startswith("Cannot reach the database")


def test_a_missing_jar_is_named(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", "/none/driver.jar")
    assert "File '/none/driver.jar' in COORDSTREAM_JDBC_JAR does not exist" in cli.refused(
        "spark", "checkpoint_progress", "--output", "o"
    )


def test_without_pyspark_the_command_names_the_extra(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coordstream.extras.find_spec", lambda _: None)
    assert cli.refused("spark", "checkpoint_progress") == (
        "Reading with Spark needs the package \"pyspark\". Install it: pip install 'coordstream[spark]'."
    )


def test_the_commands_are_listed_with_their_purposes(cli: CommandLine) -> None:
    listed = {row["command"]: row["purpose"] for row in json.loads(cli("spark", "--list", "--json").out)}
    assert {"checkpoint_progress", "config_churn", "fleet", "startpoint_effects"} <= set(listed)
    assert listed["fleet"] == "Report each job with its tasks, containers, last commit and stalled tasks."
    assert "startpoint_effects\t" in cli("spark", "--list").out


@pytest.mark.parametrize("job", JOBS)
def test_importing_a_job_starts_no_jvm(job: str) -> None:
    program = f"import spark_jobs.reports.{job}; from pyspark import SparkContext as S; print(S._gateway)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "None\n"


def test_following_on_spark_needs_brokers(cli: CommandLine) -> None:
    assert cli.refused("spark", "follow", "--all") == (
        "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS is not set. Set it, or use `coordstream follow` for logs in Postgres."
    )


@pytest.mark.spark  # which needs Java, as does the command
def test_following_on_an_older_spark_names_the_version(kafka_cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spark_jobs.follow.micro_batches", None)
    assert kafka_cli.refused("spark", "follow", "--all") == "`coordstream spark follow` needs PySpark 4.2 or newer."


def test_following_on_spark_names_its_streams(cli: CommandLine) -> None:
    assert "Name the streams to follow, or use --all." in cli.refused("spark", "follow", code=2)


def test_following_does_not_run_on_spark_connect(cli: CommandLine) -> None:
    refused = cli.refused("spark", "follow", "--all", "--master", "sc://host", code=2)
    assert refused.startswith("`spark follow` does not run on Spark Connect. Use another '--master'.")


def test_following_does_not_run_on_the_server_of_the_environment(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    refused = cli.refused("spark", "follow", "--all", code=2)
    assert refused.startswith("`spark follow` does not run on Spark Connect.")
    assert "If SPARK_REMOTE is set, unset it." in refused


def test_only_following_once_has_a_timeout(cli: CommandLine) -> None:
    refused = cli.refused("spark", "follow", "--all", "--timeout", "5s", code=2)
    assert refused == "--timeout needs --once. See `coordstream spark follow --help`."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--conf", "nonsense"), "Invalid '--conf' value 'nonsense'. Expected NAME=VALUE."),
        (("--conf", "nonsense=1"), "Invalid '--conf' name 'nonsense'. Expected a name that starts with 'spark.'."),
        (("--master", "nonsense"), "Invalid '--master' value 'nonsense'. Expected local, local[N], local[*], "),
        (("--master", "localhost:7077"), "Invalid '--master' value 'localhost:7077'. Expected local, local[N], "),
        (("--conf", "spark.master=local[x]"), "Invalid '--conf' value of spark.master 'local[x]'. Expected local, "),
        (
            ("--conf", "spark.driver.memory=1"),
            "Invalid '--conf' value of spark.driver.memory '1'. Expected at least 450m, for example 2g.",
        ),
        (
            ("--conf", "spark.jars=s3a://jars/a.jar,/nosuch.jar"),
            "Invalid '--conf' value of spark.jars: no file '/nosuch.jar'. Check the path.",
        ),
    ],
)
def test_an_invalid_setting_is_refused_before_spark_starts(
    cli: CommandLine, options: tuple[str, ...], message: str
) -> None:
    assert cli.refused("spark", "verify", "--all", *options, code=2).startswith(message)
