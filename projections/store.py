"""Writes what a fold made: binary COPY into histories, a merge into current tables, the position last."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from eventlog.binary_copy import binary_copy
from eventlog.connection import Connection
from projections.fold.batch import BatchFold, LogFold
from projections.fold.keys import KeyEntry

# timestamptz travels as int8, text that is bytes already as bytea: Postgres' binary format is the same
_CHECKPOINT_COLUMNS: Final = "log_offset, record_time, log_id, key_id, layout_id, checkpoint_id, offsets, offsets_odd"
_CHECKPOINT_TYPES: Final = ("int8", "int8", "int4", "int4", "int4", "bytea", "bytea", "text[]")
_MESSAGE_COLUMNS: Final = "log_offset, record_time, message_time, log_id, key_id, body, source, host, username"
_MESSAGE_TYPES: Final = ("int8", "int8", "int8", "int4", "int4", "bytea", "text", "text", "text")

_TEMPORARY: Final = """
create temporary table if not exists merged_checkpoint (like projection.checkpoint_current) on commit delete rows;
create temporary table if not exists merged_message (like projection.message_current) on commit delete rows;
"""
_MERGE_CHECKPOINTS: Final = """
insert into projection.checkpoint_current as c select * from merged_checkpoint where layout_id is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, layout_id = excluded.layout_id,
    checkpoint_id = excluded.checkpoint_id, offsets = excluded.offsets, offsets_odd = excluded.offsets_odd
where c.log_offset < excluded.log_offset
"""
_DELETE_CHECKPOINTS: Final = """
delete from projection.checkpoint_current c using merged_checkpoint m
where m.layout_id is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_MERGE_MESSAGES: Final = """
insert into projection.message_current as c select * from merged_message where body is not null
on conflict (log_id, key_id) do update set
    log_offset = excluded.log_offset, record_time = excluded.record_time, message_time = excluded.message_time,
    body = excluded.body, source = excluded.source, host = excluded.host, username = excluded.username
where c.log_offset < excluded.log_offset
"""
_DELETE_MESSAGES: Final = """
delete from projection.message_current c using merged_message m
where m.body is null and c.log_id = m.log_id and c.key_id = m.key_id and c.log_offset < m.log_offset
"""
_RESOLVE: Final = """
update projection.quarantine set resolved_by = %s
where log_id = %s and key_id = %s and log_offset < %s and resolved_by is null
"""


def prepare(connection: Connection) -> None:
    """Make the session's temporary tables."""
    for statement in _TEMPORARY.split(";"):
        if statement.strip():
            connection.execute(statement.encode())


def write_histories(connection: Connection, log: LogFold, fold: BatchFold) -> None:
    """Append the batch's rows to every history and dictionary."""
    _copy(connection, f"projection.checkpoint_event ({_CHECKPOINT_COLUMNS})", _CHECKPOINT_TYPES, fold.checkpoint_rows())
    _copy(connection, f"projection.message_event ({_MESSAGE_COLUMNS})", _MESSAGE_TYPES, fold.messages)
    _copy(
        connection,
        "projection.checkpoint_envelope (log_offset, message_time, log_id, source, host, username)",
        ("int8", "int8", "int4", "text", "text", "text"),
        sorted(fold.envelopes),  # by offset, as their index goes
    )
    _copy(
        connection,
        "projection.log_time (log_id, log_offset, log_time)",
        ("int4", "int8", "int8"),
        ((log.log_id, offset, time) for offset, time in fold.clock.rows),
    )
    _write_quarantine(connection, log, fold)
    _write_keys(connection, log)
    _write_layouts(connection, log)


def merge_current(connection: Connection, fold: BatchFold) -> None:
    """Bring the current tables to the newest row of each key that the batch touched."""
    if fold.last_checkpoints:
        rows = [fold.last_checkpoints[key_id] for key_id in sorted(fold.last_checkpoints)]
        _copy(connection, f"merged_checkpoint ({_CHECKPOINT_COLUMNS})", _CHECKPOINT_TYPES, rows)
        connection.execute(_DELETE_CHECKPOINTS)
        connection.execute(_MERGE_CHECKPOINTS)
    if fold.last_messages:
        messages = [fold.last_messages[key_id] for key_id in sorted(fold.last_messages)]
        _copy(connection, f"merged_message ({_MESSAGE_COLUMNS})", _MESSAGE_TYPES, messages)
        connection.execute(_DELETE_MESSAGES)
        connection.execute(_MERGE_MESSAGES)


def _write_quarantine(connection: Connection, log: LogFold, fold: BatchFold) -> None:
    _copy(
        connection,
        "projection.quarantine (log_offset, record_time, log_id, key_id, value_bytes, reason, detail, key_text,"
        " value_fingerprint)",
        ("int8", "int8", "int4", "int4", "int4", "text", "text", "text", "text"),
        fold.quarantined,
    )
    for key_id, offset in fold.resolved:
        connection.execute(_RESOLVE, (offset, log.log_id, key_id, offset))


def _write_keys(connection: Connection, log: LogFold) -> None:
    new, log.keys.new = log.keys.new, []
    _copy(
        connection,
        "projection.event_key (log_id, key_id, checkpoint_version, partition_id, key_bucket, is_other, is_sensitive,"
        " message_type, message_key, grouper_factory, system_name, stream_name, key_sha256)",
        ("int4",) * 5 + ("bool",) * 2 + ("text",) * 5 + ("bytea",),
        (_key_row(log.log_id, entry, key_sha256) for entry, key_sha256 in new),
    )
    _copy(
        connection,
        "projection.startpoint_reading (log_id, key_id, n, partition_id, system_name, stream_name, task_name)",
        ("int4",) * 4 + ("text",) * 3,
        (
            (log.log_id, entry.key_id, n, partition.partition, partition.system, partition.stream, task_name)
            for entry, _ in new
            for n, (partition, task_name) in enumerate(
                ((reading.partition, reading.task_name) for reading in entry.meaning.readings), 1
            )
        ),
    )


def _key_row(log_id: int, entry: KeyEntry, key_sha256: bytes) -> tuple[Any, ...]:
    meaning, partition = entry.meaning, entry.meaning.partition
    return (
        log_id,
        entry.key_id,
        meaning.checkpoint_version,
        None if partition is None else partition.partition,
        None if partition is None else partition.key_bucket,
        meaning.is_other,
        meaning.is_sensitive,
        meaning.message_type,
        meaning.message_key,
        meaning.grouper_factory,
        None if partition is None else partition.system,
        None if partition is None else partition.stream,
        key_sha256,
    )


def _write_layouts(connection: Connection, log: LogFold) -> None:
    new, log.layouts.new = log.layouts.new, []
    _copy(
        connection,
        "projection.checkpoint_layout (log_id, layout_id, n, partition_id, key_bucket, is_state, system_name,"
        " stream_name, factory_name, store_name, marker_prefix, marker_suffix)",
        ("int4",) * 5 + ("bool",) + ("text",) * 6,
        ((log.log_id, layout_id, n, *entry) for layout_id, layout in new for n, entry in enumerate(layout, 1)),
    )


def _copy(connection: Connection, target: str, types: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """COPY rows into a table; its name and columns are this module's own constants."""
    with binary_copy(connection, f"copy {target} from stdin (format binary)".encode(), types) as write_rows:
        write_rows(rows)
