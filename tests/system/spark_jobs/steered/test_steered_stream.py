"""Steered jobs on real Kafka, Spark and Postgres: what a batch reads, and what the sink and the log say after it."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from coordstream.spark import PostgresSink, SteeredStream
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics


def clicks(first: int, until: int) -> list[NewEvent]:
    return [NewEvent(b"user-%d" % (n % 5), b"%d" % n) for n in range(first, until)]


def parsed(records: DataFrame, _: Any) -> DataFrame:
    return records.selectExpr("cast(key as string) as user_name", "cast(cast(value as string) as int) as number")


@pytest.fixture
def topic(topics: Topics) -> str:
    name = topics.create("clicks", {}, partitions=2)
    topics.write(name, clicks(0, 100))
    topics.write(name, clicks(100, 150), partition=1)
    return name


def test_a_job_reads_and_a_rewind_reads_again(
    spark: SparkSession, kafka_cli: CommandLine, connected: Connection, database_url: str, topic: str
) -> None:
    connected.execute("create table clicks (user_name text, number integer)")
    job = SteeredStream(
        job="clicks/1",
        inputs=[f"kafka.{topic}"],
        sink=PostgresSink("clicks", url=database_url),
        process=parsed,
        config={"systems.kafka.samza.offset.default": "oldest"},
        max_records=40,
    )
    assert job.run(spark, available_now=True) == 4
    found = connected.execute("select number from clicks order by 1").fetchall()
    assert found == [(n,) for n in range(150)]
    print(connected.execute("select * from steered_position").fetchall())
    print(kafka_cli("follow", "--all", "--once"))
    print(kafka_cli("explain", "clicks"))
    print(kafka_cli("checkpoint", "history", "clicks"))
    print(kafka_cli("startpoint", "write", "clicks", f"kafka.{topic}.1", "30", "--yes"))
    assert job.run(spark, available_now=True) == 1
    assert connected.execute("select count(*) from clicks").fetchone() == (170,)
    print(kafka_cli("follow", "--all", "--once"))
    print(kafka_cli("lag", "clicks"))
    print(connected.execute("select * from coordinator.startpoint_history").fetchall())
