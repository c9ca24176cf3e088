"""Steered jobs on real Kafka, Spark and Postgres: what a batch reads, and what sink, log and relations say after it."""

import sys
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from coordstream.spark import PostgresSink
from eventlog.errors import EventLogError
from eventlog.streams import coordinator_stream_name
from managers.steered.steered_job import RecordsLost
from spark_jobs.errors import SparkJobError
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import started
from tests.fixtures.spark_jobs.clicks import ALL, ClicksJob, clicks, parsed


def test_a_job_reads_once_and_a_rewind_reads_again(spark: SparkSession, clicks_job: ClicksJob) -> None:
    assert clicks_job.stream(max_records=40).run(spark, available_now=True) == 4
    assert clicks_job.stream().run(spark, available_now=True) == 0
    assert clicks_job.written() == ALL
    clicks_job.follow()
    clicks_job.rewind(partition=1, offset=30)
    clicks_job.topics.write(clicks_job.topic, clicks(range(150, 160)))
    stream = clicks_job.stream()
    stream.stop()
    assert [stream.run(spark, available_now=True) for _ in range(2)] == [0, 1]
    assert clicks_job.written() == sorted([*ALL, *range(150, 160), *range(130, 150)])
    clicks_job.follow()
    commits = clicks_job.query(
        "select partition_id, input_offset from coordinator.checkpoint_history order by log_offset, partition_id"
    )
    assert commits[:2] == [(0, "-1"), (1, "-1")]
    assert commits[-6:] == [(0, "99"), (1, "49"), (0, "99"), (1, "29"), (0, "109"), (1, "49")]
    steps = clicks_job.query("select status from coordinator.startpoint_history order by log_offset")
    assert steps == [("requested",), ("fanned_out",), ("consumed",)]
    starts = clicks_job.query("select partition_id, decided_by, starting_offset from coordinator.starting_offset")
    assert sorted(starts) == [(0, "checkpoint", "110"), (1, "checkpoint", "50")]
    assert f"kafka.{clicks_job.topic}" in clicks_job.cli("explain", clicks_job.name).out
    lags = clicks_job.cli("lag", clicks_job.name, "--json").json
    assert [(lag["task_name"], lag["records_behind"]) for lag in lags] == [(clicks_job.name, 0)] * 2


def test_a_startpoint_is_followed_at_once_if_the_config_says_so(spark: SparkSession, clicks_job: ClicksJob) -> None:
    batches: list[object] = []

    def process(records: DataFrame, batch: object) -> DataFrame:
        if not batches:
            clicks_job.rewind(partition=1, offset=0)
        batches.append(batch)
        return parsed(records)

    config = {**clicks_job.given["config"], "coordstream.startpoints.live": "true"}
    clicks_job.stream(config=config, process=process).run(spark, available_now=True)
    assert clicks_job.written() == sorted([*ALL, *ALL[100:]])


def test_lost_records_stop_the_job(spark: SparkSession, clicks_job: ClicksJob) -> None:
    clicks_job.stream().run(spark, available_now=True)
    clicks_job.rewind(partition=0, offset=5000)
    with pytest.raises(RecordsLost, match="is 5000, but it has only offsets from 0 to before 100"):
        clicks_job.stream().run(spark, available_now=True)
    clicks_job.rewind(partition=0, offset=90)
    clicks_job.stream().run(spark, available_now=True)
    assert clicks_job.written() == sorted([*ALL, *ALL[90:100]])


def test_bad_input_is_one_sentence_and_writes_nothing(spark: SparkSession, clicks_job: ClicksJob) -> None:
    def refusal(**changed: object) -> str:
        with pytest.raises(EventLogError) as error:
            clicks_job.stream(**changed).run(spark, available_now=True)
        return str(error.value)

    url = clicks_job.cli.database_url
    assert refusal(inputs=["kafka.missing"]).endswith(" has no stream missing. Check its name and system.")
    assert not clicks_job.topics.is_there(coordinator_stream_name(clicks_job.name, "1"))
    assert refusal(inputs=["clicks"]) == "Invalid input 'clicks'. Expected SYSTEM.STREAM, for example kafka.clicks."
    assert refusal(inputs="kafka.clicks").startswith("Invalid inputs 'kafka.clicks'. Expected a list of names")
    assert refusal(config={"task.commit.ms": 60000}).endswith("task.commit.ms in config: expected a string, not int.")
    assert "writes output and position in one transaction" in refusal(sink="s3://bucket")
    assert refusal(sink=PostgresSink("none", url=url)) == 'The sink has no table "none". Create it first.'
    assert refusal(process=lambda *_: 1) == "`process` returned int. Expected a DataFrame."
    assert refusal(process=lambda rows, _: rows.select()).startswith("`process` returned a DataFrame without columns.")
    streaming = spark.readStream.format("rate").load()
    assert "`process` returned a streaming DataFrame" in refusal(process=lambda *_: streaming)
    with pytest.raises(SparkJobError, match="either a table or a statement"):
        PostgresSink(url=url)
    assert clicks_job.written() == []


MODULE = """
import os, signal
from coordstream.spark import PostgresSink, SteeredStream

def process(records, batch):
    return records.selectExpr("cast(key as string) as user_name", "cast(cast(value as string) as int) as number")

def stream(process=process):
    return SteeredStream(sink=PostgresSink("clicks", url={url!r}), process=process, **{given!r})

def stopped():
    return stream(lambda *batch: os.killpg(0, signal.SIGTERM) or process(*batch))  # as `timeout` and shells do

number = 1
"""


def test_the_command_runs_a_stream_of_a_module(
    spark: SparkSession, clicks_job: ClicksJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(spark), "stop", lambda _: None)  # it would be the session of the run
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = f"steered_{clicks_job.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(MODULE.format(url=clicks_job.cli.database_url, given=clicks_job.given))

    def run(name: str) -> tuple[int, str]:
        done = clicks_job.cli("spark", "run", name, "--available-now")
        return done.code, done.out + done.err

    assert run(f"{module}:stream") == (0, "Wrote 1 batch.\n")
    assert clicks_job.written() == ALL
    assert run(f"{module}:number") == (1, f"'{module}:number' is int. Expected a SteeredStream.\n")
    advice = "Correct MODULE:STREAM, or the module.\n"
    assert run(f"{module}:no")[1].endswith(f"has no attribute 'no'. {advice}")
    for number, text in enumerate(["\nimport os; os.environ['UNSET']", "import os\ndef stream(): os.environ['UNSET']"]):
        (tmp_path / f"unset{number}.py").write_text(text)
        place = f"KeyError: 'UNSET' (unset{number}.py, line 2)"
        assert run(f"unset{number}:stream") == (1, f"Cannot load 'unset{number}:stream': {place}. {advice}")
    assert run("no_such:stream")[1].endswith(f": No module named 'no_such'. {advice}")
    assert run("clicks")[1].startswith("Invalid 'clicks': ':STREAM' is missing, as in clicks:stream.")


@pytest.mark.long
def test_a_signal_to_the_group_ends_the_job(clicks_job: ClicksJob, tmp_path: Path, jdbc_jar: Path) -> None:
    (tmp_path / "steered.py").write_text(MODULE.format(url=clicks_job.cli.database_url, given=clicks_job.given))
    more = {"PYTHONPATH": f"{tmp_path}:{CHECKOUT}", "COORDSTREAM_JDBC_JAR": str(jdbc_jar)}
    brokers = {"COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": clicks_job.topics.bootstrap_servers}
    with started(clicks_job.cli, "spark", "run", "steered:stopped", **more, **brokers) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (0, "Wrote 1 batch.\n"), err
    assert clicks_job.written() == ALL
