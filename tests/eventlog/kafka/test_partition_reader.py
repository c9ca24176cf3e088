"""How many records a range has, and why a range cannot be counted."""

from collections.abc import Iterator
from typing import NoReturn

import pytest
from kafka import KafkaConsumer
from kafka.errors import LogTruncationError

from eventlog.events import NewEvent
from eventlog.kafka import partition_reader
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.partition_reader import RecordCounter
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable
from tests.fixtures.kafka_topics import Topics

TWO = [NewEvent(b"a", b"1"), NewEvent(b"b", None)]


@pytest.fixture
def counter(kafka_options: KafkaOptions) -> Iterator[RecordCounter]:
    with RecordCounter(kafka_options) as counter:
        yield counter


@pytest.fixture
def partition(topics: Topics, job_name: str) -> SystemStreamPartition:
    """A partition with two records."""
    name = topics.create(f"{job_name}-input", {"cleanup.policy": "delete"})
    topics.write(name, TWO)
    return SystemStreamPartition("kafka", name, 0)


def test_the_records_of_a_range_are_counted(
    counter: RecordCounter, topics: Topics, partition: SystemStreamPartition
) -> None:
    topics.write_transaction(partition.stream, TWO, commit=False)  # offsets 2 and 3, and a marker
    topics.write(partition.stream, TWO)
    assert counter.count(partition, 0, 2) == (2, 3)
    assert counter.count(partition, 1, 7) == (5, 7)
    assert counter.count(partition, 5, 5) == (0, 0)


def test_records_that_were_deleted_cannot_be_counted(
    counter: RecordCounter, topics: Topics, partition: SystemStreamPartition
) -> None:
    topics.delete_before(partition.stream, 1)
    with pytest.raises(OffsetLost):
        counter.count(partition, 0, 2)


def test_records_that_were_truncated_cannot_be_counted(
    counter: RecordCounter, partition: SystemStreamPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def truncated(_consumer: KafkaConsumer, timeout_ms: int) -> NoReturn:
        raise LogTruncationError({})

    monkeypatch.setattr(KafkaConsumer, "poll", truncated)
    with pytest.raises(OffsetLost):
        counter.count(partition, 0, 2)


def test_a_count_without_records_times_out(
    kafka_options: KafkaOptions, partition: SystemStreamPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_reader, "SILENCE_SECONDS", 0.1)
    silent = (
        f"Partition 0 of {partition.stream} returned nothing after offset 1 for 0.1 s, but is to be read to offset 2"
    )
    with RecordCounter(kafka_options) as counter, pytest.raises(SourceUnavailable, match=silent):
        counter.count(partition, 0, 3)
