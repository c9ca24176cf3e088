"""Streams from the archive; those from Kafka are in `test_topic_reader`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from eventlog.events import NewEvent
from eventlog.postgres.admin import PostgresAdmin
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from spark_jobs.coordinator_stream.access import Access
from spark_jobs.coordinator_stream.data_source import register
from tests.spark_jobs.coordinator_stream.conftest import SECRETS

FIRST = "__samza_coordinator_first_1"
SECOND = "__samza_coordinator_second_1"

Batches = list[list[tuple[str, int]]]
ReadOn = Callable[..., Batches]


@pytest.fixture
def database(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


@pytest.fixture
def read_on(spark: SparkSession, database_url: str, tmp_path: Path) -> ReadOn:
    """Runs the query of one checkpoint to the present ends, and returns the stream and offset of each batch's rows."""
    register(spark, Access(SECRETS, database_url))

    def run(**options: str) -> Batches:
        batches: Batches = []

        def take(rows: DataFrame, _number: int) -> None:
            if found := sorted((row.stream_name, row.log_offset) for row in rows.collect()):
                batches.append(found)  # Spark also runs an empty batch when a query starts

        source = spark.readStream.format("coordinator_stream").options(streams="__samza_coordinator_*", **options)
        query = source.load().writeStream.foreachBatch(take).option("checkpointLocation", str(tmp_path))
        query.trigger(availableNow=True).start().awaitTermination()
        return batches

    return run


def test_a_query_continues_where_it_stopped_and_finds_new_logs(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    assert read_on(maxOffsetsPerTrigger="3") == [rows(FIRST, 0, 3), rows(FIRST, 3, 5)]
    assert read_on() == []
    append(database, FIRST, 2)
    append(database, SECOND, 2)
    assert read_on() == [rows(FIRST, 5, 7) + rows(SECOND, 0, 2)]


def test_the_start_may_be_the_end(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    assert read_on(startingOffsets="latest") == []
    append(database, FIRST, 1)
    assert read_on() == [rows(FIRST, 5, 6)]


def test_an_offset_to_start_from_must_be_in_the_log(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    with pytest.raises(StreamingQueryException, match=f"{FIRST} was truncated: it ends at offset 5"):
        read_on(startingOffsets=f'{{"{FIRST}": 6}}')


def test_a_log_that_ends_before_the_position_fails_the_query(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    read_on()
    delete_events(database, "log_offset >= 2")
    with pytest.raises(StreamingQueryException, match="ends at offset 2, before the position 5"):
        read_on()


def test_a_log_that_lost_events_after_the_position_fails_the_query(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    read_on()
    append(database, FIRST, 5)
    delete_events(database, "log_offset < 8")
    with pytest.raises(StreamingQueryException, match=f"{FIRST} now starts at offset 8, after the position 5"):
        read_on()


def test_another_incarnation_fails_the_query(database: Connection, read_on: ReadOn) -> None:
    append(database, FIRST, 5)
    read_on()
    database.execute(
        "insert into eventlog.log (backend, stream_name, stream_kind, incarnation, created_at)"
        " values ('kafka', %s, 'coordinator', 2, now())",
        (FIRST,),
    )
    with pytest.raises(StreamingQueryException, match=rf"{FIRST} was re-created \(incarnation 2 instead of"):
        read_on()


def append(database: Connection, stream: str, count: int) -> None:
    known = database.execute("select 1 from eventlog.log where stream_name = %s", (stream,)).fetchone()
    if known is None:
        PostgresAdmin(database).create_stream(identify(stream))
    with PostgresEventLog(database, stream) as log:
        log.append([NewEvent(b'[1,"set-config","a"]', None)] * count)


def delete_events(database: Connection, condition: str) -> None:
    """Delete from the append-only archive, as only its owner can."""
    database.execute("set session_replication_role = replica")
    database.execute(f"delete from eventlog.event where {condition}".encode())
    database.execute("reset session_replication_role")


def rows(stream: str, first: int, until: int) -> list[tuple[str, int]]:
    return [(stream, offset) for offset in range(first, until)]
