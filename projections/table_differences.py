"""Compares the stored rows of a log with those of a `ScratchFold`, and replaces the rows that differ."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from secrets import randbits
from typing import Any, Final, Literal

from psycopg import sql
from psycopg.rows import dict_row

from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from projections.errors import ProjectionError
from projections.relations import CURRENT_TABLES, FOLDED_TABLES, LOG_TABLES
from projections.tracked_logs import TrackedLog

DifferenceKind = Literal["missing", "extra", "different"]
Values = dict[str, Any]

EXAMPLES: Final = 10
"""Rows of a table that are named at most."""

_FOLDED: Final = sql.SQL("select * from pg_temp.{table}")
_CURRENT: Final = sql.SQL("select * from projection.{current}({log_id})")
_STORED: Final = sql.SQL("select * from projection.{table} where log_id = {log_id}")
_DIGEST: Final = sql.SQL("""
select count(*), sum(hashint8extended(hash_record_extended(t, {seed}), {seed})) from ({rows}) t
""")
_ROWS: Final = sql.SQL("select count(*) from ({rows}) t")
_COLLECT: Final = sql.SQL("""
create temporary table difference on commit drop as
select {key}, case when s.log_id is null then 'missing' when e.log_id is null then 'extra' else 'different' end as kind
from ({stored}) s full join ({folded}) e using ({key})
where s is distinct from e
""")
_COUNT: Final = "select kind, count(*) from difference group by 1"
_EXAMPLES: Final = sql.SQL("""
select d.kind, to_jsonb(s) as stored, to_jsonb(e) as expected
from (select * from difference order by {key} limit {limit}) d
left join ({stored}) s using ({key}) left join ({folded}) e using ({key})
order by {key}
""")
_DELETE: Final = sql.SQL("""
delete from projection.{table}
where log_id = {log_id} and ({key}) in (select {key} from difference where kind <> 'missing')
""")
_INSERT: Final = sql.SQL("""
insert into projection.{table}
select e.* from ({folded}) e join difference d using ({key}) where d.kind <> 'extra'
""")
_FORGET: Final = "drop table difference"
_FACTS: Final = """
select l.stream_name, l.stream_kind, l.incarnation, j.is_complete or l.incarnation = 1, l.log_id = (
    select o.log_id from projection.job_log o join eventlog.log s using (log_id) where s.stream_name = l.stream_name
    order by o.is_current desc, o.is_complete desc, s.incarnation desc limit 1)
from eventlog.log l join projection.job_log j using (log_id)
where l.log_id = %s
"""
_UPDATE: Final = sql.SQL("""
update projection.job_log set ({columns}) = ({values})
where log_id = {log_id} and ({columns}) is distinct from ({values})
""")


@dataclass(frozen=True)
class Difference:
    """A row of a table that is not what the log says. ``stored`` or ``expected`` is None where there is no such row."""

    kind: DifferenceKind
    key: Values
    stored: Values | None
    expected: Values | None


@dataclass(frozen=True)
class TableCheck:
    """How many rows of a table are missing, extra or different, and the first `EXAMPLES` of them by key."""

    table: str
    missing: int = 0
    extra: int = 0
    different: int = 0
    examples: tuple[Difference, ...] = ()

    @property
    def is_equal(self) -> bool:
        return not (self.missing or self.extra or self.different)


class TableDifferences:
    """The differences between a log's stored rows and its folded ones, in the transaction of its `ScratchFold`.

    Tables are first compared by digest: the number of rows and the sum of their hashes, with a random seed. Only tables
    that differ are joined, which takes four times as long. The hash of a record is hashed again: it is a linear
    combination of the hashes of the columns, whose sum stays the same if two rows swap their values of a column.
    """

    def __init__(self, connection: Connection, log: TrackedLog) -> None:
        self._connection = connection
        self._log = log
        self._seed = randbits(63)

    def check(self) -> tuple[TableCheck, ...]:
        """Compare all tables; those of current rows only if the histories are right, from which these follow."""
        folded = tuple(self._compare(table, repairs=False) for table in FOLDED_TABLES)
        if not all(check.is_equal for check in folded):
            return folded
        return folded + tuple(self._compare(table, repairs=False) for table in CURRENT_TABLES)

    def repair(self, filled: Collection[str] = ()) -> tuple[TableCheck, ...]:
        """Replace the stored rows that differ from the folded ones, and return the tables that had any, without
        examples.

        Tables that were ``filled`` by the fold itself are not compared: their rows were missing. Raises ProjectionError
        if a table's rows still differ: something in the database changes them.
        """
        checks = (
            self._filled(table) if table in filled else self._compare(table, repairs=True) for table in LOG_TABLES
        )
        return tuple(check for check in checks if not check.is_equal)

    def _filled(self, table: str) -> TableCheck:
        found = self._connection.execute(_ROWS.format(rows=self._parts(table)["stored"])).fetchone()
        return TableCheck(table, missing=0 if found is None else found[0])

    def _compare(self, table: str, *, repairs: bool) -> TableCheck:
        """Count the differences of a table, and repair them or add examples."""
        parts = self._parts(table)
        folded = self._digest(parts["folded"])
        if self._digest(parts["stored"]) == folded:
            return TableCheck(table)
        self._connection.execute(_COLLECT.format(**parts))
        check = TableCheck(table, **dict(self._connection.execute(_COUNT).fetchall()))
        if repairs:
            self._connection.execute(_DELETE.format(**parts))
            self._connection.execute(_INSERT.format(**parts))
        else:
            check = replace(check, examples=self._examples(table, parts))
        self._connection.execute(_FORGET)
        if repairs and self._digest(parts["stored"]) != folded:
            raise ProjectionError(
                f"The rows of {self._log.stream.stream_name} in {table} still differ after the rebuild. Nothing was "
                "changed. Report this as a bug."
            )
        return check

    def _digest(self, rows: sql.Composable) -> tuple[int, Decimal | None] | None:
        """The number of rows, and the sum of their hashes."""
        return self._connection.execute(_DIGEST.format(rows=rows, seed=self._seed)).fetchone()

    def _examples(self, table: str, parts: Mapping[str, sql.Composable]) -> tuple[Difference, ...]:
        key = LOG_TABLES[table]
        with self._connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(_EXAMPLES.format(**parts, limit=EXAMPLES))
            return tuple(_difference(row, key) for row in rows)

    def _parts(self, table: str) -> dict[str, sql.Composable]:
        """What the statements about a table have in common."""
        names = {"table": sql.Identifier(table), "log_id": sql.Literal(self._log.log_id)}
        return names | {
            "key": sql.SQL(", ").join(map(sql.Identifier, LOG_TABLES[table])),
            "stored": _STORED.format(**names),
            "folded": (_FOLDED if table in FOLDED_TABLES else _CURRENT).format(
                **names, current=sql.Identifier(f"{table}_now")
            ),
        }


def _difference(row: Values, key: tuple[str, ...]) -> Difference:
    kind, stored, expected = row["kind"], row["stored"], row["expected"]
    return Difference(kind, {name: (stored or expected)[name] for name in key}, stored, expected)


def expected_job_log(connection: Connection, log_id: int) -> dict[str, Any]:
    """A log's row in ``job_log`` as it follows from the archive, apart from the job's name and id. One incarnation of a
    stream is current, and it is complete.
    """
    row = connection.execute(_FACTS, (log_id,)).fetchone()
    if row is None:
        return {}
    name, kind, incarnation, is_complete, is_current = row
    stream = identify(name, kind)
    return {
        "stream_name": name,
        "stream_kind": kind,
        "incarnation": incarnation,
        "job_suffix": stream.suffix,
        "job_bucket": stream.job_bucket,
        "is_current": is_current,
        "is_complete": is_complete or is_current,
    }


def repair_job_log(connection: Connection, log_id: int) -> TableCheck:
    """Set the values of `expected_job_log`, and return whether the row was different."""
    expected = expected_job_log(connection, log_id)
    columns = sql.SQL(", ").join(map(sql.Identifier, expected))
    values = sql.SQL(", ").join(map(sql.Literal, expected.values()))
    changed = connection.execute(_UPDATE.format(columns=columns, values=values, log_id=sql.Literal(log_id))).rowcount
    return TableCheck("job_log", different=changed)
