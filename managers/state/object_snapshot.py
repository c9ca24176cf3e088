"""Snapshots of a store as objects: its files by the SHA-256 of their content, and a list of them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import quote

from eventlog.frozen_dict import frozen
from managers.job_names import job_id, job_name
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import InvalidMarker

_VERSION: Final = 1


class StoredFile(NamedTuple):
    """The content of a file: its SHA-256 in hexadecimal, which names the object, and its size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True)
class StoreSnapshot:
    """The files of a store, by their paths in its directory. Equal content has an equal snapshot id."""

    files: Mapping[str, StoredFile]

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", frozen(self.files))

    def to_bytes(self) -> bytes:
        """The list of files as JSON."""
        files = {name: {"sha256": digest, "bytes": size} for name, (digest, size) in sorted(self.files.items())}
        return json.dumps({"version": _VERSION, "files": files}, separators=(",", ":")).encode()

    @property
    def digest(self) -> str:
        """The SHA-256 of `to_bytes`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def total_bytes(self) -> int:
        """The size of all files."""
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
        if version != _VERSION or any(_is_outside(name) for name in files):
            raise ValueError("it is not a list of files")
        return cls(files)


class FileDigests:
    """Digests of files, each computed once: a file with the same inode, size and time has the same content."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], str] = {}

    def snapshot(self, directory: Path) -> StoreSnapshot:
        """The snapshot of the files in a directory. Raises OSError."""
        known: dict[tuple[int, int, int], str] = {}
        files = {}
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            status = path.stat()
            identity = (status.st_ino, status.st_size, status.st_mtime_ns)
            known[identity] = self._known.get(identity) or file_digest(path)
            files[path.relative_to(directory).as_posix()] = StoredFile(known[identity], status.st_size)
        self._known = known
        return StoreSnapshot(files)


def file_digest(path: Path) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def store_folder(task: StatefulTask, store_name: str) -> str:
    """The folder of a task's store, below the root of the object store. Raises `MissingSetting` without a job name."""
    parts = (job_name(task.config), job_id(task.config), task.task_name, store_name)
    return "/".join(quote(part, safe="").replace(".", "%2E") for part in parts)


def snapshot_id(folder: str, snapshot: StoreSnapshot) -> str:
    """The id of a store's snapshot, which is its state checkpoint marker."""
    return f"{folder}/{snapshot.digest}"


def digest_in_marker(task: StatefulTask, store_name: str, marker: str) -> str:
    """The digest of the snapshot that a marker names.

    Raises:
        InvalidMarker: it is not a snapshot id, or that of another store, task or job.
    """
    folder, _, digest = marker.rpartition("/")
    if folder.count("/") != 3 or len(digest) != 64:
        raise InvalidMarker(task.task_name, store_name, f"{marker!r} is not a snapshot id")
    if folder != store_folder(task, store_name):
        raise InvalidMarker(task.task_name, store_name, f"its snapshot is that of another store, {folder!r}")
    return digest


def _is_outside(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or not path.parts
