"""Batches read by Spark's Kafka connector and in Python are the same."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from eventlog.events import RecordedEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from spark_jobs.steered import kafka_input
from spark_jobs.steered.kafka_input import Piece, _to_arrow, read_ranges
from tests.fixtures.spark_jobs.clicks import ClicksJob


def test_both_ways_of_reading_give_the_same_records(
    spark: SparkSession, clicks_job: ClicksJob, kafka_options: KafkaOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges = {
        SystemStreamPartition("kafka", clicks_job.topic, 0): range(7, 100),
        SystemStreamPartition("kafka", clicks_job.topic, 1): range(31),
    }
    by_connector = read_ranges(spark, kafka_options, ranges)

    def missing(*_: object) -> None:
        raise AnalysisException("Failed to find data source: kafka. Please deploy the application")

    monkeypatch.setattr(kafka_input, "_read_by_connector", missing)
    in_python = read_ranges(spark, kafka_options, ranges)
    assert in_python.schema.simpleString() == by_connector.schema.simpleString()
    assert in_python.count() == 93 + 31
    assert in_python.exceptAll(by_connector).count() == 0


def test_a_timestamp_that_spark_cannot_represent_is_null() -> None:
    assert _to_arrow(Piece("clicks", 0, 0, 1), [RecordedEvent(0, 2**62, 0, b"", b"")])["timestamp"].null_count == 1
