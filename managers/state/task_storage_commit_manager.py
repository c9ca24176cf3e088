"""TaskStorageCommitManager: the steps of a commit that concern a task's stores (Samza's class)."""

import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Final, TypeVar

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, StateMarkers
from eventlog.frozen_dict import frozen
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.state.key_value_store import KeyValueStore
from managers.state.state_backend import Markers, StatefulTask, TaskBackupManager, is_durable, require_read_markers
from managers.state.state_errors import CommitFailed, Step
from managers.state.store_directories import (
    checkpoint_directories,
    checkpoint_directory,
    delete_directory,
    write_checkpoint_file,
)

Result = TypeVar("Result")
_logger: Final = logging.getLogger(__name__)


def run_in_background(name: str, function: Callable[[], Result]) -> Future[Result]:
    """Run a function in a new daemon thread with this name, and return the future of its result or error."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()
    Thread(target=_run, args=(function, future), name=name, daemon=True).start()
    return future


def _run(function: Callable[[], Result], future: Future[Result]) -> None:
    try:
        result = function()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


class TaskStorageCommitManager:
    """Backs up the stores of a task with several state backends. `TaskCommitter` calls its steps in their order."""

    def __init__(
        self,
        task: StatefulTask,
        stores: Mapping[str, KeyValueStore],
        backup_managers: Mapping[str, TaskBackupManager],
        checkpoint_manager: AbstractCheckpointManager | None = None,
    ) -> None:
        """``stores`` are the task's open stores by name, ``backup_managers`` those of each factory in config.

        A store on disk is in the directory that ``task`` says. Raises `ConfigError` if a restart would not read the
        markers of a store.
        """
        require_read_markers(task.config, task.task_name, stores)
        self.task_name: Final = task.task_name
        self._stores: Final = dict(stores)
        self._backup_managers: Final = dict(backup_managers)
        self._checkpoints: Final = checkpoint_manager
        self._persistent: Final = {
            name: store.directory
            for name, store in stores.items()
            if store.directory is not None and is_durable(task.config, name)
        }

    def init(self, checkpoint: Checkpoint | None = None) -> None:
        """Start all backup managers after ``checkpoint``, or after the task's last checkpoint if it is None."""
        if checkpoint is None and self._checkpoints is not None:
            checkpoint = self._checkpoints.read_last_checkpoint(self.task_name)
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
                markers[factory] = frozen(backup_manager.snapshot(checkpoint_id) or {})
        return markers

    def upload(self, checkpoint_id: CheckpointId, snapshot: StateMarkers, cancelled: Event) -> StateMarkers:
        """Upload to all backends at once, and return the markers. One that fails sets ``cancelled`` for the others."""
        uploads = {
            factory: run_in_background(
                f"upload of {self.task_name}",
                partial(backup_manager.upload, checkpoint_id, snapshot.get(factory, {}), cancelled),
            )
            for factory, backup_manager in self._backup_managers.items()
        }
        done, _ = wait(uploads.values(), return_when=FIRST_EXCEPTION)
        failed = next((factory for factory, each in uploads.items() if each in done and each.exception()), None)
        if failed is not None:
            cancelled.set()
        markers = {}
        for factory in [failed] if failed is not None else list(uploads):
            with self._failing(checkpoint_id, "upload", factory=factory):
                markers[factory] = frozen(uploads[factory].result() or {})
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
