"""ObjectStoreStateBackendFactory: stores are backed up as snapshots in an object store."""

import shutil
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from managers.state.object_store import FileDigests, ObjectStore, StoredFile, StoreObjects, file_digest
from managers.state.state_backend import (
    Markers,
    ReportProgress,
    RestoreProgress,
    StatefulTask,
    TaskBackupManager,
    TaskRestoreManager,
)
from managers.state.state_errors import InvalidMarker, SnapshotDamaged, backing_up
from managers.state.store_directories import checkpoint_directory, delete_directory

OBJECT_STORE_STATE_BACKEND_FACTORY: Final = "coordstream.ObjectStoreStateBackendFactory"
"""Its name in ``stores.<store>.backup.factories`` and in checkpoints."""


class ObjectStoreBackupManager(TaskBackupManager):
    """A `TaskBackupManager`. A store's marker is the id of its snapshot, which stays the same while the state does.

    The checkpoint directories of the stores are the snapshots. Only `clean_up` deletes objects.
    """

    def __init__(self, objects: ObjectStore, task: StatefulTask, store_names: Collection[str]) -> None:
        self._task: Final = task
        self._stores: Final = {name: StoreObjects(objects, task, name) for name in store_names}
        self._digests: Final = {name: FileDigests() for name in store_names}

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
            usable = store.usable()
            for path, file in snapshot.files.items():
                if cancelled.is_set():
                    raise CancelledError("The commit was given up.")
                if file not in usable:
                    store.put_file(file, directory / path)
                    usable.add(file)
            return store.put_snapshot(snapshot)


class ObjectStoreRestoreManager(TaskRestoreManager):
    """A `TaskRestoreManager`. A store without a marker in the checkpoint becomes empty."""

    def __init__(self, objects: ObjectStore, task: StatefulTask, store_names: Collection[str]) -> None:
        self._objects: Final = objects
        self._task: Final = task
        self._store_names: Final = tuple(store_names)
        self._checkpoint = CheckpointV2(None, {}, {})

    def init(self, checkpoint: Checkpoint | None) -> None:
        if isinstance(checkpoint, CheckpointV2):
            self._checkpoint = checkpoint

    def restore(self, report: ReportProgress) -> None:
        """See `TaskRestoreManager.restore`. A local file of the same commit is used instead of an equal object.

        Raises `InvalidMarker`, `SnapshotDamaged`, and what the disk or the file system raises, mostly OSError. The
        store's directory is unchanged then.
        """
        markers = self._checkpoint.state_markers.get(OBJECT_STORE_STATE_BACKEND_FACTORY, {})
        for name in self._store_names:
            directory = self._task.store_directory(name)
            if name not in markers:
                delete_directory(directory)
                continue
            restored = directory.with_name(f"{directory.name}.restoring")
            delete_directory(restored)
            restored.mkdir(parents=True)
            try:
                self._restore(name, markers[name], restored, report)
                delete_directory(directory)
                restored.rename(directory)
            finally:
                delete_directory(restored)

    def _restore(self, name: str, marker: str, restored: Path, report: ReportProgress) -> None:
        store = StoreObjects(self._objects, self._task, name)
        files = store.get_snapshot(marker).files
        done, total = 0, sum(file.size for file in files.values())
        for path, file in files.items():
            target = restored / path
            target.parent.mkdir(parents=True, exist_ok=True)
            local = self._local(name, path)
            if local is not None and local.stat().st_size == file.size and file_digest(local) == file.digest:
                shutil.copyfile(local, target)
            else:
                store.get_file(file, target)
            done += file.size
            report(RestoreProgress(self._task.task_name, name, done, total, "bytes"))

    def _local(self, name: str, path: str) -> Path | None:
        """The same file in the store's local checkpoint directory, None if there is none."""
        if self._checkpoint.checkpoint_id is None:
            return None
        local = checkpoint_directory(self._task.store_directory(name), self._checkpoint.checkpoint_id) / path
        return local if local.is_file() else None


class ObjectStoreStateBackendFactory:
    """A `StateBackendFactory` with incremental snapshots, in which equal files are stored once per store.

    Only stores on disk can be backed up. Two tasks with the same name in one job must not commit at the same time. Its
    methods raise `MissingSetting` if config has no ``job.name``.
    """

    def __init__(self, url: str | Path, **options: Any) -> None:
        """``url`` is a local folder, or that of a file system of fsspec (``s3://bucket/folder``).

        ``options`` are those of the file system, for example ``endpoint_url`` of s3fs.
        """
        self._objects: Final = ObjectStore(str(url), options)

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreBackupManager:
        return ObjectStoreBackupManager(self._objects, task, store_names)

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> ObjectStoreRestoreManager:
        return ObjectStoreRestoreManager(self._objects, task, store_names)

    def verify(self, task: StatefulTask, checkpoint: CheckpointV2) -> Iterator[SnapshotDamaged | InvalidMarker]:
        """Read every object that a task's checkpoint needs, and yield an error for each that is missing or changed."""
        with TemporaryDirectory() as folder:
            for name, marker in checkpoint.state_markers.get(OBJECT_STORE_STATE_BACKEND_FACTORY, {}).items():
                store = StoreObjects(self._objects, task, name)
                files: Iterable[StoredFile] = ()
                try:
                    files = sorted(set(store.get_snapshot(marker).files.values()))
                except (SnapshotDamaged, InvalidMarker) as error:
                    yield error
                for file in files:
                    try:
                        store.get_file(file, Path(folder) / "content")
                    except SnapshotDamaged as error:
                        yield error
