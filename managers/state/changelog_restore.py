"""KafkaChangelogRestoreManager: restores stores from their changelogs, and plans how."""

import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.config import boolean
from eventlog.errors import WireError
from eventlog.log import Clock
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.system_admin import Changelogs
from managers.job_facts import TRANSACTIONAL_RESTORE, delete_retention_ms, is_transactional, min_compaction_lag_ms
from managers.job_names import Config
from managers.state.key_value_store import BulkLoading, KeyValueStore, StoreOpener
from managers.state.state_backend import ReportProgress, RestoreProgress, StatefulTask, TaskRestoreManager
from managers.state.state_errors import StoreNotRestored, StoreUnreadable
from managers.state.state_markers import committed_offsets, marked_offset
from managers.state.store_directories import (
    checkpoint_directories,
    copy_checkpoint,
    delete_directory,
    is_stale,
    read_checkpoint_file,
    read_offset,
    set_aside,
)

RETAIN_EXISTING_STATE: Final = "task.transactional.state.retain.existing.state"
_logger: Final = logging.getLogger(__name__)
_SAFE_SHARE_OF_LAG: Final = 0.9
_TO_END: Final = ", so it is restored to the end of the changelog"


class StoreToRestore(NamedTuple):
    """A store with a changelog, before it is restored.

    ``newest`` is the offset before the end of the changelog, ``checkpointed`` that of its last commit (None if there is
    none). ``checkpoint_age_ms`` None: that commit has no id. ``local`` has the offset of each directory that can be
    used. ``retains_existing`` decides about the changes of a store without a commit. If the store ``is_transactional``,
    it gets the state of its last commit, else that of the end of the changelog.
    """

    oldest: int
    newest: int
    checkpointed: int | None
    checkpoint_age_ms: int | None
    min_compaction_lag_ms: int
    retains_existing: bool
    local: Mapping[Path, int]
    is_transactional: bool = True


class RestorePlan(NamedTuple):
    """How a store is restored: apply the changes at ``first`` to ``last``, and revert those after it.

    ``directory`` is the local directory to begin with; None: begin with an empty store. ``last`` None: revert all.
    ``doubt`` says why the result may not be the state of the last commit; empty if it is.
    """

    directory: Path | None
    first: int
    last: int | None
    doubt: str = ""


def plan_restore(store: StoreToRestore) -> RestorePlan:
    oldest, newest, offset, age_ms = store.oldest, store.newest, store.checkpointed, store.checkpoint_age_ms
    if not store.is_transactional:
        return _from_local(store, newest)
    if offset is None:
        if newest < oldest or not store.retains_existing:
            return RestorePlan(None, oldest, None)
        return RestorePlan(None, oldest, newest, f"it has no offset in the last commit{_TO_END}")
    if not oldest <= offset <= newest:
        reach = f"ends at {newest}" if offset > newest else f"begins at {oldest}"
        doubt = f"it was committed at offset {offset} of its changelog, which {reach}{_TO_END}"
        return RestorePlan(None, oldest, newest, doubt)
    is_recent = age_ms is not None and age_ms <= _SAFE_SHARE_OF_LAG * store.min_compaction_lag_ms
    if is_recent or offset == newest:  # no change before the commit can be compacted because of one after it
        return _from_local(store, offset)
    why = "the time of that commit is unknown" if age_ms is None else "it is older than min.compaction.lag.ms"
    return _from_local(store, newest, f"changes before its last commit may be compacted, because {why}{_TO_END}")


def _from_local(store: StoreToRestore, last: int, doubt: str = "") -> RestorePlan:
    usable = {directory: offset for directory, offset in store.local.items() if store.oldest <= offset <= last}
    directory = max(usable, key=lambda each: usable[each], default=None)
    return RestorePlan(directory, store.oldest if directory is None else usable[directory] + 1, last, doubt)


class KafkaChangelogRestoreManager(TaskRestoreManager):
    """A `TaskRestoreManager` (TransactionalStateTaskRestoreManager and its non-transactional sibling of Samza).

    Transactional (the default): stores get the state of the checkpoint, and later changes are reverted in their
    changelogs. Otherwise they get the state of the end of their changelogs. Where the state of the checkpoint cannot be
    had, such as after compaction, a warning says why. Its methods raise what `Changelogs` raises, too.
    """

    def __init__(
        self,
        task: StatefulTask,
        partitions: Mapping[str, SystemStreamPartition],
        systems: Mapping[str, Changelogs],
        clock: Clock,
        open_store: StoreOpener,
    ) -> None:
        """See `KafkaChangelogBackupManager`; ``open_store`` opens a store to restore it."""
        self._task: Final = task
        self._partitions: Final = dict(partitions)
        self._systems: Final = systems
        self._clock: Final = clock
        self._open_store: Final = open_store
        self._is_transactional: Final = is_transactional(task.config)

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskRestoreManager.init`. Raises `InvalidMarker`."""
        self._has_checkpoint = checkpoint is not None
        self._committed = committed_offsets(checkpoint, self._task.task_name, self._partitions)

    def restore(self, report: ReportProgress) -> None:
        """See `TaskRestoreManager.restore`.

        Raises `StoreNotRestored` if a changelog lost all changes; the directories of the store are unchanged then.
        """
        for name in self._partitions:
            oldest, end = self._reach(name)
            self._require_committed_changes(name, oldest, end)
            is_cleaned = boolean(self._task.config, f"stores.{name}.clean.on.container.start", default=False)
            if is_cleaned or not self._has_checkpoint:
                self._prepare_directories(name, None)
            found = self._find(name, oldest, end)
            plan = plan_restore(found)
            if plan.doubt:
                _logger.warning("Store %r of task %r: %s.", name, self._task.task_name, plan.doubt)
            self._set_aside(name, found)
            self._prepare_directories(name, plan.directory)
            store, plan = self._open(name, found, plan)
            try:
                self._replay(name, store, plan, end, report)
            finally:
                if store.directory is not None:
                    store.close()

    def match(self) -> None:
        """See `TaskRestoreManager.match`: reverts the changes after the checkpoint in the changelogs.

        If a changelog does not have the offset of the checkpoint, or may have lost a deletion after it together with
        the entry it deleted, all its changes are reverted and all entries are written.
        """
        for name, partition in self._partitions.items():
            oldest, end = self._reach(name)
            offset, age_ms = self._committed[name].offset, self._age_ms(name)
            is_whole = age_ms is not None and age_ms < delete_retention_ms(self._task.config, name)
            is_known = is_whole and offset is not None and oldest <= offset < end
            first = offset + 1 if is_known and offset is not None else oldest
            store = self._task.open_store(name)
            try:
                self._replay(name, store, RestorePlan(None, first, None), end, lambda _: None)
                changelogs = self._systems[partition.system]
                for key, value in () if is_known else store.range():
                    changelogs.send(partition, key, value)
                changelogs.flush()
            finally:
                if store.directory is not None:
                    store.close()

    def _reach(self, name: str) -> tuple[int, int]:
        """The first offset and the end of a changelog, without changes that a failed task of this process kept."""
        partition = self._partitions[name]
        changelogs = self._systems[partition.system]
        changelogs.discard(partition)
        found = changelogs.reach(partition)
        return int(found.oldest_offset or 0), int(found.upcoming_offset or 0)

    def _age_ms(self, name: str) -> int | None:
        created = self._committed[name].checkpoint_id
        return None if created is None else int(self._clock().timestamp() * 1000) - created.millis

    def _require_committed_changes(self, name: str, oldest: int, end: int) -> None:
        """Raise StoreNotRestored if a changelog is empty but was not at the commit (Samza's validateRestoreOffsets)."""
        offset = self._committed[name].offset
        if self._is_transactional and offset is not None and oldest == end:
            problem = (
                f"it was committed at offset {offset} of its changelog {self._partitions[name]}, which is empty "
                f"and continues at offset {end}. Restore the changelog, or set {TRANSACTIONAL_RESTORE}=false to "
                "restore what is left."
            )
            raise StoreNotRestored(self._task.task_name, name, KAFKA_STATE_BACKEND_FACTORY, problem)

    def _find(self, name: str, oldest: int, end: int) -> StoreToRestore:
        config, directory, now = self._task.config, self._task.store_directory(name), self._clock()
        paths = self._checkpoints(name) if self._is_transactional else [directory]
        offsets = {path: _local_offset(path, name, self._partitions[name], config, now) for path in paths}
        return StoreToRestore(
            oldest,
            end - 1,
            self._committed[name].offset,
            self._age_ms(name),
            min_compaction_lag_ms(config, name) if self._is_transactional else 0,
            boolean(config, RETAIN_EXISTING_STATE, default=True),
            {path: offset for path, offset in offsets.items() if offset is not None},
            self._is_transactional,
        )

    def _checkpoints(self, name: str) -> list[Path]:
        return [path for _, path in sorted(checkpoint_directories(self._task.store_directory(name)))]

    def _set_aside(self, name: str, found: StoreToRestore) -> None:
        """Keep local files at an offset that the changelog lost: it cannot restore them. Only the newest are kept."""
        lost = {path: offset for path, offset in found.local.items() if not found.oldest <= offset <= found.newest}
        if not lost:
            return
        newest = max(lost, key=lambda path: lost[path])
        kept = set_aside(newest, self._task.store_directory(name))
        text = "Store %r of task %r: its changelog lost offset %d. The local files with that offset are kept in %s."
        _logger.warning(text, name, self._task.task_name, lost[newest], kept)

    def _prepare_directories(self, name: str, origin: Path | None) -> None:
        """Make the store's directory from ``origin``, which remains, and delete the others."""
        directory = self._task.store_directory(name)
        for path in (directory, *self._checkpoints(name)):
            if path != origin:
                delete_directory(path)
        if origin not in (None, directory):
            copy_checkpoint(origin, directory)

    def _open(self, name: str, found: StoreToRestore, plan: RestorePlan) -> tuple[KeyValueStore, RestorePlan]:
        """A store, and how to restore it: from the beginning if its directory is that of another kind of store."""
        from_beginning = plan_restore(found._replace(local={}))
        try:
            store = self._open_store(name)
        except StoreUnreadable as error:
            _logger.warning("%s Restoring it from the beginning of its changelog.", error)
            self._prepare_directories(name, None)
            return self._open_store(name), from_beginning
        if store.directory is not None:
            return store, plan
        for key in [key for key, _ in store.range()]:  # of the run before, in the same process
            store.delete(key)
        return store, from_beginning

    def _replay(self, name: str, store: KeyValueStore, plan: RestorePlan, end: int, report: ReportProgress) -> None:
        """Apply the changes that the plan names, and revert those after them, before ``end``, a batch at a time."""
        partition = self._partitions[name]
        changelogs = self._systems[partition.system]
        last, total = -1 if plan.last is None else plan.last, max(end - plan.first, 0)
        for changes in filter(None, changelogs.read(partition, plan.first, end)):
            _apply(store, {change.key: change.value for change in changes if change.offset <= last})
            for key in {change.key: None for change in changes if change.offset > last}:
                changelogs.send(partition, key, store.get(key))
            restored = changes[-1].offset + 1 - plan.first
            report(RestoreProgress(self._task.task_name, name, restored, total, "records"))
        store.flush()
        changelogs.flush()
        report(RestoreProgress(self._task.task_name, name, total, total, "records"))


def _apply(store: KeyValueStore, latest: Mapping[bytes, bytes | None]) -> None:
    if isinstance(store, BulkLoading):
        store.load_changes(latest)
        return
    for key, value in latest.items():
        if value is None:
            store.delete(key)
        else:
            store.put(key, value)


def _local_offset(
    directory: Path, store: str, changelog: SystemStreamPartition, config: Config, now: datetime
) -> int | None:
    """The offset of a directory; None if it is not known, or so old that the directory may miss deletions.

    Directories of jobs that write only checkpoints of version 2 have no offset file, but the checkpoint.
    """
    if is_stale(directory, delete_retention_ms(config, store), now):
        return None
    offset = read_offset(directory, changelog)
    if offset is not None:
        return int(offset) if offset.isascii() and offset.isdigit() else None
    checkpoint = read_checkpoint_file(directory)
    markers = {} if checkpoint is None else checkpoint.state_markers.get(KAFKA_STATE_BACKEND_FACTORY, {})
    try:
        return marked_offset(markers[store], changelog) if store in markers else None
    except WireError:
        return None
