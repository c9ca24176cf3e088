"""``eventlog.append``, as SQL calls it."""

from typing import Any

import psycopg
import pytest

from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, NewEvent
from eventlog.postgres.archive import read_archive
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.log_registry import insert_log
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS
from tests.contracts.event_log import NOW, STREAM

pytestmark = pytest.mark.slow


@pytest.fixture
def owner(connected: Connection) -> Connection:
    """The owner of a database with one empty log."""
    PostgresEventLog.create(connected, STREAM)
    return connected


def append(connection: Connection, *arguments: str, stream_name: str = STREAM.stream_name) -> Any:
    query = f"select eventlog.append({', '.join(('%s', *arguments))})"
    row = connection.execute(query.encode(), (stream_name,)).fetchone()
    assert row is not None
    return row[0]


def test_keys_and_values_are_enough(owner: Connection) -> None:
    assert append(owner, r"array['k', 'l']::bytea[]", "array['v', null]::bytea[]") == 0
    assert append(owner, r"array['\x00']::bytea[]", "array['']::bytea[]", "event_times => array[5]") == 2
    with PostgresEventLog(owner, STREAM.stream_name) as log:
        first, deleted, timed = log.read()
    assert (first.key, first.value, first.timestamp_type) == (b"k", b"v", LOG_APPEND_TIME)
    assert (deleted.value, deleted.timestamp) == (None, first.timestamp)
    assert (timed.key, timed.value, timed.timestamp, timed.timestamp_type) == (b"\0", b"", 5, CREATE_TIME)


def test_a_time_left_out_is_the_servers(owner: Connection) -> None:
    before = owner.execute("select clock_timestamp()").fetchone()
    append(owner, "array['k']::bytea[]", "array[null]::bytea[]")
    row = owner.execute("select archived_at, record_time from eventlog.event").fetchone()
    assert before is not None
    assert row is not None
    archived_at, record_time = row
    assert archived_at >= before[0]
    assert record_time == archived_at.replace(microsecond=archived_at.microsecond // 1000 * 1000)


@pytest.mark.parametrize(
    ("arguments", "sqlstate", "said"),
    [
        (("array['k']::bytea[]", "array[]::bytea[]"), "22023", "differ in length"),
        (("null", "array['v']::bytea[]"), "22023", "differ in length"),
        (("array['k']::bytea[]", "array['v']::bytea[]", "array[1, 2]"), "22023", "differ in length"),
        (("array['k']::bytea[]", "array['v']::bytea[]", "null", "array[]::jsonb[]"), "22023", "differ in length"),
        (("array['k']::bytea[]", "array['v']::bytea[]", "expected_offset => 7"), "CS003", "ends at offset 0, not at 7"),
    ],
)
def test_what_does_not_fit_is_refused(owner: Connection, arguments: tuple[str, ...], sqlstate: str, said: str) -> None:
    with pytest.raises(psycopg.DatabaseError, match=said) as refused:
        append(owner, *arguments)
    assert refused.value.sqlstate == sqlstate
    assert owner.execute(
        "select (select count(*) from eventlog.event), next_offset from eventlog.log_head"
    ).fetchone() == (0, 0)


@pytest.mark.parametrize("headers", ['{"a": 1}', "[1]", '[["a"]]', '[["a", 1]]', '[[1, "YQ=="]]', '[["a", "?"]]'])
def test_headers_that_cannot_be_decoded_are_refused(owner: Connection, headers: str) -> None:
    with pytest.raises(psycopg.DataError):
        append(owner, "array['k']::bytea[]", "array['v']::bytea[]", "null", f"array['{headers}']::jsonb[]")


@pytest.mark.parametrize("name_base64", ["5", '{"a": 1}', '"?"', '"YQ"', '"/w=="'])
def test_what_is_not_the_name_of_a_header_in_base64_is_ignored(owner: Connection, name_base64: str) -> None:
    headers = f"""array['[["a", "YQ==", {name_base64}]]']::jsonb[]"""
    append(owner, "array['k']::bytea[]", "array['v']::bytea[]", "null", headers)
    (event,) = read_archive(owner, 1)
    assert event.headers == (("a", b"a"),)


def test_a_log_that_is_not_there_or_not_ours(owner: Connection) -> None:
    with pytest.raises(psycopg.DatabaseError, match='No log of stream "elsewhere"') as unknown:
        append(owner, "array[]::bytea[]", "array[]::bytea[]", stream_name="elsewhere")
    insert_log(owner, "recorded", "coordinator", 1, "recording", NOW)
    with pytest.raises(psycopg.DatabaseError, match="recorded has the events of a recording log") as archive:
        append(owner, "array[]::bytea[]", "array[]::bytea[]", stream_name="recorded")
    assert (unknown.value.sqlstate, archive.value.sqlstate) == ("CS001", "CS002")


def test_more_than_a_statement_bears_is_appended_as_one(owner: Connection) -> None:
    large = bytes(9 << 20)
    events = [NewEvent(b"k", large, 1)] * 4 + [NewEvent(b"%d" % n, b"v", 1) for n in range(20_001)]
    log = PostgresEventLog(owner, STREAM.stream_name)
    assert log.append(events, expected_offset=0) == range(20_005)
    stored = owner.execute(
        "select count(*), max(log_offset), count(distinct xmin::text) from eventlog.event"
    ).fetchone()
    assert stored == (20_005, 20_004, 1)


def test_a_search_path_of_the_callers_changes_nothing(owner: Connection) -> None:
    owner.execute("create function public.cardinality(bytea[]) returns integer language sql as 'select 100 / 0'")
    owner.execute("create temp table log_head (log_id integer, next_offset bigint)")
    owner.execute("set search_path = pg_temp, public, pg_catalog")
    assert append(owner, "array['k']::bytea[]", "array['v']::bytea[]") == 0


@pytest.mark.parametrize("ms", [FIRST_STORABLE_MS, -1, 946_684_799_999, 1_700_000_000_123, LAST_STORABLE_MS])
def test_each_time_of_timestamptz_is_appended_exactly(owner: Connection, ms: int) -> None:
    append(owner, "array['k']::bytea[]", "array[null]::bytea[]", f"array[{ms}]::bigint[]")
    row = owner.execute("select (extract(epoch from record_time) * 1000)::bigint, unheld_timestamp from eventlog.event")
    assert row.fetchone() == (ms, None)
