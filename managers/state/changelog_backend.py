"""KafkaChangelogStateBackendFactory: stores are backed up by their changelogs (Samza's default state backend)."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from threading import Event
from typing import Final

from eventlog.checkpoint import Checkpoint, CheckpointId
from eventlog.config import boolean
from eventlog.errors import ConfigError, EventLogError
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KafkaStateCheckpointMarker
from eventlog.system_admin import Changelogs
from managers.job_facts import CHANGELOG_SYSTEM, TRANSACTIONAL_CHECKPOINT, changelogs, delete_retention_ms
from managers.state.changelog_restore import KafkaChangelogRestoreManager, changelog_failed, revert
from managers.state.key_value_store import KeyValueStore, LoggedStore
from managers.state.state_backend import Markers, StatefulTask, TaskBackupManager, without_changelog
from managers.state.state_errors import RestoreCancelled, StoreNotBackedUp
from managers.state.state_markers import CommittedOffset, committed_offsets
from managers.state.store_directories import checkpoint_directory, delete_offset_files, write_offset_files


class KafkaChangelogBackupManager(TaskBackupManager):
    """A `TaskBackupManager` (KafkaTransactionalStateTaskBackupManager of Samza).

    A marker is the newest offset of a store's changelog. Unlike Samza's manager for state that is not transactional,
    this one never takes an unknown offset for an empty changelog.
    """

    def __init__(
        self,
        task: StatefulTask,
        partitions: Mapping[str, SystemStreamPartition],
        systems: Mapping[str, Changelogs],
    ) -> None:
        """``partitions`` are the changelogs by store, ``systems`` those of each system, which the caller closes."""
        self._task: Final = task
        self._partitions: Final = dict(partitions)
        self._systems: Final = systems
        self._newest: dict[str, int] = {}

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.snapshot`. Raises `StoreNotBackedUp`."""
        return {store: self._marker(store, partition).serialise() for store, partition in self._partitions.items()}

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers:  # noqa: ARG002
        """See `TaskBackupManager.upload`: the changelogs have everything already."""
        return markers

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """Write offset files for stores on disk. Raises `StoreNotBackedUp`; restores do not need them.

        Unless ``task.transactional.state.checkpoint.enabled`` is true, the default, a checkpoint directory gets none.
        """
        is_transactional = boolean(self._task.config, TRANSACTIONAL_CHECKPOINT, default=True)
        for store, marker in markers.items():
            directory = self._task.store_directory(store)
            try:
                checkpoint = checkpoint_directory(directory, checkpoint_id)
                if checkpoint.is_dir():  # a store in memory has none, and what it left on disk keeps its own offset
                    paths = (directory, checkpoint) if is_transactional else (directory,)
                    _write_offsets(paths, KafkaStateCheckpointMarker.parse(marker))
            except OSError as error:
                problem = f"its offset files cannot be written ({error.strerror or error}). Check the disk."
                raise StoreNotBackedUp(self._task.task_name, store, problem) from error

    def _marker(self, store: str, partition: SystemStreamPartition) -> KafkaStateCheckpointMarker:
        changelogs = self._systems[partition.system]
        try:
            changelogs.flush()
            newest = changelogs.reach(partition).newest_offset
        except EventLogError as error:
            raise StoreNotBackedUp(self._task.task_name, store, f"its changelog {partition} failed: {error}") from error
        self._require_progress(store, partition, newest)
        return KafkaStateCheckpointMarker(partition, newest)

    def _require_progress(self, store: str, partition: SystemStreamPartition, newest: str | None) -> None:
        """A changelog that was deleted and created again has only the latest changes of the store."""
        offset, earlier = -1 if newest is None else int(newest), self._newest.get(store, -1)
        if offset < earlier:
            end = "is empty" if newest is None else f"ends at offset {newest}"
            raise StoreNotBackedUp(
                self._task.task_name,
                store,
                f"its changelog {partition} ended at offset {earlier} before, but now {end}. It was deleted or "
                "truncated: restore the task, from another state backend if the store has one.",
            )
        self._newest[store] = offset


def _write_offsets(directories: Iterable[Path], marker: KafkaStateCheckpointMarker) -> None:
    for path in directories:
        if marker.offset is not None:
            write_offset_files(path, {marker.changelog: marker.offset})
        else:
            delete_offset_files(path)


class KafkaChangelogStateBackendFactory:
    """A `StateBackendFactory`.

    ``systems`` has the changelogs of each system that the job's config names, which the caller closes. All methods
    raise `ConfigError` if a store has no changelog, or its system is not among them.
    """

    def __init__(self, systems: Mapping[str, Changelogs], clock: Clock = system_clock) -> None:
        self._systems: Final = dict(systems)
        self._clock: Final = clock
        self._in_memory: Final[dict[tuple[str, str], KeyValueStore]] = {}

    def open_store(self, task: StatefulTask, store_name: str) -> LoggedStore:
        """A store of the task, after it was restored, that writes its changes to its changelog."""
        partition = self._partitions(task, [store_name])[store_name]
        store = self._in_memory.get((task.task_name, store_name))
        if store is None:
            store = task.open_store(store_name)
        return LoggedStore(store, partition, self._systems[partition.system])

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> KafkaChangelogBackupManager:
        return KafkaChangelogBackupManager(task, self._partitions(task, store_names), self._systems)

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> KafkaChangelogRestoreManager:
        partitions = self._partitions(task, store_names)
        return KafkaChangelogRestoreManager(
            task, partitions, self._systems, self._clock, partial(self._open_to_restore, task)
        )

    def match_stores(
        self, task: StatefulTask, store_names: Collection[str], checkpoint: Checkpoint | None, cancelled: Event
    ) -> None:
        """See `AppendingBackend.match_stores`: reverts the changes that were not committed in the changelogs.

        Raises `InvalidMarker`, `StoreNotRestored`, and `RestoreCancelled`.
        """
        partitions = self._partitions(task, store_names)
        committed = committed_offsets(checkpoint, task.task_name, partitions)
        for name, partition in partitions.items():
            offset = self._known_offset(task, name, committed.get(name))
            store = task.open_store(name)
            try:
                is_aligned = _align_changelog(store, partition, self._systems[partition.system], offset, cancelled)
            except EventLogError as error:
                raise changelog_failed(task.task_name, name, partition, error) from error
            finally:
                if store.directory is not None:
                    store.close()
            if not is_aligned:
                raise RestoreCancelled(task.task_name, name)

    def _open_to_restore(self, task: StatefulTask, store_name: str) -> KeyValueStore:
        store = task.open_store(store_name)
        self._in_memory.pop((task.task_name, store_name), None)
        if store.directory is None:
            self._in_memory[task.task_name, store_name] = store
        return store

    def _known_offset(self, task: StatefulTask, store_name: str, committed: CommittedOffset | None) -> int | None:
        """The offset of a commit, unless the changelog may have lost a deletion after it, with the entry it deleted."""
        if committed is None or committed.checkpoint_id is None:
            return None
        age_ms = self._clock().timestamp() * 1000 - committed.checkpoint_id.millis
        return committed.offset if age_ms < delete_retention_ms(task.config, store_name) else None

    def _partitions(self, task: StatefulTask, store_names: Collection[str]) -> dict[str, SystemStreamPartition]:
        """The changelog partition of each store of a task, the same in all changelogs. Raises `ConfigError`."""
        if task.changelog_partition is None:
            raise ValueError(f"Task {task.task_name!r} has no changelog partition. Set changelog_partition.")
        named, found = {each.store: each for each in changelogs(task.config)}, {}
        for store in store_names:
            changelog = named.get(store)
            if changelog is None:
                raise without_changelog(task.task_name, store)
            start = f"The changelog of store {store!r} of task {task.task_name!r}"
            if changelog.system is None:
                raise ConfigError(f"{start} has no system. Set {CHANGELOG_SYSTEM}.")
            if changelog.system not in self._systems:
                known = " or ".join(map(repr, self._systems)) or "a system that was passed"
                raise ConfigError(f"{start} is in system {changelog.system!r}. Expected {known}.")
            found[store] = SystemStreamPartition(changelog.system, changelog.stream, task.changelog_partition)
        return found


def _align_changelog(
    store: KeyValueStore,
    partition: SystemStreamPartition,
    changelogs: Changelogs,
    committed: int | None,
    cancelled: Event,
) -> bool:
    """Make a changelog equal to a store that was restored from another backend, which has the state of ``committed``.

    Reverts the changes after that offset. Without it, or if the changelog does not have it, all changes are reverted
    and all entries are written. Returns False if it was cancelled.
    """
    changelogs.discard(partition)
    reach = changelogs.reach(partition)
    oldest, end = int(reach.oldest_offset or 0), int(reach.upcoming_offset or 0)
    is_known = committed is not None and oldest <= committed < end
    first = committed + 1 if is_known and committed is not None else oldest
    for changes in changelogs.read(partition, first, end):
        if cancelled.is_set():
            return False
        revert(store, partition, changelogs, changes)
    if not is_known:
        for key, value in store.range():
            changelogs.send(partition, key, value)
    changelogs.flush()
    return True
