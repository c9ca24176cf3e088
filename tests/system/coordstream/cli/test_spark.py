"""`coordstream spark`: reports, replay, verify and the lake on the database of the settings, and bad input."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, FINGERPRINTS, RECORDING_A, CommandLine
from tests.system.acceptance.followed import config

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.fixtures.kafka_topics import Topics

DELETE_A_ROW: Final = """
delete from projection.config
where (log_id, key_id) in (select log_id, key_id from projection.config limit 1)
"""


@pytest.fixture
def spark_cli(cli: CommandLine, spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, with the Spark session of the run."""

    def session(_name: str, _conf: dict[str, str]) -> Any:
        return nullcontext(spark)

    for module in ("spark", "spark_reports"):
        monkeypatch.setattr(f"coordstream.cli.{module}.spark_session", session)
    monkeypatch.setattr("spark_jobs.dispatch.LINE_SECONDS", float("inf"))
    return cli


def test_a_report_reads_the_database_of_the_settings(
    spark_cli: CommandLine, tmp_path: Path, jdbc_jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_JDBC_JAR", str(jdbc_jar))
    spark_cli.done("import", *RECORDING_A)
    out = tmp_path / "out"
    ended = spark_cli("spark", "checkpoint_progress", "wordcount_pv", "--output", out)
    assert ended.code == 0, ended.err
    assert "wordcount_pv/1 Partition 7\t" in ended.out
    assert "Written to" in ended.out
    assert (out / "checkpoint_progress.png").read_bytes().startswith(b"\x89PNG")
    refused = spark_cli.refused("spark", "config_churn", "--output", out)
    assert refused == f"Output folder '{out}' exists. Choose another folder, or use --overwrite to replace it."
    rows = spark_cli.rows("spark", "config_churn", "--output", out, "--overwrite")
    assert {(row["job_name"], row["day"]) for row in rows} == {("wordcount_pv", "2026-11-21")}


def spark(*words: str | Path) -> tuple[str | Path, ...]:
    return ("spark", *words, "--master", "local[2]")


def test_recordings_are_replayed_verified_and_rebuilt(spark_cli: CommandLine, tmp_path: Path) -> None:
    for file in RECORDING_A:
        (tmp_path / file.name).symlink_to(file)
    assert spark_cli.done(*spark("replay", "--from", tmp_path)).startswith("Replayed 2 logs: 815 events, in ")
    plain = spark_cli.done("verify", "--all", "--json")
    assert spark_cli.done(*spark("verify", "--all", "--json")) == plain
    with spark_cli.connection() as connection:
        connection.execute(DELETE_A_ROW)
    differing = spark_cli("verify", "--all")
    assert differing.code == 1
    assert spark_cli(*spark("verify", "--all")) == differing
    done = spark_cli(*spark("replay", "--jobs", "wordcount*", "--json"))
    summary = done.json
    assert (summary["source"], summary["log_count"], summary["event_count"]) == ("archive", 2, 815)
    assert (summary["repaired_rows"], summary["failures"]) == (1, [])
    assert spark_cli(*spark("verify", "wordcount_pv")).code == 0


def test_topics_are_replayed(
    spark_cli: CommandLine, kafka_cli: CommandLine, topics: "Topics", coordinator_topic: str, job_name: str
) -> None:
    topics.write(coordinator_topic, config(a="1", b="2", c="3"))
    for added in (3, 0):
        summary = spark_cli(*spark("replay", "--from", "kafka", "--jobs", f"{job_name}*", "--json")).json
        assert (summary["log_count"], summary["added"], summary["failures"]) == (1, added, [])
    topics.write(coordinator_topic, config(a=None))
    spark_cli.done(*spark("replay", "--from", "kafka", "--jobs", f"{job_name}/1"))
    assert spark_cli.ask("select config_key from coordinator.config order by 1") == [("b",), ("c",)]
    assert spark_cli(*spark("verify", "--all")).code == 0


@pytest.mark.spark
def test_a_pattern_without_a_job_names_the_known_jobs_and_changes_nothing(wordcount: CommandLine) -> None:
    with wordcount.connection() as connection:  # also the job's own name is lost then
        connection.execute("truncate projection.job_log, projection.position cascade")
    assert wordcount.refused("spark", "replay", "--jobs", "x*") == (
        'No job in the archive matches "x*". Known jobs: wordcount-pv/1.'
    )
    assert wordcount.ask("select count(*) from projection.position") == [(0,)]


def test_a_busy_stream_is_a_failure_of_its_log(spark_cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    spark_cli.done(*spark("replay", "--from", RECORDING_A[0]))
    with spark_cli.connection() as other:
        other.execute("update projection.position set fold_version = '99-x'")
        other.commit()
        ended = spark_cli(*spark("replay", "--json"))
    assert ended.code == 1
    assert [failure["stream_name"] for failure in ended.json["failures"]] == [COORDINATOR]
    assert ended.err.startswith(f"Cannot replay {COORDINATOR}. ")
    assert CHECKPOINT not in ended.err


def test_a_lake_is_written_verified_and_replayed(
    spark_cli: CommandLine,
    clone_database: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lake = tmp_path / "lake"
    spark_cli.done("import", *RECORDING_A)
    (done,) = spark_cli.rows("spark", "archive", "--output", lake)
    assert (done["run"], done["logs"], done["events"], done["files"], done["failures"]) == (1, 2, 815, 2, [])
    assert spark_cli.done("spark", "archive", "--output", lake) == "Nothing is new in 2 logs.\n"
    verify = ("verify", "--all", "--against", lake, "--json")
    assert spark_cli.done("spark", *verify) == spark_cli.done(*verify)
    expected = spark_cli.ask(FINGERPRINTS)

    url = clone_database()
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", url)
    new = CommandLine(url, capsys)
    assert new.done("spark", "replay", "--from", "lake").startswith("Replayed 2 logs: 815 events, in ")
    assert new.ask(FINGERPRINTS) == expected
    again = new("spark", "replay", "--from", lake, "--json").json
    assert (again["added"], again["skipped"], again["failures"]) == (0, 815, [])
    assert new.refused("spark", "replay", "--from", lake, "--jobs", "x*").startswith(f"No job in '{lake}' matches")
