"""KafkaChangelogRestoreManager: restores stores from their changelogs."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.config import boolean
from eventlog.log import AppendRefused
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable, StreamRefused
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.system_admin import Change, Changelogs, InputMissing
from managers.job_facts import TRANSACTIONAL_RESTORE, is_transactional, min_compaction_lag_ms
from managers.state.key_value_store import BulkLoading, KeyValueStore, StoreOpener
from managers.state.restore_plan import (
    RestorePlan,
    StoreToRestore,
    local_offset,
    plan_restore,
    plan_restore_to_end,
    usable_checkpoints,
)
from managers.state.state_backend import ReportProgress, RestoreProgress, StatefulTask, TaskRestoreManager
from managers.state.state_errors import RestoreCancelled, StoreNotRestored, StoreUnreadable
from managers.state.state_markers import CommittedOffset, committed_offsets
from managers.state.store_directories import (
    checkpoint_directories,
    copy_checkpoint,
    delete_directory,
    set_aside,
)

RETAIN_EXISTING_STATE: Final = "task.transactional.state.retain.existing.state"
_logger: Final = logging.getLogger(__name__)
_UNKNOWN: Final = CommittedOffset(None, None)


class _Reach(NamedTuple):
    oldest: int
    end: int

    @property
    def newest(self) -> int:
        return self.end - 1


class _Prepared(NamedTuple):
    on_disk: RestorePlan
    empty: RestorePlan
    end: int


class KafkaChangelogRestoreManager(TaskRestoreManager):
    """A `TaskRestoreManager` (TransactionalStateTaskRestoreManager and its non-transactional sibling of Samza).

    Transactional (the default): stores get the state of the checkpoint, and later changes are reverted in their
    changelogs. Otherwise they get the state of the end of their changelogs. Where the state of the checkpoint cannot be
    had, such as after compaction, a warning says why.
    """

    def __init__(
        self,
        task: StatefulTask,
        partitions: Mapping[str, SystemStreamPartition],
        systems: Mapping[str, Changelogs],
        clock: Callable[[], datetime],
        open_store: StoreOpener,
    ) -> None:
        """See `KafkaChangelogBackupManager`; ``clock`` returns the current time, with its zone."""
        self._task: Final = task
        self._partitions: Final = dict(partitions)
        self._systems: Final = systems
        self._clock: Final = clock
        self._open_store: Final = open_store
        self._is_transactional: Final = is_transactional(task.config)
        self._prepared: dict[str, _Prepared] = {}

    def init(self, checkpoint: Checkpoint | None) -> None:
        """Decide how to restore each store, and prepare the directories.

        Raises `InvalidMarker` and `StoreNotRestored`; nothing was changed then.
        """
        committed = committed_offsets(checkpoint, self._task.task_name, self._partitions)
        reaches = {store: self._reach(store, partition) for store, partition in self._partitions.items()}
        if self._is_transactional:
            self._require_committed_changes(committed, reaches)
        for store, reach in reaches.items():
            is_cleaned = boolean(self._task.config, f"stores.{store}.clean.on.container.start", default=False)
            if checkpoint is None or is_cleaned:
                self._delete_directories(store)
            local = self._local(store)
            plan = self._plan(store, reach, committed.get(store, _UNKNOWN), local)
            empty = self._plan(store, reach, committed.get(store, _UNKNOWN), {})
            if plan.doubt:
                _logger.warning("Store %r of task %r: %s.", store, self._task.task_name, plan.doubt)
            self._set_aside(store, reach, plan, local)
            self._prepare_directories(store, plan.directory)
            self._prepared[store] = _Prepared(plan, empty, reach.end)

    def restore(self, report: ReportProgress, cancelled: Event) -> None:
        """See `TaskRestoreManager.restore`. Raises `StoreNotRestored` and `RestoreCancelled`."""
        for name, prepared in self._prepared.items():
            store, plan = self._open(name, prepared)
            try:
                with self._naming(name):
                    reached = self._reporter(name, plan.first, prepared.end, report, cancelled)
                    partition = self._partitions[name]
                    _replay(store, partition, self._systems[partition.system], plan, prepared.end, reached)
            finally:
                if store.directory is not None:
                    store.close()

    def _open(self, name: str, prepared: _Prepared) -> tuple[KeyValueStore, RestorePlan]:
        """A store, and how to restore it: from the beginning if its directory is that of another kind of store."""
        try:
            store = self._open_store(name)
        except StoreUnreadable as error:
            _logger.warning("%s Restoring it from the beginning of its changelog.", error)
            self._delete_directories(name)
            return self._open_store(name), prepared.empty
        if store.directory is not None:
            return store, prepared.on_disk
        for key in [key for key, _ in store.range()]:  # of the run before, in the same process
            store.delete(key)
        return store, prepared.empty

    def _local(self, store: str) -> dict[Path, int]:
        directory, partition, now = self._task.store_directory(store), self._partitions[store], self._clock()
        if self._is_transactional:
            return usable_checkpoints(directory, store, partition, self._task.config, now)
        offset = local_offset(directory, store, partition, self._task.config, now)
        return {} if offset is None else {directory: offset}

    def _plan(self, store: str, reach: _Reach, committed: CommittedOffset, local: Mapping[Path, int]) -> RestorePlan:
        if not self._is_transactional:
            return plan_restore_to_end(reach.oldest, reach.newest, local)
        config, created = self._task.config, committed.checkpoint_id
        return plan_restore(
            StoreToRestore(
                reach.oldest,
                reach.newest,
                committed.offset,
                None if created is None else int(self._clock().timestamp() * 1000) - created.millis,
                min_compaction_lag_ms(config, store),
                boolean(config, RETAIN_EXISTING_STATE, default=True),
                local,
            )
        )

    def _require_committed_changes(
        self, committed: Mapping[str, CommittedOffset], reaches: Mapping[str, _Reach]
    ) -> None:
        """Raise StoreNotRestored if a changelog is empty but was not at the commit (Samza's validateRestoreOffsets)."""
        for store, (offset, _) in committed.items():
            reach = reaches[store]
            if offset is not None and reach.oldest == reach.end:
                problem = (
                    f"it was committed at offset {offset} of its changelog {self._partitions[store]}, which is empty "
                    f"and continues at offset {reach.end}. Restore the changelog, or set "
                    f"{TRANSACTIONAL_RESTORE}=false to restore what is left."
                )
                raise StoreNotRestored(self._task.task_name, store, KAFKA_STATE_BACKEND_FACTORY, problem)

    def _reach(self, store: str, partition: SystemStreamPartition) -> _Reach:
        """The offsets of a changelog, without changes that the task made before it failed, in the same process."""
        changelogs = self._systems[partition.system]
        with self._naming(store):
            changelogs.discard(partition)
            found = changelogs.reach(partition)
        return _Reach(int(found.oldest_offset or 0), int(found.upcoming_offset or 0))

    @contextmanager
    def _naming(self, store: str) -> Iterator[None]:
        try:
            yield
        except (AppendRefused, InputMissing, OffsetLost, SourceUnavailable, StreamRefused) as error:
            raise changelog_failed(self._task.task_name, store, self._partitions[store], error) from error

    def _delete_directories(self, store: str) -> None:
        directory = self._task.store_directory(store)
        for path in (directory, *(path for _, path in checkpoint_directories(directory))):
            delete_directory(path)

    def _set_aside(self, store: str, reach: _Reach, plan: RestorePlan, local: Mapping[Path, int]) -> None:
        """Keep local files at an offset that the changelog lost: it cannot restore them. Only the newest are kept."""
        lost = {path: at for path, at in local.items() if path != plan.directory and not reach.oldest <= at < reach.end}
        if not lost:
            return
        newest = max(lost, key=lambda path: lost[path])
        kept = set_aside(newest, self._task.store_directory(store))
        text = "Store %r of task %r: its changelog lost offset %d. The local files with that offset are kept in %s."
        _logger.warning(text, store, self._task.task_name, lost[newest], kept)

    def _prepare_directories(self, store: str, origin: Path | None) -> None:
        """Make the store's directory from ``origin``, and delete the others. The checkpoint directory remains."""
        directory = self._task.store_directory(store)
        if origin == directory:
            return
        delete_directory(directory)
        for _, path in [*checkpoint_directories(directory)] if self._is_transactional else []:
            if path != origin:
                delete_directory(path)
        if origin is not None:
            copy_checkpoint(origin, directory)

    def _reporter(
        self, store: str, first: int, end: int, report: ReportProgress, cancelled: Event
    ) -> Callable[[int], None]:
        told = None

        def reached(offset: int) -> None:
            nonlocal told
            if cancelled.is_set():
                raise RestoreCancelled(self._task.task_name, store)
            restored, total = max(offset - first, 0), max(end - first, 0)
            if restored != told:
                report(RestoreProgress(self._task.task_name, store, restored, total, "records"))
            told = restored

        return reached


def _replay(
    store: KeyValueStore,
    partition: SystemStreamPartition,
    changelogs: Changelogs,
    plan: RestorePlan,
    end: int,
    reached: Callable[[int], object],
) -> None:
    """Apply the changes that the plan names, and revert those after them, before ``end``, a batch at a time.

    ``reached`` is called with the next offset after each batch, and also while none arrives.
    """
    following, last = plan.first, -1 if plan.last is None else plan.last
    for changes in changelogs.read(partition, plan.first, end):
        _apply(store, {change.key: change.value for change in changes if change.offset <= last})
        revert(store, partition, changelogs, [change for change in changes if change.offset > last])
        following = changes[-1].offset + 1 if changes else following
        reached(following)
    store.flush()
    changelogs.flush()
    reached(end)


def _apply(store: KeyValueStore, latest: Mapping[bytes, bytes | None]) -> None:
    if isinstance(store, BulkLoading):
        store.load_changes(latest)
        return
    for key, value in latest.items():
        if value is None:
            store.delete(key)
        else:
            store.put(key, value)


def revert(
    store: KeyValueStore, partition: SystemStreamPartition, changelogs: Changelogs, changes: Iterable[Change]
) -> None:
    for key in {change.key: None for change in changes}:
        changelogs.send(partition, key, store.get(key))


def changelog_failed(
    task_name: str, store: str, partition: SystemStreamPartition, error: Exception
) -> StoreNotRestored:
    return StoreNotRestored(task_name, store, KAFKA_STATE_BACKEND_FACTORY, f"its changelog {partition} failed: {error}")
