"""Streams from the archive; those from Kafka are in `test_topic_reader`."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import StructType

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.streams import identify
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.log_reader import parse_options
from spark_jobs.data_source.source import BatchReader, register
from spark_jobs.data_source.stream_reader import Offset, Place, StreamReader
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings
from tests.fixtures.data_source import FOLD

FIRST = "__samza_coordinator_first_1"
SECOND = "__samza_coordinator_second_1"

NEXT_INCARNATION = """
insert into eventlog.log (backend, stream_name, stream_kind, incarnation, created_at)
values ('kafka', %s, 'coordinator', 2, now())
"""

Batches = list[list[tuple[str, int]]]
ReadOn = Callable[..., Batches]


@pytest.fixture
def read_on(spark: SparkSession, database_url: str, tmp_path: Path) -> ReadOn:
    """Runs the query of one checkpoint to the present ends, and returns the stream and offset of each batch's rows."""
    register(spark, LogTaskSettings(database_url, FOLD))

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


def test_a_query_continues_where_it_stopped_and_finds_new_logs(connected: Connection, read_on: ReadOn) -> None:
    append(connected, FIRST, 5)
    assert read_on(maxOffsetsPerTrigger="3") == [rows(FIRST, 0, 3), rows(FIRST, 3, 5)]
    assert read_on() == []
    append(connected, FIRST, 2)
    append(connected, SECOND, 2)
    assert read_on() == [rows(FIRST, 5, 7) + rows(SECOND, 0, 2)]


def test_a_log_that_does_not_continue_fails_the_query(connected: Connection, read_on: ReadOn) -> None:
    append(connected, FIRST, 5)
    read_on()
    delete_events(connected, "log_offset >= 2")
    with pytest.raises(StreamingQueryException, match="ends at offset 2, before the position 5"):
        read_on()


class Planned(NamedTuple):
    """A reader in this process, and what it plans."""

    reader: StreamReader

    def next(self, start: Offset, most: int | None = None) -> Offset:
        return self.reader.latestOffset(start, ReadAllAvailable() if most is None else ReadMaxRows(most))

    def rows(self, start: Offset, end: Offset) -> list[tuple[str, int]]:
        batches = [batch for part in self.reader.partitions(start, end) for batch in self.reader.read(part)]
        return [(row["stream_name"], row["log_offset"]) for batch in batches for row in batch.to_pylist()]


@pytest.fixture
def plan(database_url: str) -> Iterator[Callable[..., Planned]]:
    """Makes readers as Spark does."""
    readers: list[StreamReader] = []

    def make(**options: str) -> Planned:
        readers.append(StreamReader(parse_options(options), LogTaskSettings(database_url, FOLD), SCHEMA))
        return Planned(readers[-1])

    yield make
    for reader in readers:
        reader.stop()


def test_a_micro_batch_has_a_share_of_each_log(connected: Connection, plan: Callable[..., Planned]) -> None:
    append(connected, FIRST, 30)
    append(connected, SECOND, 10)
    planned = plan(maxOffsetsPerTrigger="20")
    start = planned.reader.initialOffset()
    assert planned.reader.getDefaultReadLimit() == ReadMaxRows(20)
    end = planned.next(start, 20)
    assert planned.rows(start, end) == [*rows(FIRST, 0, 15), *rows(SECOND, 0, 5)]
    assert planned.rows(end, planned.next(end)) == [*rows(FIRST, 15, 30), *rows(SECOND, 5, 10)]


def test_what_is_written_after_the_start_of_available_now_is_left_out(
    connected: Connection, plan: Callable[..., Planned]
) -> None:
    append(connected, FIRST, 3)
    planned = plan()
    start = planned.reader.initialOffset()
    planned.reader.prepareForTriggerAvailableNow()
    append(connected, FIRST, 3)
    append(connected, SECOND, 3)
    end = planned.next(start)
    assert planned.rows(start, end) == rows(FIRST, 0, 3)
    assert planned.next(end) == end


def test_a_stream_may_start_at_the_end_or_at_an_offset(connected: Connection, plan: Callable[..., Planned]) -> None:
    append(connected, FIRST, 5)
    append(connected, SECOND, 2)
    latest = plan(startingOffsets="latest").reader.initialOffset()
    assert plan().next(latest) == latest
    planned = plan(startingOffsets=f'{{"{FIRST}": 3}}')
    start = planned.reader.initialOffset()
    assert planned.rows(start, planned.next(start)) == [*rows(FIRST, 3, 5), *rows(SECOND, 0, 2)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("5", "Invalid value '5' of the option 'startingOffsets'"),
        ('{"none": 1}', "names 'none', which is not among the streams"),
        (f'{{"{FIRST}": 6}}', f"Invalid offset 6 of {FIRST} in the option 'startingOffsets'. Expected 2 to 5."),
        (f'{{"{FIRST}": 1}}', f"Invalid offset 1 of {FIRST} in the option 'startingOffsets'. Expected 2 to 5."),
    ],
)
def test_wrong_starts_are_refused(
    connected: Connection, plan: Callable[..., Planned], given: str, message: str
) -> None:
    append(connected, FIRST, 5)
    delete_events(connected, "log_offset < 2")
    with pytest.raises(SparkJobError, match=re.escape(message)) as refusal:
        plan(startingOffsets=given).reader.initialOffset()
    assert "checkpoint location" not in str(refusal.value)


@pytest.mark.parametrize(
    ("lose", "message"),
    [
        (lambda connected: delete_events(connected, "log_offset < 8"), "now starts at offset 8, after the position 5"),
        (lambda connected: retain(connected, 8), "lost events below offset 8 to a retention, after the position 5"),
        (lambda connected: connected.execute(NEXT_INCARNATION, (FIRST,)), "was re-created (incarnation 2 instead of"),
    ],
)
def test_a_log_that_does_not_continue_at_the_position_is_an_error(
    connected: Connection, plan: Callable[..., Planned], lose: Callable[[Connection], object], message: str
) -> None:
    append(connected, FIRST, 10)
    planned = plan()
    start = place(5)
    end = planned.next(start)
    lose(connected)
    for use in (planned.next, lambda start: planned.rows(start, end)):
        with pytest.raises(SparkJobError, match=re.escape(f"{FIRST} {message}")):
            use(start)


def test_a_query_may_start_with_what_a_retention_has_kept(connected: Connection, plan: Callable[..., Planned]) -> None:
    append(connected, FIRST, 10)
    retain(connected, 8)
    planned = plan()
    assert planned.next(place(8)) == place(10, horizon=8)
    start = planned.reader.initialOffset()
    middle = planned.next(start, 4)
    assert planned.rows(start, middle) == rows(FIRST, 0, 1)
    assert planned.rows(middle, planned.next(middle)) == rows(FIRST, 8, 10)


@pytest.mark.parametrize("names", [["log_offset"], ["log_offset", "message_key"]])
def test_a_retention_between_plan_and_read_is_an_error(
    connected: Connection, database_url: str, names: list[str]
) -> None:
    append(connected, FIRST, 10)
    schema = StructType([field for field in SCHEMA if field.name in names])
    reader = BatchReader(parse_options({}), LogTaskSettings(database_url, FOLD), schema)
    (partition,) = reader.partitions()
    retain(connected, 8)
    with pytest.raises(SparkJobError, match=f"A retention has detached events of {FIRST} while they were read"):
        list(reader.read(partition))


def test_a_position_of_other_options_names_them(connected: Connection, plan: Callable[..., Planned]) -> None:
    append(connected, FIRST, 5)
    append(connected, SECOND, 5)
    with pytest.raises(SparkJobError, match=f"{FIRST} no longer exists, or the option 'streams' no longer names it"):
        plan(streams=SECOND).next(place(5))
    of_kafka = {FIRST: Place("topic a1", 5, 0)}
    with pytest.raises(SparkJobError, match="is read from another source \\(incarnation 1 instead of topic a1\\)"):
        plan().next(of_kafka)


def test_a_recording_is_no_stream(plan: Callable[..., Planned]) -> None:
    with pytest.raises(SparkJobError, match="Only 'archive' and 'kafka' can be streamed"):
        plan(**{"from": "recording.jsonl"})


def append(connected: Connection, stream: str, count: int) -> None:
    known = connected.execute("select 1 from eventlog.log where stream_name = %s", (stream,)).fetchone()
    if known is None:
        PostgresAdmin(connected).create_stream(identify(stream))
    with PostgresEventLog(connected, stream) as log:
        log.append([NewEvent(b'[1,"set-config","a"]', None)] * count)


def delete_events(connected: Connection, condition: str) -> None:
    """Delete from the append-only archive, as only its owner can."""
    connected.execute("set session_replication_role = replica")
    connected.execute(f"delete from eventlog.event where {condition}".encode())
    connected.execute("reset session_replication_role")


def retain(connected: Connection, horizon: int) -> None:
    """Detach the events below an offset, but keep the first one, as a retention does."""
    delete_events(connected, f"log_offset between 1 and {horizon - 1}")
    connected.execute(
        "insert into eventlog.horizon (log_id, retention_number, horizon_offset, horizon_time)"
        " select log_id, 1, %s, now() from eventlog.log",
        (horizon,),
    )


def place(next_offset: int, *, horizon: int = 0) -> Offset:
    return {FIRST: Place("incarnation 1", next_offset, horizon)}


def rows(stream: str, first: int, until: int) -> list[tuple[str, int]]:
    return [(stream, offset) for offset in range(first, until)]
