"""Rows come as they were given, and those that go as JSON as those that go by COPY."""

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from eventlog.postgres import copy_rows as module
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.copy_rows import UTF8_TEXT, Columns, Copies, copy_rows, copying, json_rows, time_text
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS, storable_micros
from tests.fixtures.compiled_parts import with_and_without

way = with_and_without(module)
COLUMNS: Final = Columns.of(
    "public.written",
    n="int8",
    small="int2",
    at="timestamptz",
    body="jsonb",
    noted=UTF8_TEXT,
    name="text",
    data="bytea",
    flag="bool",
    many="text[]",
)
TABLE: Final = (
    "create table written (n int8, small int2, at timestamptz, body jsonb, noted text, name text, data bytea,"
    " flag bool, many text[])"
)
FIRST: Final = -211_813_488_000_000_000  # 4713 BC
ROWS: Final[list[tuple[Any, ...]]] = [
    (2**63 - 1, 7, 0, b'\x01{"a": "\\u00fc\xc3\xbc"}', "ü,\x1f".encode(), "it's", b"\0\xff", True, ["a", None, "\x1e"]),
    (-1, None, FIRST, b"\x01null", b"", "", b"", False, []),
    (0, -7, 820_454_400_000_001, None, None, None, None, None, None),
]


@pytest.fixture
def connected(empty_database_url: str) -> Iterator[Connection]:
    with connect(empty_database_url) as connection:
        connection.execute(TABLE)
        yield connection


def written(connection: Connection) -> list[tuple[Any, ...]]:
    query = "select n, small, at::text, body::text, noted, name, data, flag, many from written order by n"
    return connection.execute(query).fetchall()


def test_values_come_as_they_were_given(connected: Connection) -> None:
    copy_rows(connected, COLUMNS, ROWS)
    assert written(connected) == [
        (-1, None, "4714-11-24 00:00:00+00 BC", "null", "", "", b"", False, []),
        (0, -7, "2025-12-31 00:00:00.000001+00", None, None, None, None, None, None),
        (2**63 - 1, 7, "2000-01-01 00:00:00+00", '{"a": "üü"}', "ü,\x1f", "it's", b"\0\xff", True, ["a", None, "\x1e"]),
    ]


def test_rows_of_many_blocks_are_written_once(connected: Connection) -> None:
    numbered = [(n, *ROWS[1][1:]) for n in range(20_000)]
    with copying(connected) as copies, copies.open(COLUMNS) as write:
        write(numbered[:1])
        write([])
        write(numbered[1:])
    counted = connected.execute("select count(*), count(distinct n), max(n) from written").fetchone()
    assert counted == (20_000, 20_000, 19_999)


@pytest.mark.parametrize("row", [(2**63, *ROWS[2][1:]), (0, 0, 0, None, None, "\ud800", None, None, None), (0, 0)])
def test_a_row_that_does_not_fit_writes_nothing(connected: Connection, row: tuple[Any, ...]) -> None:
    with pytest.raises((psycopg.Error, ValueError, OverflowError, struct.error)), connected.transaction():
        copy_rows(connected, COLUMNS, [ROWS[0], row])
    assert written(connected) == []


def test_statements_are_sent_in_order(connected: Connection) -> None:
    counts = list[tuple[Any, ...]]()
    with copying(connected) as copies:
        for _ in range(2):
            copies.copy(COLUMNS, ROWS)
            copies.run(lambda: counts.extend(connected.execute("select count(*) from written")))
    assert counts == [(3,), (6,)]


def test_other_work_is_done_while_the_server_is_busy(connected: Connection, empty_database_url: str) -> None:
    """It waits here for a lock, which only the other work ends."""
    connected.execute("set lock_timeout = '10s'")
    with connect(empty_database_url) as other, other.transaction():
        other.execute("lock written")
        with copying(connected, lambda: other.execute("rollback")) as copies:
            copies.copy(COLUMNS, ROWS)
    assert len(written(connected)) == 3


MISSING: Final = COLUMNS._replace(table="missing")


def failing(copies: Copies) -> None:
    with copies.open(COLUMNS) as write:
        write(ROWS)
        raise LookupError


@pytest.mark.parametrize(
    ("fail", "error"),
    [
        (lambda copies: copies.copy(MISSING, [ROWS[1]] * 10_000), psycopg.errors.UndefinedTable),
        (lambda copies: copies.copy(COLUMNS, ROWS), psycopg.errors.UniqueViolation),
        (failing, LookupError),
    ],
)
def test_after_an_error_the_connection_can_be_used_again(
    connected: Connection, fail: Callable[[Copies], None], error: type[Exception]
) -> None:
    connected.execute("create unique index on written (n)")

    def write() -> None:
        with connected.transaction(), copying(connected) as copies:
            copies.copy(COLUMNS, ROWS)
            fail(copies)
            copies.copy(COLUMNS, [(9, *ROWS[1][1:])] * 10_000)

    with pytest.raises(error):
        write()
    copy_rows(connected, COLUMNS, ROWS)
    assert len(written(connected)) == 3


def test_values_come_as_they_do_by_copy(connected: Connection) -> None:
    rows = [row for row in ROWS if b"\x01null" not in row]  # no table of ours holds JSON's null
    copy_rows(connected, COLUMNS, rows)
    copied = written(connected)
    connected.execute("delete from written")
    connected.execute(
        "insert into written select * from jsonb_populate_recordset(null::written, %s)",
        (Jsonb(json_rows(COLUMNS, rows)),),
    )
    assert written(connected) == copied


def test_a_row_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="zip"):
        json_rows(COLUMNS, [(1,)])


@pytest.mark.parametrize("ms", [FIRST_STORABLE_MS, FIRST_STORABLE_MS + 1, -1, 0, 946_684_800_001, LAST_STORABLE_MS])
def test_every_time_that_postgres_holds_comes_as_it_is(connected: Connection, ms: int) -> None:
    micros = storable_micros(ms) or 0
    ask = "select (extract(epoch from %s::timestamptz - timestamptz '2000-01-01 00:00:00+00') * 1000000)::numeric(30)"
    row = connected.execute(ask, (time_text(micros),)).fetchone()
    assert row == (micros,)
