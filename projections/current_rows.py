"""The current tables: brought to the newest row of each key that a batch touched."""

from collections.abc import Iterator
from typing import Any, Final

from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import Columns, Rows, copy_rows
from projections.fold.batch import BatchFold
from projections.history_rows import CHECKPOINT_COLUMNS, MESSAGE_COLUMNS, SCHEMA

_CHECKPOINT_CURRENT: Final = Columns.of("projection.checkpoint_current", **CHECKPOINT_COLUMNS)
_MESSAGE_CURRENT: Final = Columns.of("projection.message_current", **MESSAGE_COLUMNS)
_MERGED_CHECKPOINT: Final = Columns.of("merged_checkpoint", **CHECKPOINT_COLUMNS)
_CHECKPOINT_FIELDS: Final = len(CHECKPOINT_COLUMNS)
_MERGED_MESSAGE: Final = Columns.of("merged_message", **MESSAGE_COLUMNS)

_TEMPORARY: Final = (
    b"create temporary table if not exists merged_message (like projection.message_current) on commit delete rows",
    b"""create temporary table if not exists merged_checkpoint (like projection.checkpoint_current)
        on commit delete rows""",
)
_MERGE_CHECKPOINTS: Final = """
insert into {}.checkpoint_current as c select * from merged_checkpoint where layout_id is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, layout_id = excluded.layout_id,
    checkpoint_id = excluded.checkpoint_id, offsets = excluded.offsets, offsets_odd = excluded.offsets_odd
where c.log_offset < excluded.log_offset
"""
_MERGE_MESSAGES: Final = """
insert into {}.message_current as c select * from merged_message where body is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time,
    body = excluded.body, source = excluded.source, host = excluded.host, username = excluded.username
where c.log_offset < excluded.log_offset
"""
_DELETE_CHECKPOINTS: Final = """
delete from {}.checkpoint_current c using merged_checkpoint m
where m.layout_id is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_DELETE_MESSAGES: Final = """
delete from {}.message_current c using merged_message m
where m.body is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""


def prepare(connection: Connection) -> None:
    """Make the session's temporary tables, which `merge_many` needs."""
    for statement in _TEMPORARY:
        connection.execute(statement)


def forget_merged(connection: Connection) -> None:
    """Empty the session's temporary tables between two merges of one transaction, as its end does."""
    connection.execute("truncate merged_message, merged_checkpoint")


def merge_many(connection: Connection, fold: BatchFold, schema: str = SCHEMA) -> None:
    """Bring in the rows of many keys, over temporary tables; for few, ``projection.move_position`` does the same."""
    if fold.checkpoints.last_rows:
        copy_rows(connection, _MERGED_CHECKPOINT, _checkpoints_by_key(fold))
        connection.execute(_DELETE_CHECKPOINTS.format(schema).encode())
        connection.execute(_MERGE_CHECKPOINTS.format(schema).encode())
    if fold.last_messages:
        copy_rows(connection, _MERGED_MESSAGE, _by_key(fold.last_messages))
        connection.execute(_DELETE_MESSAGES.format(schema).encode())
        connection.execute(_MERGE_MESSAGES.format(schema).encode())


def newest_rows(fold: BatchFold) -> Iterator[tuple[Columns, Rows]]:
    """The newest row of each key that the batch touched, by table; rows that delete their key are among them."""
    yield _CHECKPOINT_CURRENT, _checkpoints_by_key(fold)
    yield _MESSAGE_CURRENT, _by_key(fold.last_messages)


def _checkpoints_by_key(fold: BatchFold) -> list[tuple[Any, ...]]:
    return [row[:_CHECKPOINT_FIELDS] for row in _by_key(fold.checkpoints.last_rows)]


def _by_key(rows: dict[int, Any]) -> list[Any]:
    return [rows[key_id] for key_id in sorted(rows)]
