"""The restore manager of changelogs: the state of the last commit, or that of the end of the changelog."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

from eventlog.changelog import Changelogs
from eventlog.checkpoint import Checkpoint
from eventlog.log import AppendRefused
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable, StreamRefused
from eventlog.system_admin import InputMissing
from managers.assignments.changelog_topics import is_transactional, min_compaction_lag_ms
from managers.state.changelog_markers import CommittedOffset, committed_offsets
from managers.state.changelog_replay import ChangelogReplay
from managers.state.changelog_settings import is_cleaned_on_start, retains_existing_state
from managers.state.key_value_store import KeyValueStore, StoreOpener
from managers.state.local_stores import local_offset, usable_checkpoints
from managers.state.restore_plan import RestorePlan, StoreToRestore, plan_restore, plan_restore_to_end
from managers.state.state_backend import ReportProgress, RestoreProgress, StatefulTask
from managers.state.state_errors import ChangelogUnusable, RestoreCancelled, StoreUnreadable
from managers.state.store_directories import checkpoint_directories, copy_checkpoint, delete_directory, set_aside

_logger: Final = logging.getLogger(__name__)
_UNKNOWN: Final = CommittedOffset(None, None)


class _Reach(NamedTuple):
    oldest: int
    newest: int | None
    end: int


class _Prepared(NamedTuple):
    on_disk: RestorePlan
    empty: RestorePlan
    end: int


class KafkaChangelogRestoreManager:
    """See `TaskRestoreManager` (TransactionalStateTaskRestoreManager and its non-transactional sibling of Samza).

    Transactional (the default): stores get the state of the checkpoint, and later changes are reverted in their
    changelogs. Otherwise they get the state of the end of their changelogs. Where the state of the checkpoint cannot
    be had, such as after compaction, a warning says why.
    """

    def __init__(
        self,
        task: StatefulTask,
        partitions: Mapping[str, SystemStreamPartition],
        systems: Mapping[str, Changelogs],
        clock: Callable[[], datetime],
        open_store: StoreOpener,
    ) -> None:
        """See `KafkaChangelogBackupManager`; ``clock`` returns the current time, with its zone.

        ``open_store`` opens the stores to restore.
        """
        self._task: Final = task
        self._partitions: Final = dict(partitions)
        self._systems: Final = systems
        self._clock: Final = clock
        self._open_store: Final = open_store
        self._is_transactional: Final = is_transactional(task.config)
        self._prepared: dict[str, _Prepared] = {}

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskRestoreManager.init`: decides how to restore each store, and prepares the directories.

        Raises:
            InvalidMarker: the marker of a store cannot be read, or is that of another changelog. Nothing was changed.
            ChangelogUnusable: a changelog is missing, or its system does not answer. Nothing was changed.
        """
        committed = committed_offsets(checkpoint, self._task.task_name, self._partitions)
        reaches = {store: self._reach(store, partition) for store, partition in self._partitions.items()}
        for store, reach in reaches.items():
            if checkpoint is None or is_cleaned_on_start(self._task.config, store):
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
        """See `TaskRestoreManager.restore`.

        Raises:
            ChangelogUnusable: a changelog cannot be read or, to revert changes, written.
            RestoreCancelled: ``cancelled`` was set.
        """
        for name, prepared in self._prepared.items():
            store, plan = self._open(name, prepared)
            try:
                with self._naming(name):
                    reached = self._reporter(name, plan.first, prepared.end, report, cancelled)
                    self._replay(name, store).run(plan.first, plan.last, prepared.end, reached)
            finally:
                if store.directory is not None:
                    store.close()

    def close(self) -> None:
        """See `TaskRestoreManager.close`."""

    def _open(self, name: str, prepared: _Prepared) -> tuple[KeyValueStore, RestorePlan]:
        """A store, and how to restore it: from the begin if its directory is that of another kind of store."""
        try:
            store = self._open_store(name)
        except StoreUnreadable as error:
            _logger.warning("%s Restoring it from the begin of its changelog.", error)
            self._delete_directories(name)
            return self._open_store(name), prepared.empty
        if store.directory is not None:
            return store, prepared.on_disk
        for key in [key for key, _ in store.range()]:  # of the run before, in the same process
            store.delete(key)
        return store, prepared.empty

    def _local(self, store: str) -> dict[Path, int]:
        """The directories to begin with that can be used, and their offsets."""
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
                retains_existing_state(config),
                local,
            )
        )

    def _reach(self, store: str, partition: SystemStreamPartition) -> _Reach:
        """The offsets of a changelog, without changes that the task made before it failed, in the same process."""
        changelogs = self._systems[partition.system]
        with self._naming(store):
            changelogs.discard(partition)
            found = changelogs.reach(partition)
        newest = None if found.newest_offset is None else int(found.newest_offset)
        return _Reach(int(found.oldest_offset or 0), newest, int(found.upcoming_offset or 0))

    @contextmanager
    def _naming(self, store: str) -> Iterator[None]:
        """Raise errors of a changelog with the store."""
        try:
            yield
        except (AppendRefused, InputMissing, OffsetLost, SourceUnavailable, StreamRefused) as error:
            raise ChangelogUnusable(self._task.task_name, store, self._partitions[store], error) from error

    def _replay(self, name: str, store: KeyValueStore) -> ChangelogReplay:
        partition = self._partitions[name]
        return ChangelogReplay(store, partition, self._systems[partition.system])

    def _delete_directories(self, store: str) -> None:
        directory = self._task.store_directory(store)
        for path in (directory, *(path for _, path in checkpoint_directories(directory))):
            delete_directory(path)

    def _set_aside(self, store: str, reach: _Reach, plan: RestorePlan, local: Mapping[Path, int]) -> None:
        """Keep local files at an offset that the changelog lost: it cannot restore them. Only the newest are kept."""
        end = -1 if reach.newest is None else reach.newest
        lost = {path: at for path, at in local.items() if path != plan.directory and not reach.oldest <= at <= end}
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
