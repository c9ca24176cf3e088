"""Tables of the archive: partitions are made when first reached, events never change, and names of logs can be held."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, LockNotAvailable

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log_registry import hold
from eventlog.postgres.table_partitions import PARTITION_OFFSETS, ensure_partition, ranges_of
from tests.fixtures.database_users import database_user

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


EVENT_TABLES = ("eventlog.event", "eventlog.event_from_0")
CHANGES = ("update {} set log_id = 2", "delete from {}", "truncate {}", "truncate {} cascade")


def fill(connection: Connection) -> None:
    ensure_partition(connection, "eventlog", "event", 0)
    connection.execute("insert into eventlog.event (log_id, log_offset, archived_at) values (1, 0, now())")
    connection.execute(
        "insert into eventlog.observation (log_id, at_offset, kind, observed_at) values (1, 0, 'gap', now())"
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("table", [*EVENT_TABLES, "eventlog.observation"])
def test_events_cannot_be_changed(connected: Connection, table: str, change: str) -> None:
    operation = change.partition(" ")[0]
    fill(connected)
    name = f"eventlog.{'event' if table in EVENT_TABLES else 'observation'}"
    with pytest.raises(psycopg.errors.RaiseException, match=rf"{name} is append-only: {operation} is refused\n"):
        connected.execute(change.format(table).encode())
    for kept in (*EVENT_TABLES, "eventlog.observation"):
        assert connected.execute(f"select log_id from {kept}".encode()).fetchall() == [(1,)]


def test_a_name_is_held_until_the_end_of_the_transaction(database_url: str) -> None:
    with connect(database_url) as one, connect(database_url) as other:
        other.execute("set lock_timeout = '20ms'")
        for _ in range(2):  # a new name, and one that was held before
            with one.transaction():
                hold(one, "a name")
                hold(one, "a name")
                hold(other, "another name")
                with pytest.raises(LockNotAvailable):
                    hold(other, "a name")
            hold(other, "a name")


@pytest.mark.parametrize("role", ["coordstream_reader", "coordstream_replayer", "coordstream_writer"])
def test_a_reader_cannot_lock_a_name(database_url: str, role: str) -> None:
    with database_user(database_url, role) as user, connect(user) as connection:
        with pytest.raises(InsufficientPrivilege):
            hold(connection, "a name")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("select from eventlog.held_name for update")
