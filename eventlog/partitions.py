"""Partitions by offset range: made when a batch first reaches them."""

from collections.abc import Iterable
from typing import Final

from psycopg import sql

from eventlog.connection import Connection

PARTITION_OFFSETS: Final = 10_000_000
_LAST_OFFSET: Final = 2**63 - 1
_PARTITION_LOCK: Final = 0x70617274  # "part"
_EXISTS: Final = """
select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = %s and relname = %s)
"""


def ranges_of(offsets: Iterable[int]) -> list[int]:
    """First offsets of the ranges that these offsets fall into, in order."""
    return sorted({offset // PARTITION_OFFSETS * PARTITION_OFFSETS for offset in offsets})


def ensure_partition(connection: Connection, schema: str, table: str, first: int) -> None:
    """Make the partition of a table that begins at an offset, unless it is there.

    The new table is attached, not created in place: that takes no lock which readers of the parent would wait for.
    """
    name = f"{table}_from_{first}"
    if _exists(connection, schema, name):
        return
    connection.execute("select pg_advisory_xact_lock(%s)", (_PARTITION_LOCK,))
    if _exists(connection, schema, name):
        return
    parent, partition = sql.Identifier(schema, table), sql.Identifier(schema, name)
    last = first + PARTITION_OFFSETS
    connection.execute(sql.SQL("create table {} (like {} including all)").format(partition, parent))
    connection.execute(
        sql.SQL("alter table {} attach partition {} for values from ({}) to ({})").format(
            parent, partition, sql.Literal(first), sql.Literal(last) if last <= _LAST_OFFSET else sql.SQL("maxvalue")
        )
    )
    if schema == "eventlog":  # unlike row triggers, those of TRUNCATE are not cloned
        connection.execute(
            sql.SQL(
                "create trigger no_truncate before truncate on {} for each statement execute function eventlog.refuse()"
            ).format(partition)
        )


def _exists(connection: Connection, schema: str, name: str) -> bool:
    # a scan of the catalog, since to_regclass may answer from a cache that misses what another session just made
    row = connection.execute(_EXISTS, (schema, name)).fetchone()
    return row is not None and bool(row[0])
