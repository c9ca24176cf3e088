"""Streaming queries on Kafka whose offsets are on the logs of a job."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from coordstream.spark import observe, register, starting_offsets
from spark_jobs.errors import SparkJobError
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.database_sessions import end_sessions
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import MakeLog
from tests.fixtures.spark_jobs.observed_query import NAME, TASK, ObservedQuery, Offsets
from tests.fixtures.waiting import wait_until

STREAM = "__samza_coordinator_orders_1"


@pytest.fixture
def query(spark: SparkSession, topics: Topics, job_name: str, tmp_path: Path) -> Iterator[ObservedQuery]:
    yield ObservedQuery(spark, topics, job_name, tmp_path)
    for running in spark.streams.active:
        running.stop()


def run(spark: SparkSession, query: ObservedQuery) -> None:
    """Start the query where the log says, and read to the present ends."""
    with observe(spark, query.job, NAME, query.config):
        query.run(starting_offsets(query.job, query.config, query.inputs))


def history(cli: CommandLine) -> list[Offsets]:
    """The next offsets of each checkpoint on the log, in order."""
    assert cli("follow", "--all", "--once").code == 0
    rows = cli.ask(
        "select log_offset, stream_name, partition_id, input_offset_number + 1 from coordinator.checkpoint_history "
        "order by log_offset"
    )
    return [
        {(stream, partition): offset for _, stream, partition, offset in checkpoint}
        for _, checkpoint in groupby(rows, lambda row: row[0])
    ]


def written(batches: list[Offsets]) -> list[Offsets]:
    """The checkpoints of batches: without repeated ones."""
    return [offsets for offsets, _ in groupby(batches)]


def test_every_committed_batch_is_in_the_history(cli: CommandLine, spark: SparkSession, query: ObservedQuery) -> None:
    query.produce({0: 5, 1: 7, 3: 9})
    run(spark, query)
    query.produce({0: 3, 2: 4})
    run(spark, query)
    first = written(query.committed())
    assert len(first) > 2
    assert history(cli) == first
    query.delete_folder()
    query.produce({1: 2})
    run(spark, query)
    assert query.committed()[0] == {**first[-1], (query.inputs[0], 1): 9, (query.inputs[1], 1): 9}
    assert history(cli) == first + written(query.committed())


@pytest.mark.long
def test_one_partition_is_rewound(
    cli: CommandLine, spark: SparkSession, query: ObservedQuery, caplog: pytest.LogCaptureFixture
) -> None:
    query.produce({0: 5, 1: 7, 2: 1, 3: 9})
    run(spark, query)
    before = query.committed()[-1]
    rewound = (query.inputs[0], 1)
    history(cli)
    target = ("--input", f"kafka.{rewound[0]}.1", "--to-offset", "3")
    planned = cli("rewind", "plan", query.job, *target, "-o", "plan.json")
    assert planned.code == 0, planned.err
    finished = cli("rewind", "apply", "plan.json", "--yes")
    assert finished.code == 0, finished.err
    query.produce({0: 1})
    run(spark, query)  # in the old folder
    (warning,) = [record.message for record in caplog.records if "new folder" in record.message]
    assert f"did not start kafka.{rewound[0]}.1 at its startpoint" in warning
    after = query.committed()[-1]
    assert after[rewound] == before[rewound]
    query.delete_folder()
    assert json.loads(starting_offsets(query.job, query.config)) == {
        topic: {str(number): 3 if (topic, number) == rewound else after[topic, number] for number in range(4)}
        for topic in query.inputs
    }
    run(spark, query)
    assert query.committed()[-1] == after
    history(cli)
    steps = cli.ask("select task_name, status from coordinator.startpoint_history order by log_offset")
    assert steps == [(TASK, "requested"), (TASK, "fanned_out"), (TASK, "consumed")]
    assert json.loads(starting_offsets(query.job, query.config))[rewound[0]]["1"] == 7


def test_the_tools_of_jobs_work(cli: CommandLine, spark: SparkSession, query: ObservedQuery) -> None:
    query.produce({0: 5, 1: 7, 3: 9})
    run(spark, query)
    query.produce({2: 6})
    history(cli)
    behind = {(row["stream_name"], row["partition_id"]): row["records_behind"] for row in cli.rows("lag", query.job)}
    assert behind == {(topic, number): 6 if number == 2 else 0 for topic in query.inputs for number in range(4)}
    groups = cli.rows("consumer-groups", query.job)
    assert {(row["stream_name"], row["partition_id"]): row["group_offset"] for row in groups} == query.committed()[-1]
    assert {row["state"] for row in cli.rows("status")} <= {"live", "stopped"}
    explained = [row for row in cli.rows("explain", query.job, TASK) if row["outcome"] == "wins"]
    assert [row["rule"] for row in explained] == ["checkpoint"] * 8
    config = dict(cli.ask("select config_key, config_value from coordinator.config"))
    assert config["task.inputs"] == ",".join(f"kafka.{topic}" for topic in query.inputs)
    assert config["spark.query.name"] == NAME
    assert config["spark.query.sink"].startswith("FileSink")
    assert {"spark.query.id", "spark.query.run.id", "spark.app.id", "spark.version"} <= config.keys()


@pytest.mark.long
def test_the_query_goes_on_while_the_database_is_away(
    cli: CommandLine,
    spark: SparkSession,
    query: ObservedQuery,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    query.produce({0: 9})
    with observe(spark, query.job, NAME, query.config) as observation:
        streaming = query.start()
        streaming.processAllAvailable()
        wait_until(lambda: history(cli) == written(query.committed()), what="the first batches")
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
        end_sessions(cli.database_url)
        query.produce({1: 9})
        streaming.processAllAvailable()
        query.produce({2: 9})
        streaming.processAllAvailable()
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", cli.database_url)
        query.produce({3: 9})
        streaming.processAllAvailable()
        streaming.stop()
        observation.stop()
    assert history(cli) == written(query.committed())
    assert len([record for record in caplog.records if "wait until the log answers" in record.message]) == 1


@pytest.mark.long
def test_what_a_killed_run_could_not_write_is_written_by_the_next(
    cli: CommandLine, spark: SparkSession, query: ObservedQuery
) -> None:
    query.produce({0: 9})
    query.run()
    missed = written(query.committed())
    query.produce({1: 1})
    run(spark, query)
    assert history(cli) == [missed[-1], query.committed()[-1]]
    streaming = query.start()
    with observe(spark, query.job, NAME, query.config):  # of a query that runs
        query.produce({2: 1})
        streaming.processAllAvailable()
        streaming.stop()
    assert history(cli)[-1] == query.committed()[-1]


@pytest.mark.long
def test_streams_of_our_data_source_are_observed(
    cli: CommandLine, spark: SparkSession, make_log: MakeLog, tmp_path: Path
) -> None:
    register(spark)
    make_log(STREAM, a="x", b="y", c="z")
    events = spark.readStream.format("coordinator_stream").option("streams", STREAM).load()
    writer = events.writeStream.queryName(NAME).option("checkpointLocation", str(tmp_path / "checkpoints"))
    with observe(spark, "counts", NAME):
        writer.trigger(availableNow=True).start(str(tmp_path / "sink"), "parquet").awaitTermination()
    assert cli("follow", "--all", "--once").code == 0
    found = cli.ask("select task_name, system_name, stream_name, input_offset from coordinator.checkpoint")
    assert found == [(TASK, "coordstream", STREAM, "2")]


@pytest.mark.long
def test_a_query_of_spark_connect_is_observed(
    cli: CommandLine, connect_session: SparkSession, topics: Topics, job_name: str, tmp_path: Path
) -> None:
    query = ObservedQuery(connect_session, topics, job_name, tmp_path)
    query.produce({0: 5, 1: 7})
    run(connect_session, query)
    assert history(cli) == written(query.committed())


def test_a_query_without_a_name_and_a_job_of_others_are_refused(
    cli: CommandLine, spark: SparkSession, appendable: CommandLine
) -> None:
    with pytest.raises(SparkJobError, match="A query without a name cannot be observed"):
        observe(spark, "counts", "")
    with pytest.raises(SparkJobError, match="Expected NAME or NAME/ID"):
        observe(spark, "a b", NAME)
    with pytest.raises(SparkJobError, match=r"belongs to another program: app\.runner"):
        observe(spark, "wordcount_pv", NAME)
    with pytest.raises(SparkJobError, match=r"Invalid topics 'clicks'. Expected a list of names"):
        starting_offsets("counts", topics="clicks")
    assert not spark.streams.active
    with pytest.raises(SparkJobError, match=r"belongs to another program: app\.runner"):
        starting_offsets("wordcount_pv")
