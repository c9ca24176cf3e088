"""The database itself prevents changing and deleting events."""

import psycopg
import pytest

from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import ensure_partition

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
    with pytest.raises(psycopg.errors.RaiseException, match=rf"{table}\S* is append-only: {operation} is refused\n"):
        connected.execute(change.format(table).encode())
    for kept in (*EVENT_TABLES, "eventlog.observation"):
        assert connected.execute(f"select log_id from {kept}".encode()).fetchall() == [(1,)]
