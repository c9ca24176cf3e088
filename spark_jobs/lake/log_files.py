"""The events of a log in the files of a lake: their columns, and how any process writes and reads them. No Spark."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, starmap
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import numpy as np
import pyarrow as pa
from deltalake.fs import DeltaStorageHandler
from deltalake.transaction import AddAction
from pyarrow import compute, dataset, fs, parquet

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents, decode_headers, headers_json
from eventlog.timestamps import current_ms
from spark_jobs.lake.table import (
    EVENTS,
    FILE,
    FINGERPRINT,
    STREAM,
    Lake,
    LakeError,
    LakeFile,
    LakeLog,
    LogKey,
    lake_errors,
    one_line,
    shown,
)
from spark_jobs.timestamps import MICROS_FROM_1970_TO_2000, spark_micros

_EVENT: Final = ["log_offset", "timestamp_ms", "timestamp_type", "key", "value", "headers", "leader_epoch"]
"""The columns of an event's fields."""

_REPEATED: Final = [name for name in FILE.names if name not in ("log_offset", "record_time", "timestamp_ms", "value")]
"""The columns with few values. A dictionary of the others would make files larger."""

PAGE_EVENTS: Final = 10_000
_NO_NUMBER: Final = -(2**63)
_END: Final = 2**63 - 1
_WINDOW_BYTES: Final = 16 << 20


def to_table(key: LogKey, stream_kind: str, pages: Iterable[ArchivedEvents]) -> pa.Table:
    """The columns `EVENTS` of archived events."""
    return pa.Table.from_batches([_to_batch(key.incarnation, stream_kind, page) for page in pages], EVENTS)


def _to_batch(incarnation: int, stream_kind: str, page: ArchivedEvents) -> pa.RecordBatch:
    fields: dict[str, Any] = dict(zip(RecordedEvent._fields, zip(*page.events, strict=True), strict=True))
    columns = {
        "incarnation": [incarnation] * len(page.events),
        "stream_kind": [stream_kind] * len(page.events),
        "log_offset": fields["offset"],
        "record_time": list(map(spark_micros, fields["timestamp"])),
        "timestamp_ms": fields["timestamp"],
        "headers": [headers_json(headers) if headers else None for headers in fields["headers"]],
        "archived_at": [at + MICROS_FROM_1970_TO_2000 for at in page.archived_at],
    }
    arrays = [pa.array((fields | columns)[field.name], field.type) for field in EVENTS]
    return pa.RecordBatch.from_arrays(arrays, schema=EVENTS)


def pages_of(table: pa.Table) -> Iterator[ArchivedEvents]:
    """The events of which `to_table` made a table, in pages of at most `PAGE_EVENTS`."""
    for first in range(0, len(table), PAGE_EVENTS):
        rows = table.slice(first, PAGE_EVENTS)
        columns = rows.select(_EVENT).to_pydict()
        columns["headers"] = [() if text is None else decode_headers(json.loads(text)) for text in columns["headers"]]
        times = rows["archived_at"].cast(pa.int64()).to_pylist()
        events = list(map(RecordedEvent, *columns.values()))
        yield ArchivedEvents(events, [time - MICROS_FROM_1970_TO_2000 for time in times])


def write_events(uri: str, key: LogKey, events: pa.Table) -> AddAction:
    """Write a file of events of one log, in offset order. It is part of the lake when a run is committed with it.

    Raises `LakeError`: the file cannot be written.
    """
    digest = pa.repeat(pa.scalar(fingerprint(key, events)), len(events))
    first, last = _bounds(events)
    path = f"{STREAM}={quote(key.stream_name, safe='')}/{key.incarnation}-{first:020}-{uuid4().hex}.parquet"
    with lake_errors(shown(uri)), files_of(uri).open_output_stream(path) as file:
        parquet.write_table(events.append_column(FINGERPRINT, digest), file, use_dictionary=_REPEATED)
        size = file.tell()
    low, high = ({"incarnation": key.incarnation, "log_offset": offset} for offset in (first, last))
    stats = json.dumps({"numRecords": len(events), "minValues": low, "maxValues": high})
    return AddAction(path, size, {STREAM: key.stream_name}, current_ms(), True, stats)


@cache
def files_of(uri: str) -> fs.PyFileSystem:
    return fs.PyFileSystem(DeltaStorageHandler(uri))


def fingerprint(key: LogKey, events: pa.Table) -> str:
    """The SHA-256 of a log's events, however Arrow has their columns in memory."""
    digest = hashlib.sha256(str(key).encode())
    for name in EVENTS.names:
        column = events[name].combine_chunks()
        if column.type in (pa.string(), pa.binary()):
            values = column.cast(pa.binary())
            digest.update(compute.fill_null(compute.binary_length(values), -1).to_numpy().tobytes())
            content = values.drop_null()
            digest.update(compute.binary_join(pa.ListArray.from_arrays([0, len(content)], content), b"")[0].as_buffer())
        else:
            digest.update(compute.fill_null(column.cast(pa.int64()), _NO_NUMBER).to_numpy().tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class LogFiles:
    """A log of the lake at `uri`, and its files."""

    uri: str
    log: LakeLog
    files: tuple[LakeFile, ...]

    @classmethod
    def of(cls, lake: Lake, key: LogKey) -> "LogFiles":
        return cls(lake.uri, lake.logs[key], lake.files_of(key))

    def read(self, first: int = 0, until: int = _END) -> Iterator[pa.Table]:
        """The events of a range in offset order, of a few files at once. Raises LakeError: a file cannot be read."""
        starts, size = [first], 0
        for file in self.files:
            if size >= _WINDOW_BYTES and first < file.first < until:
                starts.append(file.first)
                size = 0
            size += file.size if file.last >= first else 0
        return starmap(self._read, pairwise([*starts, until]))

    def _read(self, first: int, until: int) -> pa.Table:
        field = dataset.field
        wanted = (field("incarnation") == self.log.incarnation) & (field("log_offset") >= first)
        paths = [file.path for file in self.files if file.first < until and file.last >= first]
        try:
            found = dataset.dataset(paths, FILE, "parquet", files_of(self.uri))
            rows = found.to_table(filter=wanted & (field("log_offset") < until)) if paths else FILE.empty_table()
        except (pa.ArrowException, OSError) as error:
            raise self._changed(f"a file was removed or changed ({one_line(error)})") from None
        offsets = rows["log_offset"].to_numpy()
        return rows if (np.diff(offsets) > 0).all() else rows.sort_by("log_offset")

    def batches(self) -> Iterator[pa.Table]:
        """All events in offset order, each table with a fingerprint that was compared.

        Raises `LakeError`: as `read`, or events were changed, removed or added.
        """
        count = 0
        for batch in _split(self.read()):
            if batch[FINGERPRINT][0].as_py() != fingerprint(self.log.key, batch):
                first, last = _bounds(batch)
                raise self._changed(f"events of the offsets {first} to {last} are not those that were archived")
            count += len(batch)
            yield batch
        if count != self.log.events:
            raise self._changed(f"there are {count} events instead of {self.log.events}")

    def _changed(self, what: str) -> LakeError:
        return LakeError(
            f"Lake '{shown(self.uri)}', {self.log.key}: {what}. Restore the table, or write a lake into another folder."
        )


def _split(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows by fingerprint. After a compaction, a batch may be in two files, and several in one."""
    rest = FILE.empty_table()
    for table in tables:
        rows = pa.concat_tables([rest, table])
        values = rows[FINGERPRINT].combine_chunks().dictionary_encode().indices.fill_null(-1)
        ends = [0, *(np.flatnonzero(np.diff(values.to_numpy())) + 1).tolist()]
        yield from (rows.slice(start, end - start) for start, end in pairwise(ends))
        rest = rows.slice(ends[-1])
    if len(rest):
        yield rest


def _bounds(events: pa.Table) -> tuple[int, int]:
    return events["log_offset"][0].as_py(), events["log_offset"][-1].as_py()
