"""Partitions of tables by offset range, and their replacement by tables with a part of their events.

A replaced partition of the archive stays as a plain table. The events to keep are in temporary tables of the session:
``pg_temp.retained_log`` (log_id, horizon_offset), and ``pg_temp.base_event`` (log_id, log_offset) for those that are
kept up to the horizon of their log. Events beyond it and those of other logs are kept, too.
"""

from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
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


_PAGE_EVENTS: Final = 20_000
_PAGE_BYTES: Final = 16 << 20
"""A larger page goes over a file on the disk."""

_BLOCK_BYTES: Final = 1 << 18

_CREATE: Final = sql.SQL("""
create table {new} (like eventlog.event including all);
alter table {new} add constraint is_in_range
  check (log_offset is not null and log_offset >= {first} and log_offset <= {last})
""")
_LOGS: Final = "select log_id from eventlog.log order by log_id"
_END: Final = sql.SQL("select max(log_offset) from {new} where log_id = %s")
_KEPT: Final = sql.SQL("""
select e.* from {old} e
where e.log_id = {log_id} and e.log_offset > {after}
  and (not exists (select from pg_temp.retained_log r where r.log_id = e.log_id and r.horizon_offset >= e.log_offset)
       or exists (select from pg_temp.base_event b where b.log_id = e.log_id and b.log_offset = e.log_offset))
order by e.log_offset limit {page}
""")
_COPY_OUT: Final = sql.SQL("copy ({kept}) to stdout (format binary)")
_COPY_IN: Final = sql.SQL("copy {new} from stdin (format binary, freeze)")
_SWAP: Final = sql.SQL("""
alter table eventlog.event detach partition {old};
alter table {old} rename to {detached_name};
alter table {new} rename to {old_name}
""")
_COMPLETE: Final = sql.SQL("""
alter table {old} drop constraint is_in_range;
create trigger no_truncate before truncate on {old} for each statement execute function eventlog.refuse()
""")
_NEXT_NUMBER: Final = """
select coalesce(max(n.number), 0) + 1 from (
  select h.retention_number as number from eventlog.horizon h
  union all
  select substring(c.relname from '_detached_([0-9]+)$')::integer from pg_class c
  where c.relnamespace = 'eventlog'::regnamespace and c.relname ~ '_detached_[0-9]+$' and c.relkind = 'r') n
"""


def next_retention_number(connection: Connection) -> int:
    """The number after those of all retentions, also of undone ones whose detached tables remain."""
    (number,) = connection.execute(_NEXT_NUMBER).fetchone() or (1,)
    return int(number)


class ArchiveReplacement:
    """The replacement of partitions in the caller's transaction: `copy` without locks, again with them, then `swap`."""

    def __init__(self, connection: Connection, partitions: Iterable[int]) -> None:
        self._connection = connection
        self._partitions = sorted(partitions)
        for first in self._partitions:
            last = min(first + PARTITION_OFFSETS - 1, _LAST)
            connection.execute(_CREATE.format(**_names(first), first=first, last=last))

    def copy(self) -> None:
        """Copy the events to keep that were not copied yet.

        The copies are frozen: a transaction whose snapshot is older than the swap sees them, too, instead of nothing.
        """
        logs = [log_id for (log_id,) in self._connection.execute(_LOGS).fetchall()]
        for first in self._partitions:
            for log_id in logs:
                while self._copy_page(first, log_id) == _PAGE_EVENTS:
                    pass

    def swap(self, number: int) -> tuple[str, ...]:
        """Detach the partitions and attach the copies, and return the names of the detached tables.

        Waits for the present readers of the archive, and blocks new ones until the transaction ends.
        """
        return tuple(self._swap(first, number) for first in self._partitions)

    def _copy_page(self, first: int, log_id: int) -> int:
        """Copy the next events of a log, and return how many there were."""
        names = _names(first)
        (end,) = self._connection.execute(_END.format(**names), (log_id,)).fetchone() or (None,)
        after = -1 if end is None else end
        kept = _KEPT.format(**names, log_id=log_id, after=after, page=_PAGE_EVENTS)
        with self._connection.cursor() as cursor:
            with SpooledTemporaryFile(_PAGE_BYTES) as spooled:
                with cursor.copy(_COPY_OUT.format(kept=kept)) as page:
                    for block in page:
                        spooled.write(block)
                if cursor.rowcount == 0:
                    return 0
                spooled.seek(0)
                with cursor.copy(_COPY_IN.format(**names)) as copied:
                    while some := spooled.read(_BLOCK_BYTES):
                        copied.write(some)
            return cursor.rowcount

    def _swap(self, first: int, number: int) -> str:
        names, detached = _names(first), f"{partition_name('event', first)}_detached_{number}"
        self._connection.execute(_SWAP.format(**names, detached_name=sql.Identifier(detached)))
        attach_partition(self._connection, "eventlog", "event", first)
        self._connection.execute(_COMPLETE.format(**names))
        return f"eventlog.{detached}"


def _names(first: int) -> dict[str, sql.Identifier]:
    old = partition_name("event", first)
    return {
        "old": sql.Identifier("eventlog", old),
        "old_name": sql.Identifier(old),
        "new": sql.Identifier("eventlog", f"{old}_retained"),
    }
