"""Partitions are made when a batch first reaches them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import PARTITION_OFFSETS, ensure_partition, ranges_of

LAST = (2**63 - 1) // PARTITION_OFFSETS * PARTITION_OFFSETS


def test_offsets_fall_into_ranges() -> None:
    offsets = [0, 1, PARTITION_OFFSETS - 1, 3 * PARTITION_OFFSETS, PARTITION_OFFSETS]
    assert ranges_of(offsets) == [0, PARTITION_OFFSETS, 3 * PARTITION_OFFSETS]
    assert ranges_of([]) == []
    assert ranges_of([2**63 - 1]) == [LAST]


def bounds(connection: Connection, table: str) -> list[tuple[str, str]]:
    return connection.execute(
        "select c.relname::text, pg_get_expr(c.relpartbound, c.oid)"
        " from pg_inherits i join pg_class c on c.oid = inhrelid where inhparent = %s::regclass order by c.relname",
        (table,),
    ).fetchall()


@pytest.mark.parametrize(("schema", "table"), [("eventlog", "event"), ("projection", "checkpoint_event")])
def test_a_partition_is_made_once(connected: Connection, schema: str, table: str) -> None:
    before = bounds(connected, f"{schema}.{table}")
    for first in (PARTITION_OFFSETS, 0, PARTITION_OFFSETS):
        with connected.transaction():
            ensure_partition(connected, schema, table, first)
    made = [
        (f"{table}_from_{first}", f"FOR VALUES FROM ('{first}') TO ('{first + PARTITION_OFFSETS}')")
        for first in (0, PARTITION_OFFSETS)
    ]
    assert bounds(connected, f"{schema}.{table}") == sorted({*before, *made})


def test_the_last_partition_has_no_end(connected: Connection) -> None:
    ensure_partition(connected, "eventlog", "event", LAST)
    connected.execute(
        "insert into eventlog.event (log_id, log_offset, archived_at) values (1, 9223372036854775807, now())"
    )
    found = dict(bounds(connected, "eventlog.event"))
    assert found[f"event_from_{LAST}"] == f"FOR VALUES FROM ('{LAST}') TO (MAXVALUE)"


def test_two_at_once_make_one(database_url: str) -> None:
    def make(_: int) -> None:
        with connect(database_url) as connection, connection.transaction():
            ensure_partition(connection, "eventlog", "event", PARTITION_OFFSETS)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(8)))
    with connect(database_url) as connection:
        assert f"event_from_{PARTITION_OFFSETS}" in dict(bounds(connection, "eventlog.event"))


def test_readers_do_not_hold_up_a_new_partition(database_url: str) -> None:
    with connect(database_url) as reader, connect(database_url) as writer, reader.transaction():
        reader.execute("select count(*) from eventlog.event")
        writer.execute("set lock_timeout = '5s'")
        with writer.transaction():
            ensure_partition(writer, "eventlog", "event", PARTITION_OFFSETS)
