"""KafkaChangelogStateBackendFactory: stores are backed up by their changelogs (Samza's default state backend)."""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import partial
from threading import Event
from typing import Final

from eventlog.changelog import Changelogs
from eventlog.checkpoint import Checkpoint
from eventlog.errors import ConfigError, EventLogError
from eventlog.partition import SystemStreamPartition
from managers.assignments.changelog_topics import delete_retention_ms
from managers.state.changelog_backup import KafkaChangelogBackupManager
from managers.state.changelog_markers import CommittedOffset, committed_offsets
from managers.state.changelog_restore import KafkaChangelogRestoreManager
from managers.state.changelog_settings import changelog_partitions
from managers.state.key_value_store import KeyValueStore
from managers.state.logged_store import LoggedStore
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import ChangelogUnusable, RestoreCancelled


def _now() -> datetime:
    return datetime.now(UTC)


def _require_not_cancelled(task_name: str, store_name: str, cancelled: Event) -> None:
    if cancelled.is_set():
        raise RestoreCancelled(task_name, store_name)


class KafkaChangelogStateBackendFactory:
    """See `StateBackendFactory`.

    ``systems`` has the changelogs of each system that the job's config names, which the caller closes. All methods
    raise `StoreWithoutBackend` if a store has no changelog, and `ConfigError` if its system is not among them.
    """

    def __init__(self, systems: Mapping[str, Changelogs], clock: Callable[[], datetime] = _now) -> None:
        self._systems: Final = dict(systems)
        self._clock: Final = clock
        self._in_memory: Final[dict[tuple[str, str], KeyValueStore]] = {}

    def open_store(self, task: StatefulTask, store_name: str) -> LoggedStore:
        """A store of the task that writes its changes to its changelog, after it was restored.

        A store in memory is the one that was restored.
        """
        partition = self._partitions(task, [store_name])[store_name]
        store = self._in_memory.get((task.task_name, store_name))
        if store is None:
            store = task.open_store(store_name)
        return LoggedStore(store, partition, self._systems[partition.system])

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> KafkaChangelogBackupManager:
        """See `StateBackendFactory.get_backup_manager`."""
        return KafkaChangelogBackupManager(task, self._partitions(task, store_names), self._systems)

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> KafkaChangelogRestoreManager:
        """See `StateBackendFactory.get_restore_manager`."""
        partitions = self._partitions(task, store_names)
        return KafkaChangelogRestoreManager(
            task, partitions, self._systems, self._clock, partial(self._open_to_restore, task)
        )

    def match_stores(
        self, task: StatefulTask, store_names: Collection[str], checkpoint: Checkpoint | None, cancelled: Event
    ) -> None:
        """See `AppendingBackend.match_stores`: reverts the changes that were not committed in the changelogs.

        Raises:
            InvalidMarker: the marker of a store cannot be read, or is that of another changelog.
            ChangelogUnusable: a changelog cannot be read or written.
            RestoreCancelled: ``cancelled`` was set.
        """
        partitions = self._partitions(task, store_names)
        committed = committed_offsets(checkpoint, task.task_name, partitions)
        for name, partition in partitions.items():
            offset = self._known_offset(task, name, committed.get(name))
            store = task.open_store(name)
            try:
                check = partial(_require_not_cancelled, task.task_name, name, cancelled)
                _align_changelog(store, partition, self._systems[partition.system], offset, check)
            except RestoreCancelled:
                raise
            except EventLogError as error:
                raise ChangelogUnusable(task.task_name, name, partition, error) from error
            finally:
                if store.directory is not None:
                    store.close()

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
        found = changelog_partitions(task.config, store_names, task.task_name, task.changelog_partition)
        for store, partition in found.items():
            if partition.system not in self._systems:
                raise ConfigError(
                    f"The changelog of store {store!r} of task {task.task_name!r} is in system {partition.system!r}. "
                    f"Expected {' or '.join(map(repr, self._systems)) or 'a system that was passed'}."
                )
        return found


def _align_changelog(
    store: KeyValueStore,
    partition: SystemStreamPartition,
    changelogs: Changelogs,
    committed: int | None,
    check: Callable[[], object],
) -> None:
    """Make a changelog equal to a store that was restored from another backend, which has the state of ``committed``.

    Reverts the changes after that offset, of which the store knows nothing.
    Without that offset, or if the changelog does not have it, all changes are reverted and all entries are written.
    ``check`` is called with each batch of changes, and also while none arrives. Raises what it and `Changelogs` raise.
    """
    changelogs.discard(partition)
    reach = changelogs.reach(partition)
    oldest, end = int(reach.oldest_offset or 0), int(reach.upcoming_offset or 0)
    is_known = committed is not None and oldest <= committed < end
    first = committed + 1 if is_known and committed is not None else oldest
    for changes in changelogs.read(partition, first, end):
        check()
        for key in {change.key: None for change in changes}:
            changelogs.send(partition, key, store.get(key))
    if not is_known:
        for key, value in store.range():
            changelogs.send(partition, key, value)
    changelogs.flush()
