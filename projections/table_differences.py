"""Compares the stored rows of a log with those of a `ScratchFold`, and replaces the rows that differ.

The number of a checkpoint layout depends on how batches were cut, so layouts are matched by content, and the folded
rows are compared with the stored numbers in place of their own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from psycopg import sql
from psycopg.rows import dict_row

from eventlog.postgres.connection import Connection
from projections.scratch_fold import log_tables

DifferenceKind = Literal["missing", "extra", "different"]
Values = dict[str, Any]

EXAMPLES: Final = 10
"""Rows of a table that are named at most."""

_MATCH_LAYOUTS: Final = """
create temporary table layout_match on commit drop as
with layout as (
  select is_stored, layout_id,
    md5(string_agg((to_jsonb(l) - '{log_id,layout_id,is_stored}'::text[])::text, ' ' order by n))
  from (select *, true as is_stored from projection.checkpoint_layout where log_id = %s
        union all select *, false from pg_temp.checkpoint_layout) l
  group by is_stored, layout_id),
matched as (
  select e.layout_id as folded_id, min(s.layout_id) as layout_id
  from layout e left join layout s on s.md5 = e.md5 and s.is_stored where not e.is_stored group by e.layout_id)
select folded_id, coalesce(layout_id, case
    when folded_id not in (select m.layout_id from matched m where m.layout_id is not null) then folded_id
    else (select max(l.layout_id) from layout l) + folded_id end) as layout_id
from matched
"""
_COLUMNS: Final = """
select attname from pg_attribute
where attrelid = format('projection.%%I', %s::text)::regclass and attnum > 0 and not attisdropped order by attnum
"""
_FOLDED: Final = sql.SQL("select {columns} from pg_temp.{table} t")
_WITH_LAYOUT: Final = sql.SQL(" left join layout_match m on m.folded_id = t.layout_id")
_LAYOUT: Final = sql.SQL("coalesce(m.layout_id, t.layout_id) as layout_id")
_DIFFERENCES: Final = sql.SQL("""
from (select * from projection.{table} where log_id = {log_id}) s full join ({folded}) e using ({key})
where s is distinct from e
""")
_KIND: Final = sql.SQL(
    "case when s.log_id is null then 'missing' when e.log_id is null then 'extra' else 'different' end as kind"
)
_COUNT: Final = sql.SQL("select {kind}, count(*) {differences} group by 1")
_EXAMPLES: Final = sql.SQL(
    "select {kind}, to_jsonb(s) as stored, to_jsonb(e) as expected {differences} order by {key} limit {limit}"
)
_COLLECT: Final = sql.SQL("create temporary table difference on commit drop as select {key}, {kind} {differences}")
_DELETE: Final = sql.SQL("""
delete from projection.{table}
where log_id = {log_id} and ({key}) in (select {key} from difference where kind <> 'missing')
""")
_INSERT: Final = sql.SQL("""
insert into projection.{table}
select e.* from ({folded}) e join difference d using ({key}) where d.kind <> 'extra'
""")
_FORGET: Final = "drop table difference"


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
        """Whether the table holds exactly the rows that it should."""
        return not (self.missing or self.extra or self.different)


class TableDifferences:
    """The differences between a log's stored rows and its folded ones, in the transaction of its `ScratchFold`."""

    def __init__(self, connection: Connection, log_id: int) -> None:
        self._connection = connection
        self._log_id = log_id
        connection.execute(_MATCH_LAYOUTS, (log_id,))

    def check(self, tables: Iterable[str] | None = None) -> tuple[TableCheck, ...]:
        """Count the differences of these tables, or of all, and name the first of each."""
        return tuple(self._check(table) for table in (log_tables() if tables is None else tables))

    def repair(self, table: str) -> None:
        """Delete the rows of a table that are extra or different, and insert those that are missing or different."""
        parts = self._parts(table)
        for statement in (_COLLECT, _DELETE, _INSERT):
            self._connection.execute(statement.format(**parts))
        self._connection.execute(_FORGET)

    def _check(self, table: str) -> TableCheck:
        parts = self._parts(table)
        counts: dict[str, int] = dict(self._connection.execute(_COUNT.format(**parts)).fetchall())
        if not counts:
            return TableCheck(table)
        key = log_tables()[table]
        with self._connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(_EXAMPLES.format(**parts, limit=EXAMPLES))
            return TableCheck(table, **counts, examples=tuple(_difference(row, key) for row in rows))

    def _parts(self, table: str) -> dict[str, sql.Composable]:
        """What the statements about a table have in common."""
        parts: dict[str, sql.Composable] = {
            "table": sql.Identifier(table),
            "log_id": sql.Literal(self._log_id),
            "key": sql.SQL(", ").join(map(sql.Identifier, log_tables()[table])),
            "kind": _KIND,
            "folded": self._folded_rows(table),
        }
        return parts | {"differences": _DIFFERENCES.format(**parts)}

    def _folded_rows(self, table: str) -> sql.Composable:
        columns = [name for (name,) in self._connection.execute(_COLUMNS, (table,))]
        has_layout = "layout_id" in columns
        selected = [_LAYOUT if name == "layout_id" else sql.Identifier("t", name) for name in columns]
        rows = _FOLDED.format(columns=sql.SQL(", ").join(selected), table=sql.Identifier(table))
        return rows + _WITH_LAYOUT if has_layout else rows


def _difference(row: Values, key: tuple[str, ...]) -> Difference:
    kind, stored, expected = row["kind"], row["stored"], row["expected"]
    return Difference(kind, {name: (stored or expected)[name] for name in key}, stored, expected)
