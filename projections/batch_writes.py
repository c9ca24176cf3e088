"""Writes the rows of a batch by COPY: appends to the histories and dictionaries, merges into the current tables by key.

The server still stores what it was sent when the client has sent it all. `append_histories` calls its parameter
``meanwhile`` then, for work that does not need the connection.
"""

from collections.abc import Callable
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import Columns, copy_rows, copying
from projections.batch_rows import (
    TableRows,
    envelope_rows,
    message_rows,
    newest_checkpoints,
    newest_messages,
    other_rows,
)
from projections.batch_tables import CHECKPOINT_EVENT, MERGED_CHECKPOINT, MERGED_MESSAGE, QUARANTINE
from projections.fold.batch import BatchFold

Place = Callable[[Columns], Columns]
Meanwhile = Callable[[], object]

_RESOLVE: Final = """
update {} set resolved_by = %s
where log_id = %s and key_id = %s and log_offset < %s and resolved_by is null
"""
_TEMPORARY: Final = (
    b"create temporary table if not exists merged_message (like projection.message_current) on commit delete rows",
    b"""create temporary table if not exists merged_checkpoint (like projection.checkpoint_current)
        on commit delete rows""",
)
_LACKS_TEMPORARY: Final = "select to_regclass('pg_temp.merged_checkpoint') is null"
_MERGE_CHECKPOINTS: Final = b"""
insert into projection.checkpoint_current as c select * from merged_checkpoint where layout_id is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, layout_id = excluded.layout_id,
    checkpoint_id = excluded.checkpoint_id, offsets = excluded.offsets, offsets_odd = excluded.offsets_odd
where c.log_offset < excluded.log_offset
"""
_MERGE_MESSAGES: Final = b"""
insert into projection.message_current as c select * from merged_message where body is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time,
    body = excluded.body, source = excluded.source, host = excluded.host, username = excluded.username
where c.log_offset < excluded.log_offset
"""
_DELETE_CHECKPOINTS: Final = b"""
delete from projection.checkpoint_current c using merged_checkpoint m
where m.layout_id is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_DELETE_MESSAGES: Final = b"""
delete from projection.message_current c using merged_message m
where m.body is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""


def append_histories(
    connection: Connection,
    fold: BatchFold,
    place: Place = lambda columns: columns,
    meanwhile: Meanwhile = lambda: None,
) -> None:
    """Append the batch's rows to every history and dictionary; ``place`` returns the table that gets them."""
    with copying(connection, place(CHECKPOINT_EVENT)) as write:
        fold.decode_checkpoints(write)
        meanwhile()
    _append(connection, place, envelope_rows(fold), fold.decode_messages)
    _append(connection, place, message_rows(fold), meanwhile)
    for table_rows in other_rows(fold):
        _append(connection, place, table_rows)
    for key_id, offset in fold.quarantine.resolved:
        resolve = _RESOLVE.format(place(QUARANTINE).table).encode()
        connection.execute(resolve, (offset, fold.log.log_id, key_id, offset))


def _append(connection: Connection, place: Place, table_rows: TableRows, meanwhile: Meanwhile = lambda: None) -> None:
    columns, rows = table_rows
    if not rows:
        meanwhile()
        return
    with copying(connection, place(columns)) as write:
        write(rows)
        meanwhile()


def prepare(connection: Connection) -> None:
    """Create the session's temporary tables, which `merge_many` needs, unless they exist.

    Looking first is cheaper: a statement that names a temporary table lets the commit empty all of them, for 1 ms.
    """
    if connection.execute(_LACKS_TEMPORARY).fetchone() == (True,):
        for statement in _TEMPORARY:
            connection.execute(statement)


def forget_merged(connection: Connection) -> None:
    """Empty the session's temporary tables between two merges of one transaction, as its end does."""
    connection.execute("truncate merged_message, merged_checkpoint")


def merge_many(connection: Connection, fold: BatchFold) -> None:
    """Bring in the rows of many keys, over temporary tables; for few, ``projection.move_position`` does the same."""
    if fold.checkpoints.last_rows:
        copy_rows(connection, MERGED_CHECKPOINT, newest_checkpoints(fold))
        connection.execute(_DELETE_CHECKPOINTS)
        connection.execute(_MERGE_CHECKPOINTS)
    if fold.last_messages:
        copy_rows(connection, MERGED_MESSAGE, newest_messages(fold))
        connection.execute(_DELETE_MESSAGES)
        connection.execute(_MERGE_MESSAGES)
