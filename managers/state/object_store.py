"""Snapshots of stores in an object store, through fsspec."""

import hashlib
import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import IO, Any, Final, NamedTuple
from urllib.parse import quote

from eventlog.atomic_file import atomic_file
from managers.job_names import job_id, job_name
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import InvalidMarker, missing_package

_LOCAL: Final = "file"
_VERSION: Final = 1
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_BLOCK: Final = 1 << 20
_MODIFIED: Final = ("mtime", "LastModified", "updated", "created")
"""Where file systems of fsspec have the time of an object: local, S3, GCS, in memory."""


class StoredObject(NamedTuple):
    """An object's size in bytes, and when it was written last: comparable with others, None if unknown."""

    size: int
    modified: Any

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> "StoredObject":
        """From the description of a file by fsspec."""
        return cls(int(info["size"]), next((info[name] for name in _MODIFIED if info.get(name) is not None), None))

    def is_unchanged_since(self, written: Iterable["StoredObject"]) -> bool:
        """Whether one of ``written`` is not older. False if a time is unknown."""
        times = [each.modified for each in written if each.modified is not None]
        return self.modified is not None and bool(times) and bool(self.modified <= max(times))


class ObjectStore:
    """Writes, reads and deletes whole objects by their paths below a root. A written object is complete or absent.

    Raises what the file system raises: FileNotFoundError for a missing object, mostly OSError.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        """``url`` without a protocol is a local folder. Raises `StateError` or ImportError for a missing package."""
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 (of the extra `state`)
        except ImportError as error:
            raise missing_package("An object store", "fsspec") from error
        self._fs, root = url_to_fs(url, **options)
        self._root: Final = str(root).rstrip("/")
        self._is_local: Final = _LOCAL in (self._fs.protocol if isinstance(self._fs.protocol, tuple) else ())

    def listed(self, folder: str) -> dict[str, StoredObject]:
        """The objects below a folder, by their paths in the folder."""
        start = f"{self._path(folder)}/"
        self._fs.invalidate_cache()  # another process may have written
        found = self._fs.find(start, detail=True)
        return {path[len(start) :]: StoredObject.of(info) for path, info in found.items() if path.startswith(start)}

    def put(self, path: str, local: Path) -> None:
        if self._is_local:
            with local.open("rb") as source, self._local_object(path) as file:
                shutil.copyfileobj(source, file, _BLOCK)
        else:
            self._fs.put_file(str(local), self._path(path))

    def put_bytes(self, path: str, data: bytes) -> None:
        if self._is_local:
            with self._local_object(path) as file:
                file.write(data)
        else:
            self._fs.pipe_file(self._path(path), data)

    def get(self, path: str, local: Path) -> None:
        self._fs.get_file(self._path(path), str(local))

    def get_bytes(self, path: str) -> bytes:
        return bytes(self._fs.cat_file(self._path(path)))

    def digest(self, path: str) -> str:
        """The SHA-256 of an object's content, in hexadecimal."""
        digest = hashlib.sha256()
        with self._fs.open(self._path(path), "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def delete(self, paths: Collection[str]) -> None:
        """Delete objects, if they exist."""
        for path in paths:
            try:
                self._fs.rm_file(self._path(path))
            except FileNotFoundError:
                continue

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _local_object(self, path: str) -> AbstractContextManager[IO[bytes]]:
        target = Path(self._path(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        return atomic_file(target, mode=0o666)


class StoredFile(NamedTuple):
    """The content of a file: its SHA-256 in hexadecimal, which names the object, and its size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True)
class StoreSnapshot:
    """The files of a store, by their paths in its directory. Equal content has an equal snapshot id."""

    files: Mapping[str, StoredFile]

    def to_bytes(self) -> bytes:
        files = {name: {"sha256": digest, "bytes": size} for name, (digest, size) in sorted(self.files.items())}
        return json.dumps({"version": _VERSION, "files": files}, separators=(",", ":")).encode()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files.values())

    @classmethod
    def parse(cls, data: bytes) -> "StoreSnapshot":
        """Read `to_bytes`. Raises ValueError if it is anything else."""
        try:
            fields = json.loads(data)
            files = {name: StoredFile(str(of["sha256"]), int(of["bytes"])) for name, of in fields["files"].items()}
            version = fields["version"]
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError("it is not a list of files") from error
        is_valid = all(_DIGEST.fullmatch(file.digest) and not _is_outside(name) for name, file in files.items())
        if version != _VERSION or not is_valid:
            raise ValueError("it is not a list of files")
        return cls(files)


class FileDigests:
    """Digests of files, each computed once: a file with the same inode, size and time has the same content."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], str] = {}

    def snapshot(self, directory: Path) -> StoreSnapshot:
        known: dict[tuple[int, int, int], str] = {}
        files = {}
        for path in sorted(path for path in directory.rglob("*") if not path.is_dir() or path.is_symlink()):
            status = path.lstat()
            if not S_ISREG(status.st_mode):  # a link may lead out of the store
                raise ValueError(f"{path} is not a regular file. A store has only regular files; remove it.")
            identity = (status.st_ino, status.st_size, status.st_mtime_ns)
            known[identity] = self._known.get(identity) or file_digest(path)
            files[path.relative_to(directory).as_posix()] = StoredFile(known[identity], status.st_size)
        self._known = known
        return StoreSnapshot(files)


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def store_folder(task: StatefulTask, store_name: str) -> str:
    """The folder of a task's store, below the root of the object store. Raises `MissingSetting` without a job name."""
    parts = (job_name(task.config), job_id(task.config), task.task_name, store_name)
    return "/".join(quote(part, safe="").replace(".", "%2E") for part in parts)


def digest_in_marker(task: StatefulTask, store_name: str, marker: str) -> str:
    """The digest of the snapshot that a marker names. Raises `InvalidMarker`."""
    folder, _, digest = marker.rpartition("/")
    if folder.count("/") != 3 or not _DIGEST.fullmatch(digest):
        raise InvalidMarker(task.task_name, store_name, f"{marker!r} is not a snapshot id")
    if folder != store_folder(task, store_name):
        raise InvalidMarker(task.task_name, store_name, f"its snapshot is that of another store, {folder!r}")
    return digest


def _is_outside(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name
