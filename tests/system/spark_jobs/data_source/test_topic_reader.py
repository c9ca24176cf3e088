"""Topics of Kafka as the data source reads them; no test here needs Spark."""

from collections.abc import Iterator

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from eventlog.kafka.options import KafkaOptions
from eventlog.source import OffsetLost
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.log_reader import parse_options
from spark_jobs.data_source.source import BatchReader
from spark_jobs.data_source.stream_reader import StreamReader
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings
from tests.builders import config_set
from tests.fixtures.data_source import FOLD
from tests.fixtures.kafka_topics import Topics


@pytest.fixture
def batch(kafka_options: KafkaOptions, coordinator_topic: str) -> BatchReader:
    options = parse_options({"from": "kafka", "streams": coordinator_topic, "offsetsPerPartition": "2"})
    return BatchReader(options, LogTaskSettings("", FOLD, kafka_options), SCHEMA)


@pytest.fixture
def stream(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[StreamReader]:
    options = parse_options({"from": "kafka", "streams": f"{coordinator_topic}*"})
    reader = StreamReader(options, LogTaskSettings("", FOLD, kafka_options), SCHEMA)
    yield reader
    reader.stop()


def test_a_topic_is_read_in_ranges_up_to_its_present_end(
    batch: BatchReader, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, [config_set(f"key-{number}", "x") for number in range(5)])
    ranges = list(batch.partitions())
    topics.write(coordinator_topic, [config_set("later", "x")])
    rows = [row for part in ranges for found in batch.read(part) for row in found.to_pylist()]
    assert [(row["log_offset"], row["message_key"]) for row in rows] == [(n, f"key-{n}") for n in range(5)]
    assert {(row["stream_name"], row["incarnation"]) for row in rows} == {(coordinator_topic, None)}
    assert len(ranges) == 3


def test_a_topic_that_was_re_created_after_planning_is_not_read(
    batch: BatchReader, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, [config_set()] * 2)
    (planned,) = batch.partitions()
    topics.create_again(coordinator_topic)
    topics.write(coordinator_topic, [config_set()] * 2)
    with pytest.raises(OffsetLost):
        list(batch.read(planned))


def test_a_stream_fails_when_its_topic_is_re_created(
    stream: StreamReader, topics: Topics, coordinator_topic: str
) -> None:
    topics.write(coordinator_topic, [config_set()] * 2)
    end = stream.latestOffset(stream.initialOffset(), ReadAllAvailable())
    assert end[coordinator_topic].log == f"topic {topics.topic_id(coordinator_topic)}"
    topics.create_again(coordinator_topic)
    topics.write(coordinator_topic, [config_set()] * 3)
    with pytest.raises(SparkJobError, match=f"{coordinator_topic} was re-created"):
        stream.latestOffset(end, ReadAllAvailable())
