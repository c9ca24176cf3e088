"""Partitions of tables by offset range, created when a batch first reaches them."""

from collections.abc import Iterable
from typing import Final

from psycopg import sql

from eventlog.postgres.connection import Connection

PARTITION_OFFSETS: Final = 10_000_000
"""Offsets in a partition; the database function ``eventlog.ensure_partition`` has the same number."""

_LAST: Final = 2**63 - 1
_DETACHED: Final = """
select substring(c.relname from '\\d+$')::bigint from pg_class c
where c.relnamespace = %s::regnamespace and c.relname ~ ('^' || %s || '_from_\\d+$') and c.relkind = 'r'
  and not c.relispartition
order by 1
"""
_ATTACH: Final = sql.SQL("alter table {table} attach partition {partition} for values from ({first}) to ({end})")


def partition_name(table: str, first: int) -> str:
    """The name of a table's partition from an offset on, as ``eventlog.ensure_partition`` gives it."""
    return f"{table}_from_{first}"


def ranges_of(offsets: Iterable[int]) -> list[int]:
    """The first offset of each range that has one of these offsets, in order."""
    return sorted({offset // PARTITION_OFFSETS * PARTITION_OFFSETS for offset in offsets})


def ensure_partition(connection: Connection, schema: str, table: str, first: int) -> None:
    """Create the partition of a table that starts at an offset, unless it exists."""
    connection.execute("select eventlog.ensure_partition(%s, %s, %s)", (schema, table, first))


def detached_partitions(connection: Connection, schema: str, table: str) -> list[int]:
    """The first offsets of a table's partitions that were detached and still have their names, in order."""
    return [first for (first,) in connection.execute(_DETACHED, (schema, table)).fetchall()]


def attach_partition(connection: Connection, schema: str, table: str, first: int) -> None:
    """Attach a partition that was detached and still has the name that `ensure_partition` gave it."""
    end = first + PARTITION_OFFSETS
    statement = _ATTACH.format(
        table=sql.Identifier(schema, table),
        partition=sql.Identifier(schema, partition_name(table, first)),
        first=first,
        end=sql.SQL("maxvalue") if end > _LAST else end,
    )
    connection.execute(statement)
