"""What is archived comes back exactly."""

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import repeat
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, EventColumns, RecordedEvent
from eventlog.postgres import archive as archive_module
from eventlog.postgres.archive import archive_events, read_archive
from eventlog.postgres.connection import Connection
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
        archive_events(connection, log_id, repeat(1), EventColumns.of(events))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_whatever_is_archived_comes_back(connected: Connection, events: list[RecordedEvent]) -> None:
    row = connected.execute("select coalesce(max(log_id), 0) + 1 from eventlog.event").fetchone()
    assert row is not None
    archive(connected, events, row[0])
    assert list(read_archive(connected, row[0])) == events


@pytest.mark.parametrize(
    "ms", [FIRST_STORABLE_MS - 1, FIRST_STORABLE_MS, -1, 0, LAST_STORABLE_MS, LAST_STORABLE_MS + 1]
)
def test_a_time_out_of_range_for_timestamptz_has_its_own_column(connected: Connection, ms: int) -> None:
    archive(connected, [RecordedEvent(0, ms, CREATE_TIME, None, None)])
    assert [event.timestamp for event in read_archive(connected, LOG_ID)] == [ms]
    row = connected.execute("select record_time is null, unheld_timestamp from eventlog.event").fetchone()
    is_held = FIRST_STORABLE_MS <= ms <= LAST_STORABLE_MS
    assert row == (not is_held, None if is_held else ms)


@pytest.mark.parametrize("page", [1, 2, 4, 5, 6])
def test_pages_make_no_difference(connected: Connection, page: int) -> None:
    offsets = (0, 3, 4, 9, 10)
    archive(connected, [RecordedEvent(offset, 1, CREATE_TIME, None, None) for offset in offsets])
    archive(connected, [RecordedEvent(5, 1, CREATE_TIME, None, None)], LOG_ID + 1)
    assert [event.offset for event in read_archive(connected, LOG_ID, page=page)] == list(offsets)
    assert [event.offset for event in read_archive(connected, LOG_ID, 3, 10, page=page)] == [3, 4, 9]


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_query_ends_where_events_are_larger_than_those_before(
    connected: Connection, monkeypatch: pytest.MonkeyPatch, *, is_nested: bool
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
    archive(connected, events)
    with connected.transaction() if is_nested else nullcontext():
        connected.execute("create temporary table kept ()")
        assert list(read_archive(connected, LOG_ID)) == events
        assert connected.execute("table kept").fetchall() == []
    assert complete[0] == (60, False)
    assert complete[1:] == [(4, True)] * 748 + [(3, True)]


def test_the_connection_is_free_between_two_pages(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "PAGE_EVENTS", 10)
    events = [RecordedEvent(n, 1, CREATE_TIME, None, b"v") for n in range(200)]
    archive(connected, events)
    for _ in read_archive(connected, LOG_ID):
        connected.execute("select 1")


def test_a_header_is_stored_as_the_column_comment_says(connected: Connection) -> None:
    archive(connected, [RecordedEvent(0, 1, CREATE_TIME, None, None, (("ä", b"\x01"), ("b", None)))])
    row = connected.execute("select headers from eventlog.event").fetchone()
    assert row == ([["ä", "AQ=="], ["b", None]],)
