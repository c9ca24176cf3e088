"""All rows that readers see, and a way to delete a log's rows: for tests of rebuilds."""

from typing import Final

from eventlog.postgres.connection import Connection
from projections.tracked_logs import TrackedLog

VIEWS: Final = """
select c.relname from pg_class c
where c.relnamespace = 'coordinator'::regnamespace and c.relkind = 'v' and c.relname <> 'log_position' order by 1
"""
TABLES: Final = """
select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'log_id'
where c.relnamespace = 'projection'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname not in ('job_log', 'position')
"""


def relations(connection: Connection) -> dict[str, list[str]]:
    """Return every row of the relations, as text."""
    views = [name for (name,) in connection.execute(VIEWS).fetchall()]
    return {
        view: sorted(row[0] for row in connection.execute(f"select v::text from coordinator.{view} v".encode()))
        for view in views
    }


def forget(connection: Connection, log: TrackedLog) -> None:
    """Delete every row of a log except its position."""
    for (table,) in connection.execute(TABLES).fetchall():
        connection.execute(f"delete from projection.{table} where log_id = %s".encode(), (log.log_id,))
