"""The columns that the server joins are those of the events, also for nulls, empty values and odd times."""

from collections.abc import Iterator

import pytest
from pyspark.sql.types import StructType

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.streams import identify
from eventlog.timestamps import LAST_STORABLE_MS
from spark_jobs.data_source import archive_reader
from spark_jobs.data_source.columns import SCHEMA
from spark_jobs.data_source.log_reader import parse_options
from spark_jobs.data_source.source import BatchReader
from spark_jobs.log_task import LogTaskSettings
from tests.fixtures.data_source import FOLD

STREAM = "__samza_coordinator_odd_1"
RAW = ("log_offset", "record_time", "key", "value")
EVENTS = (
    NewEvent(b"a", b"", 0),
    NewEvent(None, None, -1),
    NewEvent(b"", b"\x00\xff" * 40, 2**62),
    NewEvent(b"\xff", b"{}", 1_700_000_000_123),
    NewEvent(b"b", None, -(2**62)),
    NewEvent(b"c", b"", LAST_STORABLE_MS),
)


@pytest.fixture
def database(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        PostgresAdmin(connection).create_stream(identify(STREAM))
        with PostgresEventLog(connection, STREAM) as log:
            log.append(EVENTS * 3)
        yield connection


@pytest.mark.parametrize(
    ("events", "batch", "small_key", "small_value"),
    [(20_000, 20_000, 300, 3_000), (4, 8, 300, 3_000), (2, 4, 300, 79), (4, 1, 0, 3_000), (2, 20_000, 1, 0)],
)
def test_both_ways_of_reading_give_the_same(
    database: Connection,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    events: int,
    batch: int,
    small_key: int,
    small_value: int,
) -> None:
    monkeypatch.setattr(archive_reader, "PAGE_EVENTS", events)
    monkeypatch.setattr(archive_reader, "BATCH_EVENTS", batch)
    monkeypatch.setattr(archive_reader, "SMALL_KEY", small_key)
    monkeypatch.setattr(archive_reader, "SMALL_VALUE", small_value)
    joined = rows(database_url, *RAW)
    assert joined == [{name: row[name] for name in RAW} for row in rows(database_url, *RAW, "headers")]
    assert [(row["key"], row["value"]) for row in joined] == [(event.key, event.value) for event in EVENTS * 3]


def rows(url: str, *columns: str) -> list[dict[str, object]]:
    schema = StructType([SCHEMA[name] for name in columns])
    reader = BatchReader(parse_options({}), LogTaskSettings(url, FOLD), schema)
    found = [batch for part in reader.partitions() for batch in reader.read(part)]
    return [row for batch in found for row in batch.to_pylist()]
