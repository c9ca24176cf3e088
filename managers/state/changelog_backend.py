"""KafkaChangelogStateBackendFactory: stores are backed up by their changelogs (Samza's default state backend)."""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from eventlog.checkpoint import CheckpointId
from eventlog.config import boolean
from eventlog.errors import ConfigError
from eventlog.log import Clock, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KafkaStateCheckpointMarker
from eventlog.system_admin import Changelogs
from managers.job_facts import CHANGELOG_SYSTEM, TRANSACTIONAL_CHECKPOINT, changelogs
from managers.state.changelog_restore import KafkaChangelogRestoreManager
from managers.state.key_value_store import KeyValueStore, LoggedStore
from managers.state.state_backend import Markers, StatefulTask, TaskBackupManager
from managers.state.state_errors import StoreNotBackedUp, backing_up
from managers.state.store_directories import checkpoint_directory, write_offset


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
        markers = {}
        for store, partition in self._partitions.items():
            with backing_up(self._task.task_name, store):
                offset = self._newest_offset(store, partition)
            markers[store] = KafkaStateCheckpointMarker(partition, offset).serialise()
        return markers

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """Write offset files for stores on disk. Raises `StoreNotBackedUp`; restores do not need them.

        Unless ``task.transactional.state.checkpoint.enabled`` is true, the default, a checkpoint directory gets none.
        """
        is_transactional = boolean(self._task.config, TRANSACTIONAL_CHECKPOINT, default=True)
        for store, text in markers.items():
            directory = self._task.store_directory(store)
            checkpoint = checkpoint_directory(directory, checkpoint_id)
            if not checkpoint.is_dir():  # a store in memory has none, and what it left on disk keeps its own offset
                continue
            marker = KafkaStateCheckpointMarker.parse(text)
            with backing_up(self._task.task_name, store):
                for path in (directory, checkpoint) if is_transactional else (directory,):
                    write_offset(path, marker.changelog, marker.offset)

    def _newest_offset(self, store: str, partition: SystemStreamPartition) -> str | None:
        """The newest offset of a changelog. One that was deleted and created again has only the latest changes."""
        changelogs = self._systems[partition.system]
        changelogs.flush()
        newest = changelogs.reach(partition).newest_offset
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
        return newest


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
        changelog = self._changelog(task, store_name)
        store = self._in_memory.get((task.task_name, store_name))
        if store is None:
            store = task.open_store(store_name)
        return LoggedStore(store, changelog, self._systems[changelog.system])

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> KafkaChangelogBackupManager:
        partitions = {name: self._changelog(task, name) for name in store_names}
        return KafkaChangelogBackupManager(task, partitions, self._systems)

    def get_restore_manager(self, task: StatefulTask, store_name: str) -> KafkaChangelogRestoreManager:
        changelog, open_store = self._changelog(task, store_name), partial(self._open_to_restore, task)
        system = self._systems[changelog.system]
        return KafkaChangelogRestoreManager(task, store_name, changelog, system, self._clock, open_store)

    def _open_to_restore(self, task: StatefulTask, store_name: str) -> KeyValueStore:
        store = task.open_store(store_name)
        self._in_memory.pop((task.task_name, store_name), None)
        if store.directory is None:
            self._in_memory[task.task_name, store_name] = store
        return store

    def _changelog(self, task: StatefulTask, store: str) -> SystemStreamPartition:
        """The changelog partition of a store: that of the task, the same for all its stores. Raises `ConfigError`."""
        if task.changelog_partition is None:
            raise ConfigError(f"Task {task.task_name!r} has no changelog partition. Set changelog_partition.")
        found = next((each for each in changelogs(task.config) if each.store == store), None)
        if found is None:
            raise ConfigError(
                f"Store {store!r} of task {task.task_name!r} has the Kafka changelog as its state backend, but no "
                f"changelog. Set stores.{store}.changelog, or another factory."
            )
        start = f"The changelog of store {store!r} of task {task.task_name!r}"
        if found.system is None:
            raise ConfigError(f"{start} has no system. Set {CHANGELOG_SYSTEM}.")
        if found.system not in self._systems:
            known = " or ".join(map(repr, self._systems)) or "a system that was passed"
            raise ConfigError(f"{start} is in system {found.system!r}. Expected {known}.")
        return SystemStreamPartition(found.system, found.stream, task.changelog_partition)
