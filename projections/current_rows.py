"""The current tables: brought to the newest row of each key that a batch touched."""

from collections.abc import Callable, Sequence
from typing import Any, Final, LiteralString

from psycopg import sql

from eventlog.connection import Connection
from eventlog.row_writing import Columns, copy_rows, execute_for_each, insertion, parameters
from projections.fold.batch import BatchFold
from projections.fold.rows import CheckpointRow, MessageRow
from projections.history_rows import CHECKPOINT_COLUMNS, MESSAGE_COLUMNS

Merge = Callable[[Connection, BatchFold], None]

_CHECKPOINT_CURRENT: Final = Columns.of("projection.checkpoint_current", **CHECKPOINT_COLUMNS)
_MESSAGE_CURRENT: Final = Columns.of("projection.message_current", **MESSAGE_COLUMNS)
_MERGED_CHECKPOINT: Final = Columns.of("merged_checkpoint", **CHECKPOINT_COLUMNS)
_MERGED_MESSAGE: Final = Columns.of("merged_message", **MESSAGE_COLUMNS)

_TEMPORARY: Final = (
    b"create temporary table if not exists merged_message (like projection.message_current) on commit delete rows",
    b"""create temporary table if not exists merged_checkpoint (like projection.checkpoint_current)
        on commit delete rows""",
)
_REPLACE_CHECKPOINT: Final = """
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, layout_id = excluded.layout_id,
    checkpoint_id = excluded.checkpoint_id, offsets = excluded.offsets, offsets_odd = excluded.offsets_odd
where c.log_offset < excluded.log_offset
"""
_REPLACE_MESSAGE: Final = """
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time,
    body = excluded.body, source = excluded.source, host = excluded.host, username = excluded.username
where c.log_offset < excluded.log_offset
"""
_MERGE_CHECKPOINTS: Final = sql.SQL(
    "insert into projection.checkpoint_current as c select * from merged_checkpoint where layout_id is not null {}"
).format(sql.SQL(_REPLACE_CHECKPOINT))
_MERGE_MESSAGES: Final = sql.SQL(
    "insert into projection.message_current as c select * from merged_message where body is not null {}"
).format(sql.SQL(_REPLACE_MESSAGE))
_DELETE_CHECKPOINTS: Final = b"""
delete from projection.checkpoint_current c using merged_checkpoint m
where m.layout_id is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_DELETE_MESSAGES: Final = b"""
delete from projection.message_current c using merged_message m
where m.body is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_DELETE_CHECKPOINT: Final = (
    b"delete from projection.checkpoint_current where log_id = %s and key_id = %s and log_offset < %s"
)
_DELETE_MESSAGE: Final = b"delete from projection.message_current where log_id = %s and key_id = %s and log_offset < %s"


def prepare(connection: Connection) -> None:
    """Make the session's temporary tables, which `merge_many` needs."""
    for statement in _TEMPORARY:
        connection.execute(statement)


def forget_merged(connection: Connection) -> None:
    """Empty the session's temporary tables between two merges of one transaction, as its end does."""
    connection.execute("truncate merged_message, merged_checkpoint")


def merge_many(connection: Connection, fold: BatchFold) -> None:
    """Bring in the rows of many keys, over temporary tables."""
    if fold.last_checkpoints:
        copy_rows(connection, _MERGED_CHECKPOINT, _by_key(fold.last_checkpoints))
        connection.execute(_DELETE_CHECKPOINTS)
        connection.execute(_MERGE_CHECKPOINTS)
    if fold.last_messages:
        copy_rows(connection, _MERGED_MESSAGE, _by_key(fold.last_messages))
        connection.execute(_DELETE_MESSAGES)
        connection.execute(_MERGE_MESSAGES)


def merge_few(connection: Connection, fold: BatchFold) -> None:
    """Bring in the rows of a few keys, one by one: within a pipeline nothing is waited for."""
    checkpoints: list[CheckpointRow] = _by_key(fold.last_checkpoints)
    messages: list[MessageRow] = _by_key(fold.last_messages)
    _delete(connection, _DELETE_CHECKPOINT, [row for row in checkpoints if row.layout_id is None])
    _upsert(
        connection, _CHECKPOINT_CURRENT, _REPLACE_CHECKPOINT, [row for row in checkpoints if row.layout_id is not None]
    )
    _delete(connection, _DELETE_MESSAGE, [row for row in messages if row.body is None])
    _upsert(connection, _MESSAGE_CURRENT, _REPLACE_MESSAGE, [row for row in messages if row.body is not None])


def _by_key(rows: dict[int, Any]) -> list[Any]:
    return [rows[key_id] for key_id in sorted(rows)]


def _upsert(connection: Connection, columns: Columns, replace: LiteralString, rows: Sequence[Sequence[Any]]) -> None:
    execute_for_each(connection, insertion(columns, replace), parameters(columns, rows))


def _delete(connection: Connection, statement: bytes, rows: Sequence[CheckpointRow] | Sequence[MessageRow]) -> None:
    execute_for_each(connection, statement, [(row.log_id, row.key_id, row.log_offset) for row in rows])
