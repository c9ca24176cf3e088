"""Rows that go as JSON are the same rows as those that go by COPY."""

from collections.abc import Iterator

import pytest
from psycopg.types.json import Jsonb

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.copy_rows import copy_rows
from eventlog.postgres.json_rows import json_rows, time_text
from eventlog.timestamps import FIRST_STORABLE_MS, LAST_STORABLE_MS, storable_micros
from tests.eventlog.postgres.test_copy_rows import COLUMNS, ROWS, TABLE, written


@pytest.fixture
def connected(empty_database_url: str) -> Iterator[Connection]:
    with connect(empty_database_url) as connection:
        connection.execute(TABLE)
        yield connection


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
