"""The stores of a task: the steps of a commit (TaskStorageCommitManager of Samza), and their restoration."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2, StateMarkers
from eventlog.errors import ConfigError
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_events import build_checkpoints, version_of
from managers.errors import MissingSetting
from managers.job_facts import changelog_of
from managers.state.key_value_store import KeyValueStore
from managers.state.state_backend import (
    Markers,
    ReportProgress,
    RestoreProgress,
    StateBackendFactory,
    StatefulTask,
    TaskBackupManager,
    TaskRestoreManager,
    backend_factory_store_names,
    backup_factories,
    is_durable,
    require_backends,
    require_read_markers,
    restore_factories,
    stores_by_backup_factory,
)
from managers.state.state_errors import CommitFailed, SnapshotDamaged, StateError, Step, StoreNotRestored
from managers.state.store_directories import (
    checkpoint_directories,
    checkpoint_directory,
    delete_directory,
    write_checkpoint_file,
)

_logger: Final = logging.getLogger(__name__)


class TaskStorageCommitManager:
    """Backs up the stores of a task with several state backends. `TaskCommitter` calls its steps in their order."""

    def __init__(
        self,
        task: StatefulTask,
        stores: Mapping[str, KeyValueStore],
        backup_managers: Mapping[str, TaskBackupManager],
    ) -> None:
        """``stores`` are the task's open stores by name, ``backup_managers`` those of each factory in config.

        A store on disk is in the directory that ``task`` says. Raises `ConfigError` if a restart would not read the
        markers of a store.
        """
        require_read_markers(task.config, task.task_name, stores)
        self.task_name: Final = task.task_name
        self._stores: Final = dict(stores)
        self._backup_managers: Final = dict(backup_managers)
        self._persistent: Final = {
            name: store.directory
            for name, store in stores.items()
            if store.directory is not None and is_durable(task.config, name)
        }

    def init(self, checkpoint: Checkpoint | None) -> None:
        """Start all backup managers after the task's last checkpoint, None if it has none."""
        for backup_manager in self._backup_managers.values():
            backup_manager.init(checkpoint)

    def snapshot(self, checkpoint_id: CheckpointId) -> StateMarkers:
        """Flush all stores, keep the files of the durable ones on disk, and let every backend capture their state.

        Called in the task's thread, since the task must not write meanwhile. Returns markers by factory and store.
        """
        for name, store in self._stores.items():
            with self._failing(checkpoint_id, "flush", store_name=name):
                store.flush()
        for name in self._persistent:
            with self._failing(checkpoint_id, "snapshot", store_name=name):
                self._stores[name].checkpoint(checkpoint_id)
        markers = {}
        for factory, backup_manager in self._backup_managers.items():
            with self._failing(checkpoint_id, "snapshot", factory=factory):
                markers[factory] = backup_manager.snapshot(checkpoint_id)
        return markers

    def upload(self, checkpoint_id: CheckpointId, snapshot: StateMarkers, cancelled: Event) -> StateMarkers:
        """Upload to each backend, and return the markers. See `TaskBackupManager.upload`."""
        markers = {}
        for factory, backup_manager in self._backup_managers.items():
            with self._failing(checkpoint_id, "upload", factory=factory):
                markers[factory] = backup_manager.upload(checkpoint_id, snapshot.get(factory, {}), cancelled)
        return markers

    def write_checkpoint_to_store_directories(self, checkpoint: Checkpoint) -> None:
        """Write the file ``CHECKPOINT-V2`` of a checkpoint of version 2 for each durable store on disk.

        It goes to the store's directory and to the checkpoint directory of the commit. Version 1 has no such file.
        """
        if isinstance(checkpoint, CheckpointV1) or checkpoint.checkpoint_id is None:
            return
        for name, directory in self._persistent.items():
            with self._failing(checkpoint.checkpoint_id, "persist", store_name=name):
                write_checkpoint_file(checkpoint_directory(directory, checkpoint.checkpoint_id), checkpoint)
                write_checkpoint_file(directory, checkpoint)

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: StateMarkers) -> None:
        """Write each backend's own files into the directories of stores. Raises `CommitFailed`."""
        for factory, backup_manager in self._backup_managers.items():
            with self._failing(checkpoint_id, "persist", factory=factory):
                backup_manager.persist_to_filesystem(checkpoint_id, markers.get(factory, {}))

    def clean_up(self, checkpoint_id: CheckpointId, markers: StateMarkers) -> None:
        """Delete what no checkpoint needs after this one: in each backend, and local checkpoint directories.

        All of them are cleaned up even if one fails; a `CommitFailed` is raised then.
        """
        with ExitStack() as cleaning:
            for name, directory in self._persistent.items():
                cleaning.callback(self._clean_up_store, checkpoint_id, name, directory)
            for factory, of_stores in markers.items():
                cleaning.callback(self._clean_up_backend, checkpoint_id, factory, of_stores)

    def close(self) -> None:
        with ExitStack() as closing:
            for backup_manager in self._backup_managers.values():
                closing.callback(backup_manager.close)

    def _clean_up_backend(self, checkpoint_id: CheckpointId, factory: str, markers: Markers) -> None:
        backup_manager = self._backup_managers.get(factory)
        if backup_manager is None:
            _logger.warning("Task %r has markers of %s, which is not configured.", self.task_name, factory)
            return
        with self._failing(checkpoint_id, "clean up", factory=factory):
            backup_manager.clean_up(checkpoint_id, markers)

    def _clean_up_store(self, latest: CheckpointId, store_name: str, directory: Path) -> None:
        """Delete the checkpoint directories of other commits, also of those that failed."""
        with self._failing(latest, "clean up", store_name=store_name):
            for checkpoint_id, of_checkpoint in list(checkpoint_directories(directory)):
                if checkpoint_id != latest:
                    delete_directory(of_checkpoint)

    @contextmanager
    def _failing(
        self, checkpoint_id: CheckpointId, step: Step, *, store_name: str | None = None, factory: str | None = None
    ) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            store_name = store_name or getattr(error, "store_name", None)
            raise CommitFailed(
                self.task_name, checkpoint_id, step, error, store_name=store_name, factory=factory
            ) from error


def log_progress(progress: RestoreProgress) -> None:
    _logger.info("Store %r of task %r: restored %d of %s %s.", progress.store_name, progress.task_name, *progress[2:])


class TaskRestoration:
    """Restores the stores of a task to its last checkpoint, each from the backend that config and checkpoint name."""

    def __init__(
        self,
        task: StatefulTask,
        store_names: Collection[str],
        backends: Mapping[str, StateBackendFactory],
        checkpoint_manager: AbstractCheckpointManager,
        *,
        report: ReportProgress = log_progress,
    ) -> None:
        """``backends`` are by the names of factories in config. The stores must not be open."""
        self._task: Final = task
        self._store_names: Final = tuple(store_names)
        self._backends: Final = dict(backends)
        self._checkpoints: Final = checkpoint_manager
        self._report: Final = report

    def restore(self) -> Checkpoint | None:
        """Restore all stores, and return the checkpoint that the task continues from; None if it has none.

        If the snapshot of a store is gone, the store is restored from its next backend that the checkpoint names, and a
        new checkpoint with the same input offsets is written (SAMZA-2787). A backend that did not restore a store but
        is to back it up is made equal to the store.

        A store without a backup in the checkpoint starts empty, since its files may have changes that were not
        committed. Raises `ConfigError`, and `StateError`: call this again.
        """
        config, task_name = self._task.config, self._task.task_name
        backed_up = stores_by_backup_factory(config, self._store_names)
        backup_backends = require_backends(task_name, backed_up, self._backends)
        checkpoint = self._checkpoints.read_last_checkpoint(task_name)
        chosen = backend_factory_store_names(config, self._store_names, checkpoint)
        require_backends(task_name, chosen, self._backends)
        first = {store: factory for factory, stores in chosen.items() for store in stores}
        for store in self._store_names:
            if store not in first and changelog_of(config, store) is None:
                self._empty(store)
        used = {store: self._restore(store, factory, checkpoint) for store, factory in first.items()}
        if used != first and isinstance(checkpoint, CheckpointV2):
            managers = {
                factory: backend.get_backup_manager(self._task, backed_up[factory])
                for factory, backend in backup_backends.items()
            }
            return self._commit_again(checkpoint, managers)
        return checkpoint

    def _empty(self, store: str) -> None:
        directory = self._task.store_directory(store)
        if not directory.exists():
            return
        reason = "is not restored from its backup" if is_durable(self._task.config, store) else "has no backup"
        _logger.warning("Store %r of task %r %s and starts empty.", store, self._task.task_name, reason)
        with self._naming(store, None):
            delete_directory(directory)

    def _restore(self, store: str, factory: str, checkpoint: Checkpoint | None) -> str:
        """Restore a store, make its other backends equal to it, and return the factory that restored it."""
        try:
            with self._manager(store, factory, checkpoint) as manager:
                manager.restore(self._report)
        except SnapshotDamaged as error:
            markers = checkpoint.state_markers if isinstance(checkpoint, CheckpointV2) else {}
            named = [each for each in restore_factories(self._task.config, store) if store in markers.get(each, {})]
            others = [each for each in named if each != factory and each in self._backends]
            if not others:
                raise
            factory = others[0]
            _logger.warning("%s Restoring it from %s.", error, factory)
            with self._manager(store, factory, checkpoint) as manager:
                manager.restore(self._report)
        for other in backup_factories(self._task.config, store):
            if other != factory:
                with self._manager(store, other, checkpoint) as manager:
                    manager.match()
        return factory

    @contextmanager
    def _manager(self, store: str, factory: str, checkpoint: Checkpoint | None) -> Iterator[TaskRestoreManager]:
        with (
            self._naming(store, factory),
            closing(self._backends[factory].get_restore_manager(self._task, store)) as manager,
        ):
            manager.init(checkpoint)
            yield manager

    @contextmanager
    def _naming(self, store: str, factory: str | None) -> Iterator[None]:
        try:
            yield
        except (StateError, ConfigError, MissingSetting):
            raise
        except Exception as error:
            raise StoreNotRestored(self._task.task_name, store, factory, error) from error

    def _commit_again(self, checkpoint: CheckpointV2, managers: Mapping[str, TaskBackupManager]) -> Checkpoint:
        """Back up all stores, and write a checkpoint with the same input offsets. Returns its newest version."""
        checkpoint_id = CheckpointId.create()
        stores = {name: self._task.open_store(name) for name in self._store_names}
        commits = TaskStorageCommitManager(self._task, stores, managers)
        try:
            commits.init(checkpoint)
            markers = commits.upload(checkpoint_id, commits.snapshot(checkpoint_id), Event())
            written = build_checkpoints(self._task.config, checkpoint_id, checkpoint.offsets, markers)
            for each in written:
                self._checkpoints.write_checkpoint(self._task.task_name, each)
                commits.write_checkpoint_to_store_directories(each)
            commits.persist_to_filesystem(checkpoint_id, markers)
        finally:
            commits.close()
            for store in stores.values():
                if store.directory is not None:
                    store.close()
        return max(written, key=version_of)
