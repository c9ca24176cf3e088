"""The files of a lake, which any Python process, such as an executor's, reads and writes with pyarrow.

A lake's folder is a local path, or a URI of a file system that pyarrow reaches (file:, hdfs:, s3a: with the credentials
of its environment).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import pyarrow as pa
from pyarrow import fs, parquet

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents, decode_headers, headers_json
from spark_jobs.lake.manifest import (
    MANIFESTS,
    Lake,
    LakeError,
    LakeFile,
    LogKey,
    Manifest,
    from_json,
    manifest_path,
    merge_manifests,
    to_json,
)
from spark_jobs.output_folder import file_system, local_path
from spark_jobs.timestamps import MICROS_FROM_1970_TO_2000, spark_micros

BATCH_EVENTS: Final = 10_000

EVENT_COLUMNS: Final = ("log_offset", "timestamp_ms", "timestamp_type", "key", "value", "headers", "leader_epoch")
"""The columns of an event, without when it was archived."""

_TIME: Final = pa.timestamp("us", tz="UTC")
SCHEMA: Final = pa.schema(
    [
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
"""The columns of events. `timestamp_ms` is the record's own time, also where `record_time` is null.

The folders of a file have its stream and incarnation, as in tables of Hive.
"""


class ArchivedEvent(NamedTuple):
    """An event, and when it was archived, in microseconds since 2000."""

    event: RecordedEvent
    archived_at: int


def to_batch(stream_kind: str, page: ArchivedEvents) -> pa.RecordBatch:
    rows = [_row(stream_kind, event, at) for event, at in zip(page.events, page.archived_at, strict=True)]
    columns = zip(*rows, strict=True) if rows else ([] for _ in SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _row(stream_kind: str, event: RecordedEvent, archived_at: int) -> tuple[object, ...]:
    return (
        stream_kind,
        event.offset,
        spark_micros(event.timestamp),
        event.timestamp,
        event.timestamp_type,
        event.leader_epoch,
        headers_json(event.headers) if event.headers else None,
        event.key,
        event.value,
        archived_at + MICROS_FROM_1970_TO_2000,
    )


def write_events(output: str, run: str, key: LogKey, events: pa.Table) -> LakeFile:
    """Write a file of events of one log, with `SCHEMA` and in offset order, in the folder `run`. Raises LakeError.

    A copy of this task writes the same file.
    """
    first, last = events["log_offset"][0].as_py(), events["log_offset"][-1].as_py()
    folder = f"{run}/stream_name={quote(key.stream_name, safe='')}/incarnation={key.incarnation}"
    path = f"{folder}/{first:020}.parquet"
    sink = pa.BufferOutputStream()
    parquet.write_table(events, sink)
    content = sink.getvalue()
    with _lake_errors(output):
        _write(output, path, content)
    return LakeFile(path, content.size, hashlib.sha256(content).hexdigest(), *key, events.num_rows, first, last)


def write_manifest(output: str, manifest: Manifest) -> None:
    with _lake_errors(output):
        _write(output, manifest_path(manifest.number), to_json(manifest).encode())


def _write(output: str, path: str, content: bytes | pa.Buffer) -> None:
    """Write a file that appears complete or not at all."""
    system, folder = _file_system(output)
    parent, _, name = f"{folder}/{path}".rpartition("/")
    system.create_dir(parent, recursive=True)
    scratch = f"{parent}/.{name}-{uuid4().hex}"
    with system.open_output_stream(scratch) as opened:
        opened.write(content)
    system.move(scratch, f"{parent}/{name}")


def load_lake(output: str) -> Lake:
    """Read the manifests of a lake. Raises LakeError: there is no lake, or a manifest is damaged or not readable."""
    lake = find_lake(output)
    if not lake.number:
        raise LakeError(f"'{output}' is not a lake. Write one with `coordstream spark archive --output {output}`.")
    return lake


def find_lake(output: str) -> Lake:
    """As `load_lake`, but a lake without manifests where there is none yet."""
    system, folder = _file_system(output)
    with _lake_errors(output):
        found = system.get_file_info(fs.FileSelector(f"{folder}/{MANIFESTS}", allow_not_found=True))
        contents = {file.path: _read(system, file.path) for file in found if file.extension == "json"}
    return merge_manifests(output, [from_json(content, path) for path, content in contents.items()])


def _read(system: fs.FileSystem, path: str) -> bytes:
    with system.open_input_file(path) as opened:
        return bytes(opened.readall())


def read_log(output: str, files: Iterable[LakeFile]) -> Iterator[ArchivedEvent]:
    """The events in these files of one log, in offset order; memory has a batch of them.

    The SHA-256 of each file is compared before its first event.

    Raises:
        LakeError: A file was removed or changed, or the file system is not reachable.
    """
    system, folder = _file_system(output)
    for file in sorted(files, key=lambda each: each.first_offset):
        yield from _read_file(system, folder, output, file)


def _read_file(system: fs.FileSystem, folder: str, output: str, file: LakeFile) -> Iterator[ArchivedEvent]:
    with _opened(system, folder, output, file) as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != file.sha256:
            raise LakeError(f"Lake '{output}': the file {file.path} was changed. Restore it.")
        opened.seek(0)
        columns = [*EVENT_COLUMNS, "archived_at"]
        for batch in parquet.ParquetFile(opened).iter_batches(BATCH_EVENTS, columns=columns):
            yield from _events_in(batch)


def _events_in(batch: pa.RecordBatch) -> Iterator[ArchivedEvent]:
    columns = [batch.column(name).to_pylist() for name in EVENT_COLUMNS]
    times = batch.column("archived_at").cast(_TIME).cast(pa.int64()).to_pylist()
    for offset, timestamp, kind, key, value, headers, epoch, archived_at in zip(*columns, times, strict=True):
        stored = () if headers is None else decode_headers(json.loads(headers))
        event = RecordedEvent(offset, timestamp, kind, key, value, stored, epoch)
        yield ArchivedEvent(event, archived_at - MICROS_FROM_1970_TO_2000)


def absolute_folder(output: str) -> str:
    """A lake's folder in any working directory: executors have their own."""
    local = local_path(output)
    return output if local is None else str(local.resolve())


def _file_system(output: str) -> tuple[fs.FileSystem, str]:
    with _lake_errors(output):
        return file_system(output)


@contextmanager
def _lake_errors(output: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise LakeError(f"Lake '{output}' cannot be used: {' '.join(str(error).split())}.") from error


def _opened(system: fs.FileSystem, folder: str, output: str, file: LakeFile) -> pa.NativeFile:
    try:
        return system.open_input_file(f"{folder}/{file.path}")
    except FileNotFoundError:
        raise LakeError(f"Lake '{output}' lacks the file {file.path} ({file.rows} events). Restore it.") from None
