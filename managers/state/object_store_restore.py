"""Restores the stores of a task from an object store."""

import shutil
from collections.abc import Collection
from pathlib import Path
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from managers.state.object_snapshot import StoredFile, StoreSnapshot, file_digest, store_folder
from managers.state.object_store import ObjectStore
from managers.state.object_store_backup import OBJECTS, read_snapshot
from managers.state.state_backend import Markers, ReportProgress, RestoreProgress, StatefulTask
from managers.state.state_errors import RestoreCancelled, SnapshotDamaged
from managers.state.store_directories import checkpoint_directory, delete_directory

_RESTORING: Final = ".restoring"


class ObjectStoreRestoreManager:
    """A `TaskRestoreManager`. A store without a marker in the checkpoint becomes empty."""

    def __init__(self, objects: ObjectStore, factory: str, task: StatefulTask, store_names: Collection[str]) -> None:
        self._objects: Final = objects
        self._factory: Final = factory
        self._task: Final = task
        self._store_names: Final = tuple(store_names)
        self._markers: Markers = {}
        self._checkpoint_id: CheckpointId | None = None

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskRestoreManager.init`."""
        if isinstance(checkpoint, CheckpointV2):
            self._markers = checkpoint.state_markers.get(self._factory, {})
            self._checkpoint_id = checkpoint.checkpoint_id

    def restore(self, report: ReportProgress, cancelled: Event) -> None:
        """See `TaskRestoreManager.restore`. A local file of the same commit is used instead of an equal object.

        Raises:
            InvalidMarker: a marker is not a snapshot id, or that of another store.
            SnapshotDamaged: an object is missing, or was changed. The store's directory is unchanged.
            RestoreCancelled: ``cancelled`` was set.
            Exception: what the disk or the file system raises, mostly OSError (`StoreNotRestored` of a restoration).
        """
        for name in self._store_names:
            if name in self._markers:
                self._restore(name, report, cancelled)
            else:
                delete_directory(self._task.store_directory(name))

    def close(self) -> None:
        """See `TaskRestoreManager.close`."""

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
