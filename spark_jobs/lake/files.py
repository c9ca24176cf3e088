"""Reads the files of a lake in any Python process, such as an executor's, without Spark."""

import hashlib
from collections.abc import Iterable, Iterator
from heapq import merge
from typing import Final

import pyarrow as pa
from pyarrow import fs, parquet

from spark_jobs.lake.events import BATCH_EVENTS, EVENT_COLUMNS, ArchivedEvent, events_in
from spark_jobs.lake.manifest import MANIFESTS, Lake, LakeError, LakeFile, changed_file, from_json, not_a_lake
from spark_jobs.lake.manifest import merge as merge_manifests
from spark_jobs.output_folder import local_path

_HASHED_BYTES: Final = 1 << 20


def is_lake(place: str) -> bool:
    """Whether a path has a lake's manifests; a URI of another file system than the local one is taken for a lake."""
    local = local_path(place)
    return local is None or (local / MANIFESTS).is_dir()


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
