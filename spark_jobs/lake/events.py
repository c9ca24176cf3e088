"""Events of the lake as Arrow batches, and back. Runs in executors: needs pyarrow, but neither Spark nor a database."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import pyarrow as pa

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents, decode_headers, headers_json
from eventlog.timestamps import MICROS_OF_A_DAY, MICROS_OF_AN_HOUR
from spark_jobs.lake.manifest import LogKey
from spark_jobs.timestamps import MICROS_FROM_1970_TO_2000, spark_micros

BATCH_EVENTS: Final = 10_000

SCHEMA: Final = (
    "stream_name string, incarnation int, day date, stream_kind string, log_offset bigint, record_time timestamp, "
    "timestamp_ms bigint, timestamp_type int, leader_epoch int, headers string, key binary, value binary, "
    "archived_at timestamp"
)
"""The columns of the events, for Spark. `timestamp_ms` is the record's own time, also where `record_time` is null."""

EVENT_COLUMNS: Final = ("log_offset", "timestamp_ms", "timestamp_type", "key", "value", "headers", "leader_epoch")
"""The columns of an event, without when it was archived."""

_TIME: Final = pa.timestamp("us", tz="UTC")
ARROW_SCHEMA: Final = pa.schema(
    [
        ("stream_name", pa.string()),
        ("incarnation", pa.int32()),
        ("day", pa.date32()),
        ("stream_kind", pa.string()),
        ("log_offset", pa.int64()),
        ("record_time", _TIME),
        ("timestamp_ms", pa.int64()),
        ("timestamp_type", pa.int32()),
        ("leader_epoch", pa.int32()),
        ("headers", pa.string()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("archived_at", _TIME),
    ]
)


class ArchivedEvent(NamedTuple):
    """An event, and when it was archived, in microseconds since 2000."""

    event: RecordedEvent
    archived_at: int


def to_batch(key: LogKey, stream_kind: str, page: ArchivedEvents) -> pa.RecordBatch:
    """The events of one log as a batch with `ARROW_SCHEMA`."""
    rows = [_row(key, stream_kind, event, at) for event, at in zip(page.events, page.archived_at, strict=True)]
    columns = zip(*rows, strict=True) if rows else ([] for _ in ARROW_SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, ARROW_SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=ARROW_SCHEMA)


def _row(key: LogKey, stream_kind: str, event: RecordedEvent, archived_at: int) -> tuple[object, ...]:
    time = spark_micros(event.timestamp)
    archived = archived_at + MICROS_FROM_1970_TO_2000
    return (
        *key,
        _day(time, archived),
        stream_kind,
        event.offset,
        time,
        event.timestamp,
        event.timestamp_type,
        event.leader_epoch,
        headers_json(event.headers) if event.headers else None,
        event.key,
        event.value,
        archived,
    )


def _day(time: int | None, archived_at: int) -> int:
    """The day, since 1970, of the record's time; of archiving if that is before 2000, or more than an hour later."""
    is_believed = time is not None and MICROS_FROM_1970_TO_2000 <= time <= archived_at + MICROS_OF_AN_HOUR
    return (time if is_believed and time is not None else archived_at) // MICROS_OF_A_DAY


def logs_in(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[LogKey, Iterator[ArchivedEvent]]]:
    """Split batches of events, in which each log's events are contiguous and in offset order, into logs.

    Read the events of a log before the next log: as with `itertools.groupby`, later they are gone.
    """
    rows = (row for batch in batches for row in zip(_keys(batch), events_in(batch), strict=True))
    for key, events in groupby(rows, key=itemgetter(0)):
        yield key, (archived for _, archived in events)


def events_in(batch: pa.RecordBatch) -> Iterator[ArchivedEvent]:
    """The events of a batch, which may lack the columns of the log."""
    columns = [batch.column(name).to_pylist() for name in EVENT_COLUMNS]
    times = batch.column("archived_at").cast(_TIME).cast(pa.int64()).to_pylist()
    for offset, timestamp, kind, key, value, headers, epoch, archived_at in zip(*columns, times, strict=True):
        stored = () if headers is None else decode_headers(json.loads(headers))
        event = RecordedEvent(offset, timestamp, kind, key, value, stored, epoch)
        yield ArchivedEvent(event, archived_at - MICROS_FROM_1970_TO_2000)


def _keys(batch: pa.RecordBatch) -> Iterator[LogKey]:
    return map(LogKey, batch.column("stream_name").to_pylist(), batch.column("incarnation").to_pylist())
