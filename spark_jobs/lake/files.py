"""Files of events of a lake: as Arrow batches, and how any Python process, such as an executor's, reads them."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import pyarrow as pa
from pyarrow import fs, parquet

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents, decode_headers, headers_json
from eventlog.timestamps import MICROS_OF_A_DAY, MICROS_OF_AN_HOUR
from spark_jobs.lake.manifest import (
    MANIFESTS,
    Lake,
    LakeError,
    LakeFile,
    LogKey,
    changed_file,
    from_json,
    merge_manifests,
    not_a_lake,
)
from spark_jobs.output_folder import local_path
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
_HASHED_BYTES: Final = 1 << 20


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


def load_lake(output: str) -> Lake:
    """Read the manifests of a lake. Raises LakeError: there is no lake, or a manifest is damaged or not readable."""
    system, folder = _file_system(output)
    try:
        root = f"{folder}/{MANIFESTS}"
        found = system.get_file_info(fs.FileSelector(root, recursive=True))
        contents = {file.path: _read(system, file.path) for file in found if _is_data(file, root)}
    except OSError as error:
        raise LakeError(f"The manifests of lake '{output}' cannot be read: {error}.") from error
    if not contents:
        raise not_a_lake(output)
    return merge_manifests(output, [from_json(content, path) for path, content in contents.items()])


def _is_data(file: fs.FileInfo, root: str) -> bool:
    """Whether Spark would read it: names of folders and files that begin with a dot or underscore are not data.

    `_temporary` has the files that a killed run has not committed.
    """
    names = file.path.removeprefix(root).split("/")
    return file.type is fs.FileType.File and not any(name.startswith((".", "_")) for name in names)


def _read(system: fs.FileSystem, path: str) -> bytes:
    with system.open_input_file(path) as opened:
        return bytes(opened.readall())


def read_log(output: str, files: Iterable[LakeFile]) -> Iterator[ArchivedEvent]:
    """The events in these files of one log, in offset order; memory has a batch of each file whose offsets overlap.

    ``output`` is the lake's folder: a local path, or a URI of a file system that pyarrow reaches (file:, hdfs:, s3a:
    with the credentials of its environment). The SHA-256 of each file is compared before its first event.

    Raises:
        LakeError: A file was removed or changed, or the file system is not reachable.
    """
    system, folder = _file_system(output)
    for overlapping in _clusters(files):
        yield from merge(
            *(_read_file(system, folder, output, file) for file in overlapping), key=lambda each: each.event.offset
        )


def _clusters(files: Iterable[LakeFile]) -> Iterator[list[LakeFile]]:
    """Group files whose offsets overlap, as those of days do if record times go back."""
    cluster: list[LakeFile] = []
    last = -1
    for file in sorted(files, key=lambda each: each.first_offset):
        if cluster and file.first_offset > last:
            yield cluster
            cluster = []
        cluster.append(file)
        last = max(last, file.last_offset)
    if cluster:
        yield cluster


def _read_file(system: fs.FileSystem, folder: str, output: str, file: LakeFile) -> Iterator[ArchivedEvent]:
    with _opened(system, folder, output, file) as opened:
        if _sha256(opened) != file.sha256:
            raise changed_file(output, file)
        opened.seek(0)
        columns = [*EVENT_COLUMNS, "archived_at"]
        for batch in parquet.ParquetFile(opened).iter_batches(BATCH_EVENTS, columns=columns):
            yield from events_in(batch)


def _file_system(output: str) -> tuple[fs.FileSystem, str]:
    local = local_path(output)
    if local is not None:
        return fs.LocalFileSystem(), str(local.resolve())
    try:
        system, folder = fs.FileSystem.from_uri(output.replace("s3a://", "s3://", 1).rstrip("/"))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise LakeError(f"Lake '{output}' cannot be read without Spark: {error}.") from error
    return system, folder


def _opened(system: fs.FileSystem, folder: str, output: str, file: LakeFile) -> pa.NativeFile:
    try:
        return system.open_input_file(f"{folder}/{file.path}")
    except FileNotFoundError:
        raise LakeError(f"Lake '{output}' lacks the file {file.path} ({file.rows} events). Restore it.") from None


def _sha256(opened: pa.NativeFile) -> str:
    digest = hashlib.sha256()
    while block := opened.read(_HASHED_BYTES):
        digest.update(block)
    return digest.hexdigest()
