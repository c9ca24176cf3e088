"""The rows of a decoded batch, by table."""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final

from eventlog.postgres.copy_rows import Columns, Rows
from projections.batch_tables import (
    CHECKPOINT_COLUMNS,
    CHECKPOINT_CURRENT,
    CHECKPOINT_ENVELOPE,
    CHECKPOINT_LAYOUT,
    EVENT_KEY,
    GAP,
    LOG_TIME,
    MESSAGE_CURRENT,
    MESSAGE_EVENT,
    QUARANTINE,
    STARTPOINT_READING,
    SUSPECT_CHECKPOINT,
)
from projections.fold.batch import BatchFold
from projections.fold.checkpoints import Layout, input_streams
from projections.fold.keys import KeyEntry

TableRows = tuple[Columns, Sequence[tuple[Any, ...]]]
"""Rows, and the table they go to."""

_CHECKPOINT_FIELDS: Final = len(CHECKPOINT_COLUMNS)


def envelope_rows(fold: BatchFold) -> TableRows:
    """Return the envelopes of the batch's checkpoints, by offset, as their index goes."""
    return CHECKPOINT_ENVELOPE, sorted(fold.checkpoints.envelopes, key=itemgetter(0))


def message_rows(fold: BatchFold) -> TableRows:
    """Return the batch's messages."""
    return MESSAGE_EVENT, fold.messages


def other_rows(fold: BatchFold) -> Iterator[TableRows]:
    """Return what a batch adds to tables other than the `HISTORIES`, and take the new keys and layouts from its log."""
    log, log_id = fold.log, fold.log.log_id
    keys, log.keys.new = log.keys.new, []
    layouts, log.layouts.new = log.layouts.new, []
    yield SUSPECT_CHECKPOINT, fold.checkpoints.suspects
    yield LOG_TIME, [(log_id, offset, time) for offset, time in fold.clock.rows]
    yield GAP, [(log_id, *gap) for gap in fold.gaps]
    yield QUARANTINE, fold.quarantine.rows
    yield EVENT_KEY, [_key_row(log_id, entry, key_sha256) for entry, key_sha256 in keys]
    yield STARTPOINT_READING, list(_reading_rows(log_id, (entry for entry, _ in keys)))
    yield CHECKPOINT_LAYOUT, [row for layout_id, layout in layouts for row in _layout_rows(log_id, layout_id, layout)]


def newest_rows(fold: BatchFold) -> Iterator[tuple[Columns, Rows]]:
    """The newest row of each key that the batch touched, by table; rows that delete their key are among them."""
    yield CHECKPOINT_CURRENT, newest_checkpoints(fold)
    yield MESSAGE_CURRENT, newest_messages(fold)


def newest_checkpoints(fold: BatchFold) -> list[tuple[Any, ...]]:
    """The newest checkpoint of each key, by key."""
    return [row[:_CHECKPOINT_FIELDS] for row in _by_key(fold.checkpoints.last_rows)]


def newest_messages(fold: BatchFold) -> list[tuple[Any, ...]]:
    """The newest message of each key, by key."""
    return _by_key(fold.last_messages)


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


def _by_key(rows: dict[int, Any]) -> list[Any]:
    return [rows[key_id] for key_id in sorted(rows)]
