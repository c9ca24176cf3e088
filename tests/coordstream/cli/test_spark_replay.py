"""`coordstream spark replay` and `spark verify`: the same rows and texts as `import` and `verify`, and bad input."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.acceptance.followed import config
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.fixtures.kafka_topics import Topics

DELETE_A_ROW: Final = """
delete from projection.message_current
where (log_id, key_id) in (select log_id, key_id from projection.message_current limit 1)
"""


@pytest.fixture
def spark_cli(cli: CommandLine, spark: "SparkSession", monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, with the Spark session of the run."""

    def session(_name: str, conf: dict[str, str]) -> Any:
        assert conf == {"spark.master": "local[2]"}
        return nullcontext(spark)

    for command in ("replay", "verify"):
        monkeypatch.setattr(f"coordstream.cli.spark.{command}.spark_session", session)
    monkeypatch.setattr("spark_jobs.dispatch.LINE_SECONDS", float("inf"))
    return cli


@pytest.mark.parametrize("source", ["archive", "kafka", str(RECORDING_A[0])])
def test_a_user_who_can_only_read_is_refused_before_spark_starts(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setattr("coordstream.cli.spark.replay.spark_session", None)
    monkeypatch.setenv("PGOPTIONS", "-c role=coordstream_reader")
    refused = cli.refused("spark", "replay", "--from", source)
    assert refused == "This database user may not write relations. Connect as the database's owner."


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


def test_an_until_in_the_past_of_a_recording_ends_it(spark_cli: CommandLine) -> None:
    spark_cli.done(*spark("replay", "--from", RECORDING_A[0], "--until", "2000-01-01"))
    assert spark_cli.ask("select count(*) from eventlog.event") == [(0,)]


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
    assert spark_cli(*spark("verify", "--all", "--against", "kafka")).code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--until", "2026-01-01"], "'--until' needs '--from kafka' or recordings"),
        (["--conf", "spark.x"], "Invalid '--conf' value 'spark.x'. Expected NAME=VALUE."),
        (["--tasks", "0"], "Invalid value for '--tasks'"),
        (["--until", "noon"], "Invalid time 'noon'."),
        (["--from", ""], "'--from' is empty. Expected 'archive', 'kafka', a lake, or recordings."),
    ],
)
def test_invalid_usage_has_exit_code_2(cli: CommandLine, words: list[str], sentence: str) -> None:
    assert sentence in cli.refused("spark", "replay", *words, code=2)
    assert cli.is_empty()


@pytest.mark.spark  # which needs Java, as does the command
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from", "nowhere"], "'nowhere' does not exist. Name a recording, a folder of recordings or a pattern."),
        (["--from", "kafka"], "No Kafka brokers are set. Set COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS."),
        ([], "The database has no logs yet. Run `coordstream import FILE` or `coordstream follow`."),
    ],
)
def test_without_anything_to_replay_spark_is_not_started(cli: CommandLine, words: list[str], sentence: str) -> None:
    assert cli.refused("spark", "replay", *words) == sentence
    assert cli.is_empty()


@pytest.mark.spark
def test_a_pattern_without_a_job_names_the_known_jobs_and_changes_nothing(wordcount: CommandLine) -> None:
    with wordcount.connection() as connection:  # also the job's own name is lost then
        connection.execute("truncate projection.job_log, projection.position cascade")
    assert wordcount.refused("spark", "replay", "--jobs", "x*") == (
        'No job in the archive matches "x*". Known jobs: wordcount-pv/1.'
    )
    assert wordcount.ask("select count(*) from projection.position") == [(0,)]


def test_without_java_the_command_says_what_to_install(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/none")
    for verb in (["replay", "--from", str(RECORDING_A[0])], ["verify", "--all"]):
        assert cli.refused("spark", *verb).startswith("Cannot run Java at '/none/bin/java'. Install Java 17")
    assert cli.is_empty()


def test_the_master_of_spark_submit_cannot_be_changed(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    refused = cli.refused("spark", "replay", "--master", "yarn", code=2)
    assert refused.startswith("spark-submit has set the master. Leave '--master' out, or give it to spark-submit.")


@pytest.mark.spark
def test_an_unreachable_database_is_named(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u:hunter2@127.0.0.1:1/d")
    refused = cli.refused("spark", "replay", "--from", RECORDING_A[0])
    assert refused.startswith("Cannot reach the database of COORDSTREAM_DATABASE_URL")
    assert "hunter2" not in refused


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
