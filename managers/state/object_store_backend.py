"""ObjectStoreStateBackendFactory: stores are backed up as snapshots in an object store."""

import shutil
from collections.abc import Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from managers.state.object_store import (
    FileDigests,
    ObjectStore,
    StoredFile,
    StoreSnapshot,
    digest_in_marker,
    file_digest,
    store_folder,
)
from managers.state.state_backend import (
    Markers,
    ReportProgress,
    RestoreProgress,
    StatefulTask,
    TaskBackupManager,
    TaskRestoreManager,
)
from managers.state.state_errors import InvalidMarker, RestoreCancelled, SnapshotDamaged, StoreNotBackedUp
from managers.state.store_directories import checkpoint_directory, delete_directory

OBJECTS: Final = "objects"
SNAPSHOTS: Final = "snapshots"
_RESTORING: Final = ".restoring"


class ObjectStoreBackupManager(TaskBackupManager):
    """A `TaskBackupManager`. A store's marker is the id of its snapshot, which stays the same while the state does.

    The folder of a store has ``objects/<sha256>`` with the contents of files, and ``snapshots/<sha256>`` with lists of
    files. Each commit writes its list last, so an object that is newer than all lists was changed since, or its commit
    failed: it is written again. Only `clean_up` deletes.
    """

    def __init__(self, objects: ObjectStore, task: StatefulTask, store_names: Collection[str]) -> None:
        self._objects: Final = objects
        self._task: Final = task
        self._folders: Final = {name: store_folder(task, name) for name in store_names}
        self._digests: Final = {name: FileDigests() for name in store_names}
        self._uploaded: dict[str, StoreSnapshot] = {}

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.snapshot`. The checkpoint directories of the stores are the snapshot."""
        return {}

    def upload(
        self,
        checkpoint_id: CheckpointId,
        markers: Markers,  # noqa: ARG002 (snapshot returns none)
        cancelled: Event,
    ) -> Markers:
        """See `TaskBackupManager.upload`. Raises `StoreNotBackedUp` for the first store that failed."""
        return {name: self._upload(name, checkpoint_id, cancelled) for name in self._folders}

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:  # noqa: ARG002
        """Delete all objects but those of the snapshots in the checkpoint. Raises `StoreNotBackedUp`."""
        for name in self._folders.keys() & markers.keys():
            with self._failing(name):
                self._clean_up(name, markers[name])

    def _upload(self, name: str, checkpoint_id: CheckpointId, cancelled: Event) -> str:
        folder = self._folders[name]
        directory = checkpoint_directory(self._task.store_directory(name), checkpoint_id)
        with self._failing(name):
            if not directory.is_dir():
                raise FileNotFoundError(f"{directory} does not exist. Only stores on disk have such snapshots.")
            snapshot = self._digests[name].snapshot(directory)
            usable = self._usable(folder)
            for file, stored in snapshot.files.items():
                if cancelled.is_set():
                    raise CancelledError("The commit was given up.")
                if stored not in usable:
                    self._objects.put(f"{folder}/{OBJECTS}/{stored.digest}", directory / file)
                    usable.add(stored)
            self._objects.put_bytes(f"{folder}/{SNAPSHOTS}/{snapshot.digest}", snapshot.to_bytes())
        self._uploaded[name] = snapshot
        return f"{folder}/{snapshot.digest}"

    def _usable(self, folder: str) -> set[StoredFile]:
        """The contents that a commit need not write."""
        listed = self._objects.listed(folder)
        snapshots = [each for path, each in listed.items() if path.startswith(SNAPSHOTS)]
        return {
            StoredFile(path.removeprefix(f"{OBJECTS}/"), each.size)
            for path, each in listed.items()
            if each.is_unchanged_since(snapshots)
        }

    def _clean_up(self, name: str, marker: str) -> None:
        folder = self._folders[name]
        digest = digest_in_marker(self._task, name, marker)
        snapshot = self._uploaded.get(name)
        if snapshot is None or snapshot.digest != digest:
            snapshot = read_snapshot(self._objects, self._task, name, marker)
        kept = {f"{OBJECTS}/{file.digest}" for file in snapshot.files.values()} | {f"{SNAPSHOTS}/{digest}"}
        self._objects.delete([f"{folder}/{path}" for path in self._objects.listed(folder) if path not in kept])

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise StoreNotBackedUp(self._task.task_name, name, error) from error


def read_snapshot(objects: ObjectStore, task: StatefulTask, store_name: str, marker: str) -> StoreSnapshot:
    """The snapshot that a marker names. Raises `InvalidMarker`, and `SnapshotDamaged` if its list is."""
    digest = digest_in_marker(task, store_name, marker)
    path = f"{store_folder(task, store_name)}/{SNAPSHOTS}/{digest}"
    try:
        snapshot = StoreSnapshot.parse(objects.get_bytes(path))
    except FileNotFoundError:
        raise SnapshotDamaged(task.task_name, store_name, path, "is missing") from None
    except ValueError:
        raise SnapshotDamaged(task.task_name, store_name, path, "was changed") from None
    if snapshot.digest != digest:
        raise SnapshotDamaged(task.task_name, store_name, path, "was changed")
    return snapshot


class ObjectStoreRestoreManager(TaskRestoreManager):
    """A `TaskRestoreManager`. A store without a marker in the checkpoint becomes empty."""

    def __init__(self, objects: ObjectStore, factory: str, task: StatefulTask, store_names: Collection[str]) -> None:
        self._objects: Final = objects
        self._factory: Final = factory
        self._task: Final = task
        self._store_names: Final = tuple(store_names)
        self._markers: Markers = {}
        self._checkpoint_id: CheckpointId | None = None

    def init(self, checkpoint: Checkpoint | None) -> None:
        if isinstance(checkpoint, CheckpointV2):
            self._markers = checkpoint.state_markers.get(self._factory, {})
            self._checkpoint_id = checkpoint.checkpoint_id

    def restore(self, report: ReportProgress, cancelled: Event) -> None:
        """See `TaskRestoreManager.restore`. A local file of the same commit is used instead of an equal object.

        Raises `InvalidMarker`, `SnapshotDamaged`, `RestoreCancelled`, and what the disk or the file system raises,
        mostly OSError. The store's directory is unchanged then.
        """
        for name in self._store_names:
            if name in self._markers:
                self._restore(name, report, cancelled)
            else:
                delete_directory(self._task.store_directory(name))

    def _restore(self, name: str, report: ReportProgress, cancelled: Event) -> None:
        snapshot = read_snapshot(self._objects, self._task, name, self._markers[name])
        directory = self._task.store_directory(name)
        restored = directory.with_name(directory.name + _RESTORING)
        delete_directory(restored)
        restored.mkdir(parents=True)
        try:
            self._restore_files(name, snapshot, restored, report, cancelled)
            delete_directory(directory)
            restored.rename(directory)
        finally:
            delete_directory(restored)

    def _restore_files(
        self, name: str, snapshot: StoreSnapshot, restored: Path, report: ReportProgress, cancelled: Event
    ) -> None:
        done = 0
        for path, file in snapshot.files.items():
            if cancelled.is_set():
                raise RestoreCancelled(self._task.task_name, name)
            self._restore_file(name, path, file, restored / path)
            done += file.size
            report(RestoreProgress(self._task.task_name, name, done, snapshot.total_bytes, "bytes"))

    def _restore_file(self, name: str, path: str, file: StoredFile, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        local = self._local(name, path, file)
        if local is not None:
            shutil.copyfile(local, target)
            return
        object_path = f"{store_folder(self._task, name)}/{OBJECTS}/{file.digest}"
        try:
            self._objects.get(object_path, target)
        except FileNotFoundError:
            raise SnapshotDamaged(self._task.task_name, name, object_path, "is missing") from None
        if file_digest(target) != file.digest:
            raise SnapshotDamaged(self._task.task_name, name, object_path, "was changed")

    def _local(self, name: str, path: str, file: StoredFile) -> Path | None:
        """The same file in the store's local checkpoint directory, None if there is none."""
        if self._checkpoint_id is None:
            return None
        local = checkpoint_directory(self._task.store_directory(name), self._checkpoint_id) / path
        is_equal = local.is_file() and local.stat().st_size == file.size and file_digest(local) == file.digest
        return local if is_equal else None


OBJECT_STORE_STATE_BACKEND_FACTORY: Final = "coordstream.ObjectStoreStateBackendFactory"
"""Its name in ``stores.<store>.backup.factories`` and in checkpoints."""


class ObjectStoreStateBackendFactory:
    """A `StateBackendFactory` with incremental snapshots, in which equal files are stored once per store.

    Only stores on disk can be backed up. Two tasks with the same name in one job must not commit at the same time.
    """

    def __init__(self, url: str | Path, **options: Any) -> None:
        """``url`` is a local folder, or that of a file system of fsspec (``s3://bucket/folder``).

        ``options`` are those of the file system, for example ``endpoint_url`` of s3fs.
        """
        self._objects: Final = ObjectStore(str(url), options)

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreBackupManager:
        """See `StateBackendFactory`. Raises `MissingSetting` if config has no ``job.name``."""
        return ObjectStoreBackupManager(self._objects, task, store_names)

    def verify(self, task: StatefulTask, checkpoint: CheckpointV2) -> Iterator[SnapshotDamaged | InvalidMarker]:
        """Read every object that a task's checkpoint needs, and yield an error for each that is missing or changed."""
        for name, marker in checkpoint.state_markers.get(OBJECT_STORE_STATE_BACKEND_FACTORY, {}).items():
            try:
                files = set(read_snapshot(self._objects, task, name, marker).files.values())
            except (SnapshotDamaged, InvalidMarker) as error:
                yield error
                continue
            for file in sorted(files):
                path = f"{store_folder(task, name)}/{OBJECTS}/{file.digest}"
                try:
                    problem = "" if self._objects.digest(path) == file.digest else "was changed"
                except FileNotFoundError:
                    problem = "is missing"
                if problem:
                    yield SnapshotDamaged(task.task_name, name, path, problem)

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreRestoreManager:
        return ObjectStoreRestoreManager(self._objects, OBJECT_STORE_STATE_BACKEND_FACTORY, task, store_names)
