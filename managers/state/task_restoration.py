"""Restores the stores of a task before it starts (the part of ContainerStorageManager of Samza for one task)."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from eventlog.errors import PortableError
from eventlog.log import Clock, system_clock
from eventlog.timestamps import ms_of
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_events import build_checkpoints, version_of
from managers.job_facts import changelog_of
from managers.state.state_backend import (
    AppendingBackend,
    ReportProgress,
    RestoreProgress,
    StateBackendFactory,
    StatefulTask,
    backend_factory_store_names,
    backup_factories,
    has_side_inputs,
    is_durable,
    require_backends,
    restore_factories,
    stores_by_backup_factory,
)
from managers.state.state_errors import SnapshotDamaged, StoreNotRestored
from managers.state.store_directories import set_aside
from managers.state.task_storage_commit_manager import TaskStorageCommitManager

_logger: Final = logging.getLogger(__name__)


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
        cancelled: Event | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """``backends`` are by the names of factories in config. The stores must not be open. Raises `ConfigError`."""
        backed_up = stores_by_backup_factory(task.config, store_names)
        self._backup_backends: Final = require_backends(task.config, task.task_name, backed_up, backends)
        self._backed_up: Final = backed_up
        self._task: Final = task
        self._store_names: Final = tuple(store_names)
        self._backends: Final = dict(backends)
        self._checkpoints: Final = checkpoint_manager
        self._report: Final = report
        self._cancelled: Final = cancelled or Event()
        self._clock: Final = clock

    def restore(self) -> Checkpoint | None:
        """Restore all stores, and return the checkpoint that the task continues from; None if it has none.

        If the snapshot of a store is gone, the store is restored from its next backend that the checkpoint names, and a
        new checkpoint with the same input offsets is written (SAMZA-2787). A backend that did not restore a store but
        is to back it up is made equal to the store.

        A store without a backup in the checkpoint starts empty, since its files may have changes that were not
        committed. They are renamed to ``<directory>.kept``. A store with side inputs keeps its files. Raises
        `StateError`; call this again.
        """
        checkpoint = self._checkpoints.read_last_checkpoint(self._task.task_name)
        chosen = backend_factory_store_names(self._task.config, self._store_names, checkpoint)
        require_backends(self._task.config, self._task.task_name, chosen, self._backends)
        first = {store: factory for factory, stores in chosen.items() for store in stores}
        for store in self._store_names:
            if store not in first and changelog_of(self._task.config, store) is None:
                self._empty(store)
        used = {store: self._restore_store(store, factory, checkpoint) for store, factory in first.items()}
        self._match_other_backends(used, checkpoint)
        if used != first and isinstance(checkpoint, CheckpointV2):
            return self._commit_again(checkpoint)
        return checkpoint

    def _empty(self, store: str) -> None:
        directory = self._task.store_directory(store)
        if has_side_inputs(self._task.config, store) or not directory.exists():
            return
        with self._naming(store, None):
            kept = set_aside(directory, directory)
        reason = "is not restored from its backup" if is_durable(self._task.config, store) else "has no backup"
        text = "Store %r of task %r %s and starts empty. Its files of the last run are kept in %s."
        _logger.warning(text, store, self._task.task_name, reason, kept)

    def _restore_store(self, store: str, factory: str, checkpoint: Checkpoint | None) -> str:
        try:
            self._restore_from(store, factory, checkpoint)
        except SnapshotDamaged as error:
            others = [each for each in self._with_marker(store, checkpoint) if each != factory]
            if not others:
                raise
            _logger.warning("%s Restoring it from %s.", error, others[0])
            self._restore_from(store, others[0], checkpoint)
            return others[0]
        return factory

    def _restore_from(self, store: str, factory: str, checkpoint: Checkpoint | None) -> None:
        with (
            self._naming(store, factory),
            closing(self._backends[factory].get_restore_manager(self._task, [store])) as manager,
        ):
            manager.init(checkpoint)
            manager.restore(self._report, self._cancelled)

    @contextmanager
    def _naming(self, store: str, factory: str | None) -> Iterator[None]:
        try:
            yield
        except PortableError:
            raise
        except Exception as error:
            raise StoreNotRestored(self._task.task_name, store, factory, error) from error

    def _with_marker(self, store: str, checkpoint: Checkpoint | None) -> list[str]:
        markers = checkpoint.state_markers if isinstance(checkpoint, CheckpointV2) else {}
        configured = restore_factories(self._task.config, store)
        return [each for each in configured if store in markers.get(each, {}) and each in self._backends]

    def _match_other_backends(self, used: Mapping[str, str], checkpoint: Checkpoint | None) -> None:
        for store, factory in used.items():
            for other in backup_factories(self._task.config, store):
                backend = self._backup_backends[other]
                if other != factory and isinstance(backend, AppendingBackend):
                    with self._naming(store, other):
                        backend.match_stores(self._task, [store], checkpoint, self._cancelled)

    def _commit_again(self, checkpoint: CheckpointV2) -> Checkpoint:
        """Back up all stores, and write a checkpoint with the same input offsets. Returns its newest version."""
        checkpoint_id = CheckpointId.create(ms_of(self._clock()))
        stores = {name: self._task.open_store(name) for name in self._store_names}
        managers = {
            factory: backend.get_backup_manager(self._task, self._backed_up[factory])
            for factory, backend in self._backup_backends.items()
        }
        commits = TaskStorageCommitManager(self._task, stores, managers)
        try:
            commits.init(checkpoint)
            markers = commits.upload(checkpoint_id, commits.snapshot(checkpoint_id), self._cancelled)
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
