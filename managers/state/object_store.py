"""Snapshots of stores in an object store, through fsspec."""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from eventlog.atomic_file import atomic_file
from managers.job_names import job_id, job_name
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import InvalidMarker, SnapshotDamaged, missing_package

OBJECTS: Final = "objects"
SNAPSHOTS: Final = "snapshots"
_VERSION: Final = 1
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_MODIFIED: Final = ("mtime", "LastModified", "updated", "created")
"""Where file systems of fsspec have the time of an object: local, S3, GCS, in memory."""


class StoredObject(NamedTuple):
    """An object's size in bytes, and when it was written last: comparable with others, None if unknown."""

    size: int
    modified: Any


class ObjectStore:
    """Writes, reads and deletes whole objects by their paths below a root. A written object is complete or absent.

    Raises what the file system raises: FileNotFoundError for a missing object, mostly OSError.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        """``url`` without a protocol is a local folder. Raises `StateError` or ImportError for a missing package."""
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 (of the extra `state`)
            from fsspec.implementations.local import LocalFileSystem  # noqa: PLC0415
        except ImportError as error:
            raise missing_package("An object store", "fsspec") from error
        self._fs, root = url_to_fs(url, **options)
        self._root: Final = str(root).rstrip("/")
        self._is_local: Final = isinstance(self._fs, LocalFileSystem)

    def listed(self, folder: str) -> dict[str, StoredObject]:
        """The objects below a folder, by their paths in the folder."""
        start = f"{self._path(folder)}/"
        self._fs.invalidate_cache()  # another process may have written
        found = {}
        for path, info in self._fs.find(start, detail=True).items():
            if path.startswith(start):
                times = (info[name] for name in _MODIFIED if info.get(name) is not None)
                found[path[len(start) :]] = StoredObject(int(info["size"]), next(times, None))
        return found

    def put(self, path: str, content: Path | bytes) -> None:
        """Write an object with the content of a file, or with these bytes."""
        target, is_file = self._path(path), isinstance(content, Path)
        if not self._is_local:
            self._fs.put_file(str(content), target) if is_file else self._fs.pipe_file(target, content)
            return
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        with (
            content.open("rb") if isinstance(content, Path) else BytesIO(content) as source,
            atomic_file(Path(target), mode=0o666) as file,
        ):
            shutil.copyfileobj(source, file)

    def get(self, path: str, local: Path) -> None:
        self._fs.get_file(self._path(path), str(local))

    def get_bytes(self, path: str) -> bytes:
        return bytes(self._fs.cat_file(self._path(path)))

    def delete(self, path: str) -> None:
        """Delete an object, if it exists."""
        with suppress(FileNotFoundError):
            self._fs.rm_file(self._path(path))

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"


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


class StoreObjects:
    """The objects of a task's store, in its folder: ``objects/<sha256>`` are the contents of files, and
    ``snapshots/<sha256>`` lists of files. A marker is the folder and the SHA-256 of a list.
    """

    def __init__(self, objects: ObjectStore, task: StatefulTask, store_name: str) -> None:
        """Raises `MissingSetting` if config has no ``job.name``."""
        self._objects: Final = objects
        self._names: Final = (task.task_name, store_name)
        parts = (job_name(task.config), job_id(task.config), task.task_name, store_name)
        self._folder: Final = "/".join(quote(part, safe="").replace(".", "%2E") for part in parts)

    def usable(self) -> set[StoredFile]:
        """The contents that a commit need not write: those that are not newer than all lists.

        Each commit writes its list last, so a newer object was changed since, or its commit failed.
        """
        listed = self._objects.listed(self._folder)
        lists = [each.modified for path, each in listed.items() if path.startswith(SNAPSHOTS)]
        last = max((modified for modified in lists if modified is not None), default=None)
        return {
            StoredFile(path.removeprefix(f"{OBJECTS}/"), size)
            for path, (size, modified) in listed.items()
            if last is not None and modified is not None and modified <= last
        }

    def put_file(self, file: StoredFile, local: Path) -> None:
        self._objects.put(f"{self._folder}/{OBJECTS}/{file.digest}", local)

    def put_snapshot(self, snapshot: StoreSnapshot) -> str:
        """Write a list of files, and return its marker."""
        self._objects.put(f"{self._folder}/{SNAPSHOTS}/{snapshot.digest}", snapshot.to_bytes())
        return f"{self._folder}/{snapshot.digest}"

    def get_snapshot(self, marker: str) -> StoreSnapshot:
        """The list that a marker names. Raises `InvalidMarker`, and `SnapshotDamaged` if it is missing or changed."""
        folder, _, digest = marker.rpartition("/")
        if folder != self._folder or not _DIGEST.fullmatch(digest):
            raise InvalidMarker(*self._names, f"{marker!r} is not the id of a snapshot in {self._folder}")
        path = f"{self._folder}/{SNAPSHOTS}/{digest}"
        try:
            snapshot = StoreSnapshot.parse(self._objects.get_bytes(path))
        except FileNotFoundError:
            raise SnapshotDamaged(*self._names, path, "is missing") from None
        except ValueError:
            snapshot = None
        if snapshot is None or snapshot.digest != digest:
            raise SnapshotDamaged(*self._names, path, "was changed")
        return snapshot

    def get_file(self, file: StoredFile, local: Path) -> None:
        """Raises `SnapshotDamaged` if the object is missing or changed."""
        path = f"{self._folder}/{OBJECTS}/{file.digest}"
        try:
            self._objects.get(path, local)
        except FileNotFoundError:
            raise SnapshotDamaged(*self._names, path, "is missing") from None
        if file_digest(local) != file.digest:
            raise SnapshotDamaged(*self._names, path, "was changed")

    def delete_all_but(self, marker: str) -> None:
        """Delete all objects but those of the snapshot that a marker names."""
        snapshot = self.get_snapshot(marker)
        kept = {f"{OBJECTS}/{file.digest}" for file in snapshot.files.values()} | {f"{SNAPSHOTS}/{snapshot.digest}"}
        for path in self._objects.listed(self._folder).keys() - kept:
            self._objects.delete(f"{self._folder}/{path}")


def _is_outside(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name
