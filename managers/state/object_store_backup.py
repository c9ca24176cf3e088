"""Backs up the stores of a task to an object store: only files that it does not have yet."""

from collections.abc import Collection, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId
from managers.state.object_snapshot import (
    FileDigests,
    StoreSnapshot,
    digest_in_marker,
    snapshot_id,
    store_folder,
)
from managers.state.object_store import ObjectStore
from managers.state.state_backend import Markers, StatefulTask
from managers.state.state_errors import SnapshotDamaged, StoreNotBackedUp
from managers.state.store_directories import checkpoint_directory

OBJECTS: Final = "objects"
SNAPSHOTS: Final = "snapshots"


class ObjectStoreBackupManager:
    """A `TaskBackupManager`. A store's marker is the id of its snapshot, which stays the same while the state does.

    The folder of a store has ``objects/<sha256>`` with the contents of files, and ``snapshots/<sha256>`` with lists of
    files. Nothing is changed in place, and only `clean_up` deletes.
    """

    def __init__(self, objects: ObjectStore, task: StatefulTask, store_names: Collection[str]) -> None:
        self._objects: Final = objects
        self._task: Final = task
        self._folders: Final = {name: store_folder(task, name) for name in store_names}
        self._digests: Final = {name: FileDigests() for name in store_names}
        self._uploaded: dict[str, StoreSnapshot] = {}

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskBackupManager.init`. Reads nothing: what is already there is looked up at each upload."""

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.snapshot`. The checkpoint directories of the stores are the snapshot."""
        return {}

    def upload(
        self,
        checkpoint_id: CheckpointId,
        markers: Markers,  # noqa: ARG002 (snapshot returns none)
        cancelled: Event,
    ) -> Markers:
        """See `TaskBackupManager.upload`.

        Raises:
            StoreNotBackedUp: of the first store that failed; the cause says why.
        """
        return {name: self._upload(name, checkpoint_id, cancelled) for name in self._folders}

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """See `TaskBackupManager.persist_to_filesystem`. There are no files of this backend."""

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:  # noqa: ARG002
        """See `TaskBackupManager.clean_up`: deletes all objects but those of the snapshots in the checkpoint.

        Raises:
            StoreNotBackedUp: of the first store that failed; the cause says why.
        """
        for name in self._folders.keys() & markers.keys():
            with self._failing(name):
                self._clean_up(name, markers[name])

    def close(self) -> None:
        """See `TaskBackupManager.close`."""

    def _upload(self, name: str, checkpoint_id: CheckpointId, cancelled: Event) -> str:
        folder = self._folders[name]
        directory = checkpoint_directory(self._task.store_directory(name), checkpoint_id)
        with self._failing(name):
            if not directory.is_dir():
                raise FileNotFoundError(f"{directory} does not exist. Only stores on disk have such snapshots.")
            snapshot = self._digests[name].snapshot(directory)
            existing = self._objects.sizes(folder)
            for file, (digest, size) in snapshot.files.items():
                if cancelled.is_set():
                    raise CancelledError("The commit was given up.")
                if existing.get(f"{OBJECTS}/{digest}") != size:
                    self._objects.put(f"{folder}/{OBJECTS}/{digest}", directory / file)
                    existing[f"{OBJECTS}/{digest}"] = size
            listed = snapshot.to_bytes()
            if existing.get(f"{SNAPSHOTS}/{snapshot.digest}") != len(listed):
                self._objects.put_bytes(f"{folder}/{SNAPSHOTS}/{snapshot.digest}", listed)
        self._uploaded[name] = snapshot
        return snapshot_id(folder, snapshot)

    def _clean_up(self, name: str, marker: str) -> None:
        folder = self._folders[name]
        digest = digest_in_marker(self._task, name, marker)
        snapshot = self._uploaded.get(name)
        if snapshot is None or snapshot.digest != digest:
            snapshot = read_snapshot(self._objects, self._task, name, marker)
        kept = {f"{OBJECTS}/{file.digest}" for file in snapshot.files.values()} | {f"{SNAPSHOTS}/{digest}"}
        self._objects.delete([f"{folder}/{path}" for path in self._objects.sizes(folder) if path not in kept])

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise StoreNotBackedUp(self._task.task_name, name, error) from error


def read_snapshot(objects: ObjectStore, task: StatefulTask, store_name: str, marker: str) -> StoreSnapshot:
    """The snapshot that a marker names.

    Raises:
        InvalidMarker: it is not a snapshot id, or that of another store.
        SnapshotDamaged: the list of files is missing, or was changed.
    """
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
