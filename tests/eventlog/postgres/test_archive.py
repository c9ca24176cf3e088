"""What is archived comes back exactly."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, EventColumns, RecordedEvent
from eventlog.postgres import archive as archive_module
from eventlog.postgres.archive import archive_writer, read_archive
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import ensure_partition, ranges_of
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS

LOG_ID = 7
INT64 = st.integers(-(2**63), 2**63 - 1)
NAMES = st.text(st.characters(exclude_categories=[]), max_size=5)
EVENTS = st.lists(
    st.builds(
        RecordedEvent,
        offset=st.integers(0, 2**63 - 2),
        timestamp=INT64,
        timestamp_type=st.sampled_from([CREATE_TIME, LOG_APPEND_TIME]),
        key=st.none() | st.binary(max_size=20),
        value=st.none() | st.binary(max_size=20),
        headers=st.lists(st.tuples(NAMES, st.none() | st.binary(max_size=5)), max_size=3).map(tuple),
        leader_epoch=st.none() | st.integers(-1, 2**31 - 1),
    ),
    max_size=6,
    unique_by=lambda event: event.offset,
).map(lambda events: sorted(events, key=lambda event: event.offset))


def archive(connection: Connection, events: Sequence[RecordedEvent], log_id: int = LOG_ID) -> None:
    with connection.transaction():
        for first in ranges_of(event.offset for event in events):
            ensure_partition(connection, "eventlog", "event", first)
        with archive_writer(connection, log_id, 1) as write:
            write(EventColumns.of(events))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_whatever_is_archived_comes_back(database_url: str, events: list[RecordedEvent]) -> None:
    with connect(database_url) as connection:
        row = connection.execute("select coalesce(max(log_id), 0) + 1 from eventlog.event").fetchone()
        assert row is not None
        archive(connection, events, row[0])
        assert list(read_archive(connection, row[0])) == events


@pytest.mark.parametrize(
    "ms", [FIRST_STORABLE_MS - 1, FIRST_STORABLE_MS, -1, 0, LAST_STORABLE_MS, LAST_STORABLE_MS + 1]
)
def test_a_time_out_of_range_for_timestamptz_has_its_own_column(database_url: str, ms: int) -> None:
    with connect(database_url) as connection:
        archive(connection, [RecordedEvent(0, ms, CREATE_TIME, None, None)])
        assert [event.timestamp for event in read_archive(connection, LOG_ID)] == [ms]
        row = connection.execute("select record_time is null, unheld_timestamp from eventlog.event").fetchone()
    is_held = FIRST_STORABLE_MS <= ms <= LAST_STORABLE_MS
    assert row == (not is_held, None if is_held else ms)


def test_the_times_are_those_that_sql_shows(database_url: str) -> None:
    with connect(database_url) as connection:
        archive(connection, [RecordedEvent(0, 1_772_600_767_089, CREATE_TIME, None, None)])
        row = connection.execute("select record_time::text, archived_at::text from eventlog.event").fetchone()
    assert row == ("2026-03-04 05:06:07.089+00", "2000-01-01 00:00:00.000001+00")


@pytest.mark.parametrize("page", [1, 2, 4, 5, 6])
def test_pages_make_no_difference(database_url: str, page: int) -> None:
    offsets = (0, 3, 4, 9, 10)
    with connect(database_url) as connection:
        archive(connection, [RecordedEvent(offset, 1, CREATE_TIME, None, None) for offset in offsets])
        archive(connection, [RecordedEvent(5, 1, CREATE_TIME, None, None)], LOG_ID + 1)
        assert [event.offset for event in read_archive(connection, LOG_ID, page=page)] == list(offsets)
        assert [event.offset for event in read_archive(connection, LOG_ID, 3, 10, page=page)] == [3, 4, 9]


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_query_ends_where_events_are_larger_than_those_before(
    database_url: str, monkeypatch: pytest.MonkeyPatch, *, is_nested: bool
) -> None:
    monkeypatch.setattr(archive_module, "PAGE_EVENTS", 10)
    monkeypatch.setattr(archive_module, "PAGE_BYTES", 20_000)
    read, complete = archive_module._stream, []

    def stream(*arguments: Any) -> Any:
        pages, is_complete = read(*arguments)
        complete.append((sum(len(page.events) for page in pages), is_complete))
        return pages, is_complete

    monkeypatch.setattr(archive_module, "_stream", stream)
    sizes = [*[10] * 150, *[5_000] * 3_000, *[10] * 5]
    events = [RecordedEvent(n, 1, CREATE_TIME, None, bytes(size)) for n, size in enumerate(sizes)]
    with connect(database_url) as connection:
        archive(connection, events)
        with connection.transaction() if is_nested else nullcontext():
            connection.execute("create temporary table kept ()")
            assert list(read_archive(connection, LOG_ID)) == events
            assert connection.execute("table kept").fetchall() == []
    assert complete[0] == (60, False)
    assert complete[1:] == [(4, True)] * 748 + [(3, True)]


def test_the_connection_is_free_between_two_pages(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "PAGE_EVENTS", 10)
    events = [RecordedEvent(n, 1, CREATE_TIME, None, b"v") for n in range(200)]
    with connect(database_url) as connection:
        archive(connection, events)
        for _ in read_archive(connection, LOG_ID):
            connection.execute("select 1")


def test_a_header_is_stored_as_the_column_comment_says(database_url: str) -> None:
    with connect(database_url) as connection:
        archive(connection, [RecordedEvent(0, 1, CREATE_TIME, None, None, (("ä", b"\x01"), ("b", None)))])
        row = connection.execute("select headers from eventlog.event").fetchone()
    assert row == ([["ä", "AQ=="], ["b", None]],)
