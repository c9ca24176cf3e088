"""Histories as of a time and an offset, of jobs whose logs were re-created, and rows that are not events."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from eventlog.postgres.connection import connect
from eventlog.startpoint import StartpointOldest
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from spark_jobs.relations.reader import RelationReader, log_positions
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded, startpoint
from tests.fixtures.acceptance.imported_job import ImportedJob

FIRST: Final = datetime.fromtimestamp(FIRST_TIME / 1000, UTC)
HOUR: Final = 3_600_000
AFTER_TWO: Final = FIRST + timedelta(milliseconds=1)
COORDINATOR, CHECKPOINTS = coordinator_stream_name("hist"), checkpoint_stream_name("hist")


@pytest.fixture
def reader(database_url: str) -> RelationReader:
    """A job whose coordinator stream has two incarnations with the same times, and another job."""
    with connect(database_url) as connection:
        job = ImportedJob(connection, "hist", checkpoints=[checkpoint_v1(at=FIRST_TIME + 1)])
        for value in ("a", "b"):
            job.import_recorded(job.coordinator_stream, recorded([config_set(f"k{n}", value) for n in range(4)]))
        ImportedJob(connection, "other", coordinator=[config_set("k0")])
    return RelationReader(lambda: database_url)


def rows(spark: Any, reader: RelationReader, relation: str = "config_history", **arguments: Any) -> list[Any]:
    """The events of a history as (incarnation, offset), sorted; those of checkpoint topics have a 0 in front."""
    read = reader.read_relation(spark, relation, columns=["stream_kind", "incarnation", "log_offset"], **arguments)
    found = [(row.incarnation, row.log_offset) for row in read.collect() if row.stream_kind == "coordinator"]
    return sorted(found) + [0] * (read.count() - len(found))


def test_each_incarnation_ends_at_the_time(spark: SparkSession, reader: RelationReader) -> None:
    both = [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert rows(spark, reader, job="hist", as_of=AFTER_TWO) == both
    assert rows(spark, reader, job="hist", as_of=FIRST - timedelta(seconds=1)) == []
    assert rows(spark, reader, as_of=AFTER_TWO) == sorted([*both, (1, 0)])
    assert rows(spark, reader, as_of=AFTER_TWO, partitions=2) == sorted([*both, (1, 0)])
    assert rows(spark, reader, "event", job="hist", as_of=AFTER_TWO) == [*both, 0]
    assert rows(spark, reader, "event", job="hist", as_of=FIRST) == [(1, 0), (2, 0)]
    read = reader.read_relation(spark, "config_history", job="hist", as_of=AFTER_TWO)
    assert log_positions(read) == {(COORDINATOR, 1): 2, (COORDINATOR, 2): 2, (CHECKPOINTS, 1): 1}
    state = reader.read_relation(spark, "config", job="hist", as_of=AFTER_TWO)
    assert log_positions(state) == {(COORDINATOR, 2): 2, (CHECKPOINTS, 1): 1}


def test_earlier_incarnations_end_at_the_time_of_the_event(spark: SparkSession, reader: RelationReader) -> None:
    at_two: dict[str, Any] = {"job": "hist", "as_of_offset": 2}
    assert rows(spark, reader, **at_two) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    assert rows(spark, reader, **at_two, incarnation=1) == [(1, 0), (1, 1), (1, 2)]
    assert rows(spark, reader, "event", job="hist", as_of_offset=0) == [(1, 0), (1, 1), (2, 0), (2, 1), 0]
    assert rows(spark, reader, "event", job="hist", as_of_offset=0, stream_kind="coordinator") == [(1, 0), (2, 0)]
    read = reader.read_relation(spark, "config_history", **at_two)
    assert log_positions(read) == {(COORDINATOR, 1): 3, (COORDINATOR, 2): 3, (CHECKPOINTS, 1): 1}


def test_a_startpoint_that_expired_before_the_event_is_in_the_history(spark: SparkSession, database_url: str) -> None:
    requested = startpoint("kafka.in.0", StartpointOldest(FIRST_TIME))
    later = [config_set(at=FIRST_TIME + hours * HOUR) for hours in (11, 13)]
    with connect(database_url) as connection:
        ImportedJob(connection, "hist", coordinator=[requested, *later])
    reader = RelationReader(lambda: database_url)

    def statuses(**arguments: Any) -> list[str]:
        read = reader.read_relation(spark, "startpoint_history", job="hist", **arguments)
        return sorted(row.status for row in read.collect())

    assert statuses(as_of_offset=1) == statuses(as_of=FIRST + timedelta(hours=11)) == ["requested"]
    assert statuses(as_of_offset=2) == statuses(as_of=FIRST + timedelta(hours=13)) == ["expired", "requested"]
