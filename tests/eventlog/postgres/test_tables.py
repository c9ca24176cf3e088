"""The database itself prevents changing and deleting events."""

import psycopg
import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import ensure_partition
from eventlog.postgres.tables import event, observation

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
def test_events_cannot_be_changed(database_url: str, table: str, change: str) -> None:
    operation = change.partition(" ")[0]
    with connect(database_url) as connection:
        fill(connection)
        with pytest.raises(
            psycopg.errors.RaiseException, match=rf"{table}\S* is append-only: {operation} is refused\n"
        ):
            connection.execute(change.format(table).encode())
        for kept in (*EVENT_TABLES, "eventlog.observation"):
            assert connection.execute(f"select log_id from {kept}".encode()).fetchall() == [(1,)]


def test_an_upsert_is_an_update(database_url: str) -> None:
    with connect(database_url) as connection:
        fill(connection)
        with pytest.raises(psycopg.errors.RaiseException, match="append-only: update is refused"):
            connection.execute(
                "insert into eventlog.event select * from eventlog.event"
                " on conflict (log_id, log_offset) do update set log_id = 2"
            )


def test_merge_is_an_update(database_url: str) -> None:
    with connect(database_url) as connection:
        fill(connection)
        with pytest.raises(psycopg.errors.RaiseException, match="append-only: delete is refused"):
            connection.execute(
                "merge into eventlog.observation o using (values (1)) v on true when matched then delete"
            )


def test_the_metadata_has_the_columns_of_the_database(database_url: str) -> None:
    with connect(database_url) as connection:
        for table in (event, observation):
            cursor = connection.execute(f"select * from eventlog.{table.name} limit 0".encode())
            assert [column.name for column in cursor.description or ()] == [column.name for column in table.columns]
