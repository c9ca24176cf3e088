"""ObjectStoreStateBackendFactory: stores are backed up as snapshots in an object store, through fsspec."""

import hashlib
import json
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from threading import Event
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from eventlog.atomic_file import atomic_file
from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from managers.job_names import job_id, job_name
from managers.state.state_backend import (
    Markers,
    ReportProgress,
    RestoreProgress,
    StatefulTask,
    TaskBackupManager,
    TaskRestoreManager,
)
from managers.state.state_errors import InvalidMarker, SnapshotDamaged, backing_up, missing_package
from managers.state.store_directories import checkpoint_directory, delete_directory, is_outside

OBJECT_STORE_STATE_BACKEND_FACTORY: Final = "coordstream.ObjectStoreStateBackendFactory"
"""Its name in ``stores.<store>.backup.factories`` and in checkpoints."""

OBJECTS: Final = "objects"
SNAPSHOTS: Final = "snapshots"
_VERSION: Final = 1
_DIGEST: Final = re.compile("[0-9a-f]{64}")


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
        is_valid = all(_DIGEST.fullmatch(file.digest) and not is_outside(name) for name, file in files.items())
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
    """The objects of a task's store: ``objects/<sha256>`` are contents of files, ``snapshots/<sha256>`` lists of files.

    A marker is the store's folder and the SHA-256 of a list. A written object is complete or absent. Raises what the
    file system raises, mostly OSError.
    """

    def __init__(self, file_system: Any, root: str, task: StatefulTask, store_name: str) -> None:
        """``file_system`` is one of fsspec. Raises `MissingSetting` if config has no ``job.name``."""
        self._fs: Final = file_system
        self._names: Final = (task.task_name, store_name)
        parts = (job_name(task.config), job_id(task.config), task.task_name, store_name)
        self._folder: Final = "/".join(quote(part, safe="").replace(".", "%2E") for part in parts)
        self._root: Final = f"{root.rstrip('/')}/{self._folder}/"

    def listed(self) -> dict[str, int]:
        """The sizes of the objects in bytes, by their paths in the folder."""
        self._fs.invalidate_cache()  # another process may have written
        found = self._fs.find(self._root, detail=True).items()
        return {path.removeprefix(self._root): int(info["size"]) for path, info in found if path.startswith(self._root)}

    def put(self, path: str, content: Path | bytes) -> None:
        """Write an object with the content of a file, or with these bytes."""
        from fsspec.implementations.local import LocalFileSystem  # noqa: PLC0415 (of the extra `state`)

        target, is_file = self._root + path, isinstance(content, Path)
        if not isinstance(self._fs, LocalFileSystem):
            self._fs.put_file(str(content), target) if is_file else self._fs.pipe_file(target, content)
            return
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        with (
            content.open("rb") if isinstance(content, Path) else BytesIO(content) as source,
            atomic_file(Path(target), mode=0o666) as file,
        ):
            shutil.copyfileobj(source, file)

    def delete(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._fs.rm_file(self._root + path)

    def put_snapshot(self, snapshot: StoreSnapshot) -> str:
        """Write a list of files, and return its marker."""
        self.put(f"{SNAPSHOTS}/{snapshot.digest}", snapshot.to_bytes())
        return f"{self._folder}/{snapshot.digest}"

    def get_snapshot(self, marker: str) -> StoreSnapshot:
        """The list that a marker names. Raises `InvalidMarker`, and `SnapshotDamaged` if it is missing or changed."""
        folder, _, digest = marker.rpartition("/")
        if folder != self._folder or not _DIGEST.fullmatch(digest):
            raise InvalidMarker(*self._names, f"{marker!r} is not the id of a snapshot in {self._folder}")
        with self._naming(f"{SNAPSHOTS}/{digest}") as path:
            snapshot = StoreSnapshot.parse(self._fs.cat_file(path))
            if snapshot.digest != digest:
                raise ValueError
        return snapshot

    def get_file(self, file: StoredFile, local: Path) -> None:
        """Raises `SnapshotDamaged` if the object is missing or changed."""
        with self._naming(f"{OBJECTS}/{file.digest}") as path:
            self._fs.get_file(path, str(local))
            if file_digest(local) != file.digest:
                raise ValueError

    def delete_all_but(self, marker: str) -> None:
        """Delete all objects but those of the snapshot that a marker names."""
        snapshot = self.get_snapshot(marker)
        kept = {f"{OBJECTS}/{file.digest}" for file in snapshot.files.values()} | {f"{SNAPSHOTS}/{snapshot.digest}"}
        for path in self.listed().keys() - kept:
            self.delete(path)

    @contextmanager
    def _naming(self, path: str) -> Iterator[str]:
        """The whole path of an object. Raises `SnapshotDamaged` for FileNotFoundError and ValueError."""
        try:
            yield self._root + path
        except (FileNotFoundError, ValueError) as error:
            problem = "was changed" if isinstance(error, ValueError) else "is missing"
            raise SnapshotDamaged(*self._names, f"{self._folder}/{path}", problem) from error


class ObjectStoreBackupManager(TaskBackupManager):
    """A `TaskBackupManager`. A store's marker is the id of its snapshot, which stays the same while the state does.

    The checkpoint directories of the stores are the snapshots. Only `clean_up` deletes objects.
    """

    def __init__(self, task: StatefulTask, stores: Mapping[str, StoreObjects]) -> None:
        self._task: Final = task
        self._stores: Final = stores
        self._digests: Final = {name: FileDigests() for name in stores}

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.upload`. Raises `StoreNotBackedUp` for the first store that failed."""
        return {name: self._upload(name, checkpoint_id, cancelled) for name in self._stores}

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:  # noqa: ARG002
        """Delete all objects but those of the snapshots in the checkpoint. Raises `StoreNotBackedUp`."""
        for name in self._stores.keys() & markers.keys():
            with backing_up(self._task.task_name, name):
                self._stores[name].delete_all_but(markers[name])

    def _upload(self, name: str, checkpoint_id: CheckpointId, cancelled: Event) -> str:
        store = self._stores[name]
        directory = checkpoint_directory(self._task.store_directory(name), checkpoint_id)
        with backing_up(self._task.task_name, name):
            if not directory.is_dir():
                raise FileNotFoundError(f"{directory} does not exist. Only stores on disk have such snapshots.")
            snapshot = self._digests[name].snapshot(directory)
            stored = {StoredFile(path.removeprefix(f"{OBJECTS}/"), size) for path, size in store.listed().items()}
            for path, file in snapshot.files.items():
                if cancelled.is_set():
                    raise CancelledError("The commit was given up.")
                if file not in stored:
                    store.put(f"{OBJECTS}/{file.digest}", directory / path)
                    stored.add(file)
            return store.put_snapshot(snapshot)


class ObjectStoreRestoreManager(TaskRestoreManager):
    """A `TaskRestoreManager`. A store without a marker in the checkpoint becomes empty."""

    def __init__(self, task: StatefulTask, store_name: str, objects: StoreObjects) -> None:
        self._task_name: Final = task.task_name
        self._name: Final = store_name
        self._directory: Final = task.store_directory(store_name)
        self._objects: Final = objects
        self._checkpoint = CheckpointV2(None, {}, {})

    def init(self, checkpoint: Checkpoint | None) -> None:
        if isinstance(checkpoint, CheckpointV2):
            self._checkpoint = checkpoint

    def restore(self, report: ReportProgress) -> None:
        """See `TaskRestoreManager.restore`. A local file of the same commit is used instead of an equal object.

        Raises `InvalidMarker`, `SnapshotDamaged`, and what the disk or the file system raises, mostly OSError. The
        store's directory is unchanged then.
        """
        marker = self._checkpoint.state_markers.get(OBJECT_STORE_STATE_BACKEND_FACTORY, {}).get(self._name)
        if marker is None:
            delete_directory(self._directory)
            return
        restored = self._directory.with_name(f"{self._directory.name}.restoring")
        delete_directory(restored)
        restored.mkdir(parents=True)
        try:
            self._restore(marker, restored, report)
            delete_directory(self._directory)
            restored.rename(self._directory)
        finally:
            delete_directory(restored)

    def _restore(self, marker: str, restored: Path, report: ReportProgress) -> None:
        files = self._objects.get_snapshot(marker).files
        done, total = 0, sum(file.size for file in files.values())
        for path, file in files.items():
            target = restored / path
            target.parent.mkdir(parents=True, exist_ok=True)
            local = self._local(path)
            if local is not None and local.stat().st_size == file.size and file_digest(local) == file.digest:
                shutil.copyfile(local, target)
            else:
                self._objects.get_file(file, target)
            done += file.size
            report(RestoreProgress(self._task_name, self._name, done, total, "bytes"))

    def _local(self, path: str) -> Path | None:
        """The same file in the store's local checkpoint directory, None if there is none."""
        if self._checkpoint.checkpoint_id is None:
            return None
        local = checkpoint_directory(self._directory, self._checkpoint.checkpoint_id) / path
        return local if local.is_file() else None


class ObjectStoreStateBackendFactory:
    """A `StateBackendFactory` with incremental snapshots, in which equal files are stored once per store.

    Only stores on disk can be backed up. Two tasks with the same name in one job must not commit at the same time. Its
    methods raise `MissingSetting` if config has no ``job.name``.
    """

    def __init__(self, url: str | Path, **options: Any) -> None:
        """``url`` is a local folder, or that of a file system of fsspec (``s3://bucket/folder``).

        ``options`` are those of the file system, for example ``endpoint_url`` of s3fs. Raises `StateError` or
        ImportError for a missing package.
        """
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 (of the extra `state`)
        except ImportError as error:
            raise missing_package("An object store", "fsspec") from error
        self._fs, self._root = url_to_fs(str(url), **options)

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreBackupManager:
        return ObjectStoreBackupManager(task, self.objects(task, store_names))

    def get_restore_manager(self, task: StatefulTask, store_name: str) -> ObjectStoreRestoreManager:
        return ObjectStoreRestoreManager(task, store_name, self.objects(task, [store_name])[store_name])

    def objects(self, task: StatefulTask, store_names: Collection[str]) -> dict[str, StoreObjects]:
        return {name: StoreObjects(self._fs, self._root, task, name) for name in store_names}
