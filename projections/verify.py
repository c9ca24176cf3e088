"""Compares the rows of a log with those that its archived events fold to. Changes nothing, and locks out nobody."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from psycopg import sql
from psycopg.rows import dict_row

from eventlog.postgres.archive import archive_end
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import BACKEND
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_EVENTS
from projections.scratch_fold import fold_into_scratch, log_tables
from projections.tracked_logs import TrackedLog, logs_of

DifferenceKind = Literal["missing", "extra", "different"]
Values = dict[str, Any]

EXAMPLES: Final = 10
"""Keys that are named for each table."""

_SNAPSHOT: Final = "set transaction isolation level repeatable read"
_MATCH_LAYOUTS: Final = """
create temporary table layout_match on commit drop as
with layout as (
  select is_stored, layout_id,
    md5(string_agg((to_jsonb(l) - '{log_id,layout_id,is_stored}'::text[])::text, ' ' order by n))
  from (select *, true as is_stored from projection.checkpoint_layout where log_id = %s
        union all select *, false from pg_temp.checkpoint_layout) l
  group by is_stored, layout_id),
same as (
  select s.layout_id, min(e.layout_id) as expected_id from layout s join layout e using (md5)
  where s.is_stored and not e.is_stored group by s.layout_id)
select layout_id,
  coalesce(m.expected_id, case when layout_id in (select expected_id from same) then -layout_id else layout_id end)
    as expected_id
from layout s left join same m using (layout_id) where s.is_stored
"""
_COLUMNS: Final = """
select attname from pg_attribute
where attrelid = format('projection.%%I', %s::text)::regclass and attnum > 0 and not attisdropped order by attnum
"""
_LAYOUT: Final = sql.SQL("coalesce(m.expected_id, t.layout_id) as layout_id")
_STORED: Final = sql.SQL("select * from projection.{table} where log_id = {log_id}")
_STORED_WITH_LAYOUT: Final = sql.SQL(
    "select {columns} from projection.{table} t left join layout_match m using (layout_id) where t.log_id = {log_id}"
)
_DIFFERENCES: Final = sql.SQL("""
from ({stored}) s full join pg_temp.{table} e using ({key})
where s.* is distinct from e.*
""")
_KIND: Final = sql.SQL(
    "case when s.log_id is null then 'missing' when e.log_id is null then 'extra' else 'different' end"
)
_COUNT: Final = sql.SQL("select {kind}, count(*) {differences} group by 1")
_EXAMPLES: Final = sql.SQL(
    "select {kind} as kind, to_jsonb(s) as stored, to_jsonb(e) as expected {differences} order by {key} limit {limit}"
)
_POSITION: Final = "select next_offset, end_offset, state from projection.position where log_id = %s"
_NAMES: Final = "select job_name, job_id from projection.job_log where log_id = %s"
_NAMES_OF_COORDINATOR: Final = """
select job_name, job_id from projection.job_log
where job_suffix = %s and stream_kind = 'coordinator' and is_current and log_id <> %s
"""
_FOLDED_NAMES: Final = """
select k.message_key, m.body ->> 'config_value'
from pg_temp.message_current m join pg_temp.event_key k using (log_id, key_id)
where k.message_type = 'set-config' and k.message_key in ('job.name', 'job.id')
"""


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


@dataclass(frozen=True)
class Verification:
    """What comparing a log's rows with its events found; ``log`` has the position that was compared."""

    log: TrackedLog
    events: int
    tables: tuple[TableCheck, ...]

    @property
    def is_equal(self) -> bool:
        """Whether every table holds exactly the rows that it should."""
        return all(table.is_equal for table in self.tables)


def verify_log(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    *,
    batch_events: int = BATCH_EVENTS,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Verification:
    """Fold a log's archived events again and compare every table of ``projection`` with the result.

    Runs in one snapshot, so a follower may go on meanwhile: its later rows are not seen. The snapshot and temporary
    tables as large as the log's rows last until the comparison ends.

    Raises:
        FoldVersionDiffers, NothingFolded: the log's rows are another version's, or it has none.
    """
    with connection.transaction(force_rollback=True):
        connection.execute(_SNAPSHOT)
        (log,) = (known for known in logs_of(connection, log.stream.stream_name) if known.log_id == log.log_id)
        log.require_fold_version(settings)
        until = _last_position(connection, log)
        events = fold_into_scratch(
            connection, log, settings, until=until, batch_events=batch_events, on_progress=on_progress
        )
        tables = (_check_position(connection, log), _check_names(connection, log), *_check_tables(connection, log))
    return Verification(log, events, tables)


def _last_position(connection: Connection, log: TrackedLog) -> int:
    """Return the offset below which events are folded: the archive's end, unless Postgres keeps the log itself."""
    end = archive_end(connection, log.log_id)
    return min(log.next_offset, end) if log.backend == BACKEND else end


def _check_position(connection: Connection, log: TrackedLog) -> TableCheck:
    """Compare the position with the archive: both move in one transaction, and never beyond the log's end."""
    with connection.cursor(row_factory=dict_row) as cursor:
        stored = cursor.execute(_POSITION, (log.log_id,)).fetchone() or {}
    end = archive_end(connection, log.log_id)
    expected = log.next_offset
    if log.backend == BACKEND:
        expected = min(expected, end)
    elif stored["state"] == "stopped" and stored["end_offset"] is not None:
        expected = min(expected, max(end, stored["end_offset"]))
    return _check_row("position", stored, stored | {"next_offset": max(expected, _last_position(connection, log))})


def _check_names(connection: Connection, log: TrackedLog) -> TableCheck:
    """Compare the job's name and id with its config as folded now, or with those of the job's coordinator stream."""
    with connection.cursor(row_factory=dict_row) as cursor:
        stored = cursor.execute(_NAMES, (log.log_id,)).fetchone() or {}
    stream = log.stream
    expected = connection.execute(_NAMES_OF_COORDINATOR, (stream.suffix, log.log_id)).fetchone()
    if expected is None:
        config: dict[str, str] = dict(connection.execute(_FOLDED_NAMES).fetchall())
        expected = config.get("job.name") or stream.job_name, config.get("job.id") or stream.job_id
    return _check_row("job_log", stored, dict(zip(stored, expected, strict=True)))


def _check_row(table: str, stored: Values, expected: Values) -> TableCheck:
    if stored == expected:
        return TableCheck(table)
    return TableCheck(table, different=1, examples=(Difference("different", {}, stored, expected),))


def _check_tables(connection: Connection, log: TrackedLog) -> Iterator[TableCheck]:
    connection.execute(_MATCH_LAYOUTS, (log.log_id,))
    for table, key in log_tables().items():
        yield _check_table(connection, log.log_id, table, key)


def _check_table(connection: Connection, log_id: int, table: str, key: tuple[str, ...]) -> TableCheck:
    names = sql.SQL(", ").join(map(sql.Identifier, key))
    differences = _DIFFERENCES.format(
        stored=_stored_rows(connection, log_id, table), table=sql.Identifier(table), key=names
    )
    counts: dict[str, int] = dict(connection.execute(_COUNT.format(kind=_KIND, differences=differences)).fetchall())
    if not counts:
        return TableCheck(table)
    query = _EXAMPLES.format(kind=_KIND, differences=differences, key=names, limit=EXAMPLES)
    with connection.cursor(row_factory=dict_row) as cursor:
        examples = tuple(_difference(row, key) for row in cursor.execute(query))
    return TableCheck(table, **counts, examples=examples)


def _stored_rows(connection: Connection, log_id: int, table: str) -> sql.Composable:
    """Select the stored rows of a log, with the layout numbers of the new fold: they depend on how batches were cut."""
    columns = [name for (name,) in connection.execute(_COLUMNS, (table,))]
    if "layout_id" not in columns:
        return _STORED.format(table=sql.Identifier(table), log_id=log_id)
    selected = [_LAYOUT if name == "layout_id" else sql.Identifier("t", name) for name in columns]
    return _STORED_WITH_LAYOUT.format(columns=sql.SQL(", ").join(selected), table=sql.Identifier(table), log_id=log_id)


def _difference(row: Values, key: tuple[str, ...]) -> Difference:
    kind, stored, expected = row["kind"], row["stored"], row["expected"]
    return Difference(kind, {name: (stored or expected)[name] for name in key}, stored, expected)
