"""Puts the events of the last retention back into the archive and the histories."""

from collections.abc import Iterable
from typing import Final

from psycopg import sql

from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold
from eventlog.postgres.table_partitions import detached_table
from projections.errors import DetachedTableMissing
from projections.fold.settings import NOT_FOLDED, FoldSettings
from projections.rebuild import rebuild_log
from projections.tracked_logs import LOCK_TIMEOUT, logs_of

_LAST: Final = """
select h.retention_number, array_agg(distinct p order by p), array_agg(distinct l.stream_name order by l.stream_name)
from eventlog.horizon h cross join unnest(h.partitions) p join eventlog.log l on l.log_id = h.log_id
group by h.retention_number order by h.retention_number desc limit 1
"""
_IS_MISSING: Final = "select to_regclass(%s) is null"
_INSERT: Final = sql.SQL("insert into eventlog.event select * from {} on conflict do nothing")
_MARK: Final = """
update projection.position set fold_version = %s
where log_id in (select h.log_id from eventlog.horizon h where h.retention_number = %s)
"""
_FORGET: Final = "delete from eventlog.horizon where retention_number = %s"


def undo_retention(connection: Connection, settings: FoldSettings) -> tuple[str, ...]:
    """Insert the events of the tables that the last retention has detached, rebuild its logs, and return these tables.

    They are inserted in one transaction, which also marks the logs as not folded, and each log is rebuilt in one. As-of
    functions raise an error until all are done. If this is interrupted, call it again; until then `status` and
    `verify` report the logs that are not rebuilt.

    Raises:
        DetachedTableMissing: one of the tables was dropped; nothing was changed.
        ProjectionError: see `rebuild_log`.
        psycopg.errors.LockNotAvailable: a retention runs in another session, or another session writes one of the logs.
    """
    with connection.transaction():
        connection.execute(LOCK_TIMEOUT)
        hold(connection, "retention")
        last = connection.execute(_LAST).fetchone()
        if last is None:
            return ()
        number, partitions, streams = last
        tables = tuple(detached_table(first, number) for first in partitions)
        _insert(connection, tables)
        connection.execute(_MARK, (NOT_FOLDED, number))
    for stream_name in streams:
        for log in logs_of(connection, stream_name):
            rebuild_log(connection, log, settings)
    connection.execute(_FORGET, (number,))
    return tables


def _insert(connection: Connection, tables: Iterable[str]) -> None:
    for table in tables:
        if connection.execute(_IS_MISSING, (table,)).fetchone() == (True,):
            raise DetachedTableMissing(table)
        connection.execute(_INSERT.format(sql.Identifier(*table.split("."))))
