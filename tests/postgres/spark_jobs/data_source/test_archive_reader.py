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
from spark_jobs.data_source.options import Access, parse_options
from spark_jobs.data_source.source import BatchReader
from tests.fixtures.data_source import SECRETS

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
    ("events", "size", "small_value"),
    [(20_000, 1 << 20, 3_000), (4, 1 << 20, 3_000), (2, 1 << 20, 79), (20_000, 50, 79), (4, 100, 0)],
)
def test_both_ways_of_reading_give_the_same(
    database: Connection, database_url: str, monkeypatch: pytest.MonkeyPatch, events: int, size: int, small_value: int
) -> None:
    monkeypatch.setattr(archive_reader, "PAGE_EVENTS", events)
    monkeypatch.setattr(archive_reader, "PAGE_BYTES", size)
    monkeypatch.setattr(archive_reader, "SMALL_VALUE", small_value)
    joined = rows(database_url, *RAW)
    assert joined == [{name: row[name] for name in RAW} for row in rows(database_url, *RAW, "headers")]
    assert [(row["key"], row["value"]) for row in joined] == [(event.key, event.value) for event in EVENTS * 3]


def test_large_keys_and_values_are_read_by_their_bytes(database: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "PAGE_BYTES", 100)
    pages = [len(page["value"]) for page in archive_reader.read_stored_columns(database, 1, 0, 100)]
    assert pages == [18]
    for limit in ("SMALL_KEY", "SMALL_VALUE"):
        with monkeypatch.context() as patch:
            patch.setattr(archive_reader, limit, 0)
            pages = [len(page["value"]) for page in archive_reader.read_stored_columns(database, 1, 0, 100)]
        assert pages == [9, 9]


def rows(url: str, *columns: str) -> list[dict[str, object]]:
    schema = StructType([SCHEMA[name] for name in columns])
    reader = BatchReader(parse_options({}), Access(SECRETS, url), schema)
    found = [batch for part in reader.partitions() for batch in reader.read(part)]
    return [row for batch in found for row in batch.to_pylist()]
