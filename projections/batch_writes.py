"""The rows of a folded batch, by table, and their COPY into histories and dictionaries; current rows follow."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final

from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import UTF8_TEXT, Columns, Copies, json_rows
from projections.fold.batch import BatchFold
from projections.fold.checkpoints import Layout, input_streams
from projections.fold.keys import KeyEntry

TableRows = tuple[Columns, Sequence[tuple[Any, ...]]]
"""Rows, and the table they go to."""

Place = Callable[[Columns], Columns]
_PLACE: Final = {"log_offset": "int8", "record_time": "timestamptz"}
_KEY: Final = {"log_id": "int4", "key_id": "int4"}
_AUTHOR: Final = {"source": "text", "host": "text", "username": "text"}
CHECKPOINT_EVENT: Final = Columns.of(
    "projection.checkpoint_event",
    **_PLACE,
    **_KEY,
    layout_id="int8",
    checkpoint_id=UTF8_TEXT,
    offsets=UTF8_TEXT,
    offsets_odd="text[]",
    other_version_time="timestamptz",
    value_bytes="int4",
)
MESSAGE_EVENT: Final = Columns.of(
    "projection.message_event",
    **_PLACE,
    message_time="timestamptz",
    **_KEY,
    value_bytes="int4",
    body="jsonb",
    **_AUTHOR,
)
CHECKPOINT_ENVELOPE: Final = Columns.of(
    "projection.checkpoint_envelope", log_offset="int8", message_time="timestamptz", log_id="int4", **_AUTHOR
)
SUSPECT_CHECKPOINT: Final = Columns.of(
    "projection.suspect_checkpoint", log_offset="int8", **_KEY, may_be_lower="bool", may_be_unread="bool"
)
LOG_TIME: Final = Columns.of("projection.log_time", log_id="int4", log_offset="int8", log_time="timestamptz")
GAP: Final = Columns.of("projection.gap", log_id="int4", first_offset="int8", last_offset="int8")
QUARANTINE: Final = Columns.of(
    "projection.quarantine",
    **_PLACE,
    **_KEY,
    value_bytes="int4",
    **dict.fromkeys(("reason", "detail", "key_text", "value_fingerprint"), "text"),
)
EVENT_KEY: Final = Columns.of(
    "projection.event_key",
    **_KEY,
    **dict.fromkeys(("checkpoint_version", "partition_id", "key_bucket"), "int4"),
    **dict.fromkeys(("is_other", "is_sensitive"), "bool"),
    **dict.fromkeys(("message_type", "message_key", "grouper_factory", "system_name", "stream_name"), "text"),
    key_sha256="bytea",
)
STARTPOINT_READING: Final = Columns.of(
    "projection.startpoint_reading",
    **_KEY,
    **dict.fromkeys(("n", "partition_id"), "int4"),
    **dict.fromkeys(("system_name", "stream_name", "task_name"), "text"),
)
CHECKPOINT_LAYOUT: Final = Columns.of(
    "projection.checkpoint_layout",
    log_id="int4",
    layout_id="int8",
    **dict.fromkeys(("partition_id", "key_bucket"), "int4[]"),
    is_state="bool[]",
    **dict.fromkeys(("system_name", "stream_name", "factory_name", "store_name"), "text[]"),
    **dict.fromkeys(("marker_prefix", "marker_suffix", "input_streams"), "text[]"),
)

HISTORIES: Final = (CHECKPOINT_EVENT, CHECKPOINT_ENVELOPE, MESSAGE_EVENT)
"""Tables with rows of single events, which are never changed."""

_RESOLVE: Final = """
update {} set resolved_by = %s
where log_id = %s and key_id = %s and log_offset < %s and resolved_by is null
"""
_INSERT_LAYOUTS: Final = """
insert into {} select * from jsonb_populate_recordset(null::projection.checkpoint_layout, %s::jsonb)
"""
_KEEP_CURRENT: Final = b"select projection.keep_current(%s, %s, %s)"


def append_histories(
    connection: Connection, copies: Copies, fold: BatchFold, place: Place = lambda columns: columns
) -> None:
    """Append the batch's rows to every history and dictionary; ``place`` returns the table that gets them."""
    with copies.open(place(CHECKPOINT_EVENT)) as write:
        fold.decode(write)
    for columns, rows in (envelope_rows(fold), (MESSAGE_EVENT, fold.messages), *other_rows(fold)):
        if not rows:
            continue
        if columns is CHECKPOINT_LAYOUT:  # few rows, of arrays, for which COPY has no form here
            insert = _INSERT_LAYOUTS.format(place(columns).table).encode()
            copies.run(partial(connection.execute, insert, (json.dumps(json_rows(columns, rows)),)))
        else:
            copies.copy(place(columns), rows)
    for key_id, offset in fold.quarantine.resolved:
        resolve = _RESOLVE.format(place(QUARANTINE).table).encode()
        copies.run(partial(connection.execute, resolve, (offset, fold.log.log_id, key_id, offset)))


def envelope_rows(fold: BatchFold) -> TableRows:
    """The envelopes of the batch's checkpoints, by offset, as their index goes."""
    return CHECKPOINT_ENVELOPE, sorted(fold.checkpoints.envelopes, key=itemgetter(0))


def other_rows(fold: BatchFold) -> Iterator[TableRows]:
    """What a batch adds to tables other than the `HISTORIES`; takes the new keys and layouts from its log."""
    log, log_id = fold.log, fold.log.log_id
    keys, log.keys.new = log.keys.new, []
    layouts, log.layouts.new = log.layouts.new, []
    yield SUSPECT_CHECKPOINT, fold.checkpoints.suspects
    yield LOG_TIME, [(log_id, offset, time) for offset, time in fold.clock.rows]
    yield GAP, [(log_id, *gap) for gap in fold.gaps]
    yield QUARANTINE, fold.quarantine.rows
    yield EVENT_KEY, [_key_row(log_id, entry, key_sha256) for entry, key_sha256 in keys]
    yield STARTPOINT_READING, list(_reading_rows(log_id, (entry for entry, _ in keys)))
    yield CHECKPOINT_LAYOUT, [_layout_row(log_id, layout_id, layout) for layout_id, layout in layouts]


class Touched:
    """What some batches change: ``messages`` and ``checkpoints`` are keys whose current rows may have changed."""

    def __init__(self) -> None:
        self.messages = set[int]()
        self.checkpoints = set[int]()
        self.names_job = False
        self.quarantined = 0

    def add(self, fold: BatchFold) -> None:
        self.messages.update(row.key_id for row in fold.messages)
        self.checkpoints.update(fold.checkpoints.last_rows)
        self.names_job = self.names_job or fold.names_job
        self.quarantined += len(fold.quarantine.rows)

    def keys(self) -> dict[str, list[int]]:
        return {"messages": sorted(self.messages), "checkpoints": sorted(self.checkpoints)}


def keep_current(connection: Connection, log_id: int, touched: Touched) -> None:
    """Bring the tables of current rows of a log up to date with the histories."""
    connection.execute(_KEEP_CURRENT, (log_id, *touched.keys().values()))


def _key_row(log_id: int, entry: KeyEntry, key_sha256: bytes) -> tuple[Any, ...]:
    meaning, partition = entry.meaning, entry.meaning.partition
    number, bucket = (None, None) if partition is None else (partition.partition, partition.key_bucket)
    system, stream = (None, None) if partition is None else (partition.system, partition.stream)
    kind = (meaning.is_other, meaning.is_sensitive, meaning.message_type, meaning.message_key, meaning.grouper_factory)
    return log_id, entry.key_id, meaning.checkpoint_version, number, bucket, *kind, system, stream, key_sha256


def _reading_rows(log_id: int, entries: Iterable[KeyEntry]) -> Iterator[tuple[Any, ...]]:
    for entry in entries:
        for n, reading in enumerate(entry.meaning.readings, 1):
            partition = reading.partition
            yield log_id, entry.key_id, n, partition.partition, partition.system, partition.stream, reading.task_name


def _layout_row(log_id: int, layout_id: int, layout: Layout) -> tuple[Any, ...]:
    return log_id, layout_id, *map(list, zip(*layout, strict=True)), input_streams(layout)
