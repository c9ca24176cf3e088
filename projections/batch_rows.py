"""The rows of a batch: appended to the histories and dictionaries, merged into the current tables by key."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final

from eventlog.postgres.binary_values import UTF8_TEXT
from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import Columns, Rows, copy_rows, copying
from projections.fold.batch import BatchFold
from projections.fold.keys import KeyEntry
from projections.fold.layouts import Layout, input_streams

Place = Callable[[Columns], Columns]

CHECKPOINT_COLUMNS: Final = {
    "log_offset": "int8",
    "record_time": "timestamptz",
    "log_id": "int4",
    "key_id": "int4",
    "layout_id": "int4",
    "checkpoint_id": UTF8_TEXT,
    "offsets": UTF8_TEXT,
    "offsets_odd": "text[]",
}
MESSAGE_COLUMNS: Final = {
    "log_offset": "int8",
    "record_time": "timestamptz",
    "message_time": "timestamptz",
    "log_id": "int4",
    "key_id": "int4",
    "body": "jsonb",
    "source": "text",
    "host": "text",
    "username": "text",
}
CHECKPOINT_EVENT: Final = Columns.of(
    "projection.checkpoint_event", **CHECKPOINT_COLUMNS, other_version_time="timestamptz"
)
_MESSAGE_EVENT: Final = Columns.of("projection.message_event", **MESSAGE_COLUMNS)
_CHECKPOINT_ENVELOPE: Final = Columns.of(
    "projection.checkpoint_envelope",
    log_offset="int8",
    message_time="timestamptz",
    log_id="int4",
    source="text",
    host="text",
    username="text",
)
_SUSPECT_CHECKPOINT: Final = Columns.of(
    "projection.suspect_checkpoint",
    log_offset="int8",
    log_id="int4",
    key_id="int4",
    may_be_lower="bool",
    may_be_unread="bool",
)
_LOG_TIME: Final = Columns.of("projection.log_time", log_id="int4", log_offset="int8", log_time="timestamptz")
_GAP: Final = Columns.of("projection.gap", log_id="int4", first_offset="int8", last_offset="int8")
_QUARANTINE: Final = Columns.of(
    "projection.quarantine",
    log_offset="int8",
    record_time="timestamptz",
    log_id="int4",
    key_id="int4",
    value_bytes="int4",
    reason="text",
    detail="text",
    key_text="text",
    value_fingerprint="text",
)
_EVENT_KEY: Final = Columns.of(
    "projection.event_key",
    log_id="int4",
    key_id="int4",
    checkpoint_version="int4",
    partition_id="int4",
    key_bucket="int4",
    is_other="bool",
    is_sensitive="bool",
    message_type="text",
    message_key="text",
    grouper_factory="text",
    system_name="text",
    stream_name="text",
    key_sha256="bytea",
)
_STARTPOINT_READING: Final = Columns.of(
    "projection.startpoint_reading",
    log_id="int4",
    key_id="int4",
    n="int4",
    partition_id="int4",
    system_name="text",
    stream_name="text",
    task_name="text",
)
_CHECKPOINT_LAYOUT: Final = Columns.of(
    "projection.checkpoint_layout",
    log_id="int4",
    layout_id="int4",
    n="int4",
    partition_id="int4",
    key_bucket="int4",
    is_state="bool",
    system_name="text",
    stream_name="text",
    factory_name="text",
    store_name="text",
    marker_prefix="text",
    marker_suffix="text",
    input_count="int4",
    input_streams="text[]",
)
HISTORIES: Final = (CHECKPOINT_EVENT, _CHECKPOINT_ENVELOPE, _MESSAGE_EVENT)
"""Tables with rows of single events, which are never changed."""

_RESOLVE: Final = """
update {} set resolved_by = %s
where log_id = %s and key_id = %s and log_offset < %s and resolved_by is null
"""
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


def append_histories(connection: Connection, fold: BatchFold, place: Place = lambda columns: columns) -> None:
    """Append the batch's rows to every history and dictionary; ``place`` returns the table that gets them."""
    with copying(connection, place(CHECKPOINT_EVENT)) as write:
        fold.decode_checkpoints(write)
    _append_envelopes(connection, fold, place)
    for columns, rows in history_rows(fold):
        if rows:
            copy_rows(connection, place(columns), rows)
    for key_id, offset in fold.quarantine.resolved:
        resolve = _RESOLVE.format(place(_QUARANTINE).table).encode()
        connection.execute(resolve, (offset, fold.log.log_id, key_id, offset))


def _append_envelopes(connection: Connection, fold: BatchFold, place: Place) -> None:
    """Append the envelopes of checkpoints, and decode the messages while the server stores them."""
    columns, rows = envelope_rows(fold)
    if not rows:
        fold.decode_messages()
        return
    with copying(connection, place(columns)) as write:
        write(rows)
        fold.decode_messages()


def envelope_rows(fold: BatchFold) -> tuple[Columns, Sequence[tuple[Any, ...]]]:
    """Return the rows of the envelopes of the batch's checkpoints, which have to be decoded before."""
    return _CHECKPOINT_ENVELOPE, sorted(fold.checkpoints.envelopes, key=itemgetter(0))  # by offset, as their index goes


def history_rows(fold: BatchFold) -> Iterator[tuple[Columns, Sequence[tuple[Any, ...]]]]:
    """Return the decoded batch's rows by table, without those of `checkpoint_event` and `envelope_rows`."""
    log, log_id = fold.log, fold.log.log_id
    keys, log.keys.new = log.keys.new, []
    layouts, log.layouts.new = log.layouts.new, []
    yield _MESSAGE_EVENT, fold.messages
    yield _SUSPECT_CHECKPOINT, fold.checkpoints.suspects
    yield _LOG_TIME, [(log_id, offset, time) for offset, time in fold.clock.rows]
    yield _GAP, [(log_id, *gap) for gap in fold.gaps]
    yield _QUARANTINE, fold.quarantine.rows
    yield _EVENT_KEY, [_key_row(log_id, entry, key_sha256) for entry, key_sha256 in keys]
    yield _STARTPOINT_READING, list(_reading_rows(log_id, (entry for entry, _ in keys)))
    yield _CHECKPOINT_LAYOUT, [row for layout_id, layout in layouts for row in _layout_rows(log_id, layout_id, layout)]


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
        copy_rows(connection, _MERGED_CHECKPOINT, _checkpoints_by_key(fold))
        connection.execute(_DELETE_CHECKPOINTS)
        connection.execute(_MERGE_CHECKPOINTS)
    if fold.last_messages:
        copy_rows(connection, _MERGED_MESSAGE, _by_key(fold.last_messages))
        connection.execute(_DELETE_MESSAGES)
        connection.execute(_MERGE_MESSAGES)


def newest_rows(fold: BatchFold) -> Iterator[tuple[Columns, Rows]]:
    """The newest row of each key that the batch touched, by table; rows that delete their key are among them."""
    yield _CHECKPOINT_CURRENT, _checkpoints_by_key(fold)
    yield _MESSAGE_CURRENT, _by_key(fold.last_messages)


def _reading_rows(log_id: int, entries: Iterable[KeyEntry]) -> Iterator[tuple[Any, ...]]:
    for entry in entries:
        for n, (partition, task_name) in enumerate(
            ((reading.partition, reading.task_name) for reading in entry.meaning.readings), 1
        ):
            yield log_id, entry.key_id, n, partition.partition, partition.system, partition.stream, task_name


def _layout_rows(log_id: int, layout_id: int, layout: Layout) -> Iterator[tuple[Any, ...]]:
    streams = input_streams(layout)
    for n, entry in enumerate(layout, 1):
        yield log_id, layout_id, n, *entry, *((len(streams), streams) if n == 1 else (None, None))


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


def _checkpoints_by_key(fold: BatchFold) -> list[tuple[Any, ...]]:
    return [row[:_CHECKPOINT_FIELDS] for row in _by_key(fold.checkpoints.last_rows)]


def _by_key(rows: dict[int, Any]) -> list[Any]:
    return [rows[key_id] for key_id in sorted(rows)]
