"""A steered job beside one of Structured Streaming, with foreachBatch and Spark's own checkpoints, in turns."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

from pyspark.sql import DataFrame, SparkSession

from benchmarks.document import Lines, table
from benchmarks.processes import Cost
from benchmarks.servers import BenchmarkServer
from benchmarks.spark import CORES, compared_with, costs_in_turns
from coordstream.spark import PostgresSink, SteeredStream
from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from spark_jobs.relations.jdbc import jdbc_properties
from spark_jobs.session import build_session, driver_conf
from tests.fixtures.jar_list import SPARK_KAFKA_JARS
from tests.fixtures.kafka_topics import Topics

TOPIC: Final = "clicks"
PARTITIONS: Final = 8
BATCH_RECORDS: Final = 100_000
CONNECTOR: Final = Path(".pytest_cache/d/spark-kafka-jars")
"""The folder of the connector's jars, which the tests use too."""

STEERED: Final = "`SteeredStream` with a `PostgresSink`"
PEER: Final = "`foreachBatch` with Spark's JDBC writer"
_TABLE: Final = """
drop table if exists clicks; create table clicks (user_name text, page integer, partition integer, "offset" bigint)
"""
_METHOD: Final = (
    f"How: both read {PARTITIONS} partitions with Spark's Kafka connector, {BATCH_RECORDS:,} records a batch, into an",
    "empty table of the same columns; the peer's batches of 10,000 rows are rewritten into multi-row inserts. The peer",
    "may write a batch again after a crash, the steered job does not. The first round does not count.",
)


def measure_steered(
    server: BenchmarkServer, topics: Topics, records: int, rounds: int, say: Callable[[str], None]
) -> dict[str, list[Cost]]:
    """Read some records, a multiple of `PARTITIONS`, in each round."""
    topics.create(TOPIC, {}, partitions=PARTITIONS)
    for partition in range(PARTITIONS):
        clicks = [NewEvent(b"user-%d" % (number % 1000), b"%d" % number) for number in range(records // PARTITIONS)]
        topics.write(TOPIC, clicks, partition=partition)
    CONNECTOR.mkdir(parents=True, exist_ok=True)
    jars, driver = map(str, SPARK_KAFKA_JARS.folder(CONNECTOR, os.environ).glob("*.jar")), driver_conf(os.environ)
    conf = {"spark.master": f"local[{CORES}]", **driver, "spark.jars": ",".join([driver.get("spark.jars", ""), *jars])}
    spark = build_session("benchmark", conf)
    try:
        with server.database("steered") as url:
            steps = {name: partial(step, spark, topics.bootstrap_servers, url) for name, step in _STEPS.items()}
            return costs_in_turns(server, rounds, say, steps)
    finally:
        spark.stop()


def steered_report(costs: dict[str, list[Cost]], records: int, on: str) -> Lines:
    """Records per second, and the ratios to the peer."""
    columns = (f"{records:,} records from a topic into a table", "records/s", "speed beside the peer", "by CPU time")
    return [on, "", *table(columns, compared_with(PEER, records, costs)), "", *_METHOD]


def _clicks(records: DataFrame, _: object = None) -> DataFrame:
    return records.selectExpr(
        "cast(key as string) as user_name", "cast(cast(value as string) as int) as page", "partition", "offset"
    )


def _steered(spark: SparkSession, brokers: str, url: str) -> None:
    with TemporaryDirectory() as home, connect(url) as connection:
        connection.execute(_TABLE)
        settings = {"DATABASE_URL": url, "KAFKA_BOOTSTRAP_SERVERS": brokers, "HOME": home}
        with patch.dict(os.environ, {f"COORDSTREAM_{name}": value for name, value in settings.items()}):
            sink, config = PostgresSink("clicks", url=url), {"systems.kafka.samza.offset.default": "oldest"}
            job = f"steered-{Path(home).name.replace('_', '-')}"  # a new one
            stream = SteeredStream(job=job, inputs=[f"kafka.{TOPIC}"], sink=sink, process=_clicks, config=config)
            stream.run(spark, available_now=True)


def _peer(spark: SparkSession, brokers: str, url: str) -> None:
    with TemporaryDirectory() as folder, connect(url) as connection:
        connection.execute(_TABLE)
        properties = {**jdbc_properties(connection), "batchsize": "10000", "reWriteBatchedInserts": "true"}
        jdbc_url = properties.pop("url")

        def write(frame: DataFrame, _: int) -> None:
            frame.write.jdbc(jdbc_url, "clicks", mode="append", properties=properties)

        options = {"kafka.bootstrap.servers": brokers, "subscribe": TOPIC, "startingOffsets": "earliest"}
        records = spark.readStream.format("kafka").options(**options, maxOffsetsPerTrigger=str(BATCH_RECORDS)).load()
        query = _clicks(records).writeStream.foreachBatch(write).trigger(availableNow=True)
        query.option("checkpointLocation", folder).start().awaitTermination()


_STEPS: Final = {STEERED: _steered, PEER: _peer}
