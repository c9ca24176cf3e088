"""KafkaChangelogRestoreManager: restores stores from their changelogs."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.config import boolean
from eventlog.errors import WireError
from eventlog.log import AppendRefused
from eventlog.partition import SystemStreamPartition
from eventlog.source import OffsetLost, SourceUnavailable, StreamRefused
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.system_admin import Change, Changelogs, InputMissing
from managers.assignments.changelogs import delete_retention_ms, is_transactional, min_compaction_lag_ms
from managers.job_names import Config
from managers.state.key_value_store import BulkLoading, KeyValueStore, StoreOpener
from managers.state.state_backend import ReportProgress, RestoreProgress, StatefulTask
from managers.state.state_errors import ChangelogUnusable, RestoreCancelled, StoreUnreadable
from managers.state.state_markers import CommittedOffset, committed_offsets, marked_offset
from managers.state.store_directories import (
    checkpoint_directories,
    copy_checkpoint,
    delete_directory,
    is_stale,
    read_checkpoint_file,
    read_offset_files,
    set_aside,
)

RETAIN_EXISTING_STATE: Final = "task.transactional.state.retain.existing.state"


def retains_existing_state(config: Config) -> bool:
    """Whether a store without a commit keeps the changes in its changelog."""
    return boolean(config, RETAIN_EXISTING_STATE, default=True)


def is_cleaned_on_start(config: Config, store: str) -> bool:
    """Whether the local directories of a store are deleted before it is restored."""
    return boolean(config, f"stores.{store}.clean.on.container.start", default=False)


class ChangelogReplay:
    """Restores one store from its changelog. Only a batch of changes is in memory."""

    def __init__(self, store: KeyValueStore, partition: SystemStreamPartition, changelogs: Changelogs) -> None:
        self._store: Final = store
        self._partition: Final = partition
        self._changelogs: Final = changelogs

    def run(self, first: int, last: int | None, end: int, reached: Callable[[int], object]) -> None:
        """Apply the changes at ``first`` to ``last`` (None: none), and revert those after it, before ``end``.

        A change is reverted by writing the store's value of its key to the changelog. ``reached`` is called with the
        next offset after each batch, and also while none arrives. Raises what `Changelogs` raises.
        """
        following = first
        for changes in self._changelogs.read(self._partition, first, end):
            self._apply([change for change in changes if last is not None and change.offset <= last])
            self._revert([change for change in changes if last is None or change.offset > last])
            following = changes[-1].offset + 1 if changes else following
            reached(following)
        self._store.flush()
        self._changelogs.flush()
        reached(end)

    def _apply(self, changes: Sequence[Change]) -> None:
        latest = {change.key: change.value for change in changes}
        if isinstance(self._store, BulkLoading):
            self._store.load_changes(latest)
            return
        for key, value in latest.items():
            if value is None:
                self._store.delete(key)
            else:
                self._store.put(key, value)

    def _revert(self, changes: Sequence[Change]) -> None:
        for key in {change.key: None for change in changes}:
            self._changelogs.send(self._partition, key, self._store.get(key))


_SAFE_SHARE_OF_LAG: Final = 0.9


class StoreToRestore(NamedTuple):
    """A store with a changelog, before it is restored.

    ``newest`` is None if the changelog never had a change. ``checkpointed`` is the offset of its last commit, None if
    there is none; ``checkpoint_age_ms`` is None if that commit has no id. ``local`` has the offset of each checkpoint
    directory that can be used. ``retains_existing`` (task.transactional.state.retain.existing.state) decides about the
    changes of a store without a commit.
    """

    oldest: int
    newest: int | None
    checkpointed: int | None
    checkpoint_age_ms: int | None
    min_compaction_lag_ms: int
    retains_existing: bool
    local: Mapping[Path, int]


class RestorePlan(NamedTuple):
    """How a store is restored: apply the changes at ``first`` to ``last``, and revert those after it.

    ``directory`` is the checkpoint directory to begin with; None: begin with an empty store. ``last`` None: revert all.
    ``doubt`` says why the result may not be the state of the last commit; empty if it is.
    """

    directory: Path | None
    first: int
    last: int | None
    doubt: str = ""


def plan_restore(store: StoreToRestore) -> RestorePlan:
    """The plan for transactional state."""
    if store.checkpointed is None:
        return _without_commit(store)
    if store.newest is None or store.checkpointed > store.newest:
        end = "is empty" if store.newest is None else f"ends at offset {store.newest}"
        return _everything(store, f"it was committed at offset {store.checkpointed} of its changelog, which {end}")
    if store.checkpointed < store.oldest:
        doubt = f"it was committed at offset {store.checkpointed} of its changelog, which begins at {store.oldest}"
        return _everything(store, doubt)
    return _from_local(store, store.checkpointed if _is_recent(store) else store.newest, _doubt_of_compaction(store))


def _is_recent(store: StoreToRestore) -> bool:
    """Whether no change before the commit can be compacted because of one after it."""
    age_ms = store.checkpoint_age_ms
    return age_ms is not None and age_ms <= _SAFE_SHARE_OF_LAG * store.min_compaction_lag_ms


def _doubt_of_compaction(store: StoreToRestore) -> str:
    if _is_recent(store) or store.checkpointed == store.newest:
        return ""
    if store.checkpoint_age_ms is None:
        return "changes before its last commit may be compacted, because the time of that commit is unknown"
    return "changes before its last commit may be compacted, because it is older than min.compaction.lag.ms"


def _without_commit(store: StoreToRestore) -> RestorePlan:
    if store.newest is None or not store.retains_existing:
        return RestorePlan(None, store.oldest, None)
    return _everything(store, "it has no offset in the last commit")


def _everything(store: StoreToRestore, doubt: str) -> RestorePlan:
    return RestorePlan(None, store.oldest, store.newest, f"{doubt}, so it is restored to the end of the changelog")


def _from_local(store: StoreToRestore, last: int, doubt: str = "") -> RestorePlan:
    usable = {directory: offset for directory, offset in store.local.items() if store.oldest <= offset <= last}
    if doubt:
        doubt = f"{doubt}, so it is restored to the end of the changelog"
    if not usable:
        return RestorePlan(None, store.oldest, last, doubt)
    directory = max(usable, key=lambda each: usable[each])
    return RestorePlan(directory, usable[directory] + 1, last, doubt)


def plan_restore_to_end(oldest: int, newest: int | None, local: Mapping[Path, int]) -> RestorePlan:
    """The plan for state that is not transactional (NonTransactionalStateTaskRestoreManager).

    ``local`` has the store's own directory and its offset, if it can be used.
    """
    directory, offset = next(iter(local.items()), (None, 0))
    if directory is None:
        return RestorePlan(None, oldest, newest)
    if newest is not None and offset <= newest:
        return RestorePlan(directory, max(offset + 1, oldest), newest)
    end = "is empty" if newest is None else f"ends at offset {newest}"
    return RestorePlan(None, oldest, newest, f"its directory is at offset {offset} of its changelog, which {end}")


def usable_checkpoints(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> dict[Path, int]:
    """The offsets of the checkpoint directories that can be used."""
    paths = [path for _, path in sorted(checkpoint_directories(directory))]
    offsets = {path: local_offset(path, store, changelog, config, now) for path in paths}
    return {path: offset for path, offset in offsets.items() if offset is not None}


def local_offset(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> int | None:
    """The offset of a directory; None if it is not known, or the directory is so old that it may miss deletions.

    Directories of jobs that write only checkpoints of version 2 have no offset file, but the checkpoint.
    """
    if is_stale(directory, delete_retention_ms(config, store), now):
        return None
    offsets = read_offset_files(directory, [changelog])
    if offsets:
        offset = offsets.get(changelog, "") if len(offsets) == 1 else ""
        return int(offset) if offset.isascii() and offset.isdigit() else None
    return _of_checkpoint_file(directory, store, changelog)


def _of_checkpoint_file(directory: Path, store: str, changelog: SystemStreamPartition) -> int | None:
    checkpoint = read_checkpoint_file(directory)
    markers = {} if checkpoint is None else checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {})
    try:
        return marked_offset(markers[store], changelog) if store in markers else None
    except WireError:
        return None


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
