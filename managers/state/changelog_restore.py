"""KafkaChangelogRestoreManager: restores stores from their changelogs, and plans how."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from eventlog.checkpoint import Checkpoint
from eventlog.config import boolean
from eventlog.log import Clock
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.system_admin import Changelogs, is_kafka_offset
from managers.job_facts import TRANSACTIONAL_RESTORE, delete_retention_ms, is_transactional, min_compaction_lag_ms
from managers.state.key_value_store import KeyValueStore, StoreOpener
from managers.state.state_backend import ReportProgress, RestoreProgress, StatefulTask, TaskRestoreManager
from managers.state.state_errors import InvalidMarker, StoreNotRestored, StoreUnreadable
from managers.state.state_markers import committed_offset
from managers.state.store_directories import (
    checkpoint_directories,
    copy_checkpoint,
    delete_directory,
    is_stale,
    read_checkpoint_file,
    read_offset,
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
    if offset is not None and not oldest <= offset <= newest:
        reach = f"ends at {newest}" if offset > newest else f"begins at {oldest}"
        doubt = f"it was committed at offset {offset} of its changelog, which {reach}{_TO_END}"
        return RestorePlan(None, oldest, newest, doubt)
    if not store.is_transactional:
        return _from_local(store, newest)
    if offset is None:
        if newest < oldest or not store.retains_existing:
            return RestorePlan(None, oldest, None)
        return RestorePlan(None, oldest, newest, f"it has no offset in the last commit{_TO_END}")
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

    Transactional (the default): the store gets the state of the checkpoint, and later changes are reverted in its
    changelog. Otherwise it gets the state of the end of its changelog. Where the state of the checkpoint cannot be had,
    such as after compaction, a warning says why. Its methods raise what `Changelogs` raises, too.
    """

    def __init__(
        self,
        task: StatefulTask,
        store_name: str,
        changelog: SystemStreamPartition,
        changelogs: Changelogs,
        clock: Clock,
        open_store: StoreOpener,
    ) -> None:
        """``changelogs`` are those of the changelog's system; ``open_store`` opens the store to restore it."""
        self._config: Final = task.config
        self._task_name: Final = task.task_name
        self._name: Final = store_name
        self._directory: Final = task.store_directory(store_name)
        self._changelog: Final = changelog
        self._changelogs: Final = changelogs
        self._clock: Final = clock
        self._open_store: Final = open_store
        self._is_transactional: Final = is_transactional(task.config)

    def init(self, checkpoint: Checkpoint | None) -> None:
        """See `TaskRestoreManager.init`. Raises `InvalidMarker`."""
        self._has_checkpoint = checkpoint is not None
        self._committed = committed_offset(checkpoint, self._task_name, self._name, self._changelog)
        created = self._committed.checkpoint_id
        self._age_ms = None if created is None else int(self._clock().timestamp() * 1000) - created.millis

    def restore(self, report: ReportProgress) -> None:
        """See `TaskRestoreManager.restore`.

        Raises `StoreNotRestored` if the changelog lost all changes; the directories of the store are unchanged then.
        """
        oldest, end = self._reach()
        self._require_committed_changes(oldest, end)
        is_cleaned = boolean(self._config, f"stores.{self._name}.clean.on.container.start", default=False)
        if is_cleaned or not self._has_checkpoint:
            self._prepare_directories(None)
        found = self._find(oldest, end)
        plan = plan_restore(found)
        if plan.doubt:
            _logger.warning("Store %r of task %r: %s.", self._name, self._task_name, plan.doubt)
        self._prepare_directories(plan.directory)
        store, plan = self._open(found, plan)
        try:
            self._replay(store, plan, end, report)
        finally:
            if store.directory is not None:
                store.close()

    def match(self) -> None:
        """See `TaskRestoreManager.match`: reverts the changes after the checkpoint in the changelog.

        If the changelog does not have the offset of the checkpoint, or may have lost a deletion after it together with
        the entry it deleted, all its changes are reverted and all entries are written.
        """
        oldest, end = self._reach()
        offset = self._committed.offset
        is_whole = self._age_ms is not None and self._age_ms < delete_retention_ms(self._config, self._name)
        is_known = is_whole and offset is not None and oldest <= offset < end
        first = offset + 1 if is_known and offset is not None else oldest
        store = self._open_store(self._name)
        try:
            self._replay(store, RestorePlan(None, first, None), end, lambda _: None)
            for key, value in () if is_known else store.range():
                self._changelogs.send(self._changelog, key, value)
            self._changelogs.flush()
        finally:
            if store.directory is not None:
                store.close()

    def _reach(self) -> tuple[int, int]:
        """The first offset and the end of the changelog, without changes that a failed task of this process kept."""
        self._changelogs.discard(self._changelog)
        found = self._changelogs.reach(self._changelog)
        return int(found.oldest_offset or 0), int(found.upcoming_offset or 0)

    def _require_committed_changes(self, oldest: int, end: int) -> None:
        """Refuse a changelog that is empty but was not at the commit (Samza's validateRestoreOffsets)."""
        if self._is_transactional and self._committed.offset is not None and oldest == end:
            problem = (
                f"it was committed at offset {self._committed.offset} of its changelog {self._changelog}, which is "
                f"empty and continues at offset {end}. Restore the changelog, or set {TRANSACTIONAL_RESTORE}=false to "
                "restore what is left."
            )
            raise StoreNotRestored(self._task_name, self._name, KAFKA_STATE_BACKEND_FACTORY, problem)

    def _find(self, oldest: int, end: int) -> StoreToRestore:
        paths = self._checkpoints() if self._is_transactional else [self._directory]
        offsets = {path: self._local_offset(path) for path in paths}
        return StoreToRestore(
            oldest,
            end - 1,
            self._committed.offset,
            self._age_ms,
            min_compaction_lag_ms(self._config, self._name) if self._is_transactional else 0,
            boolean(self._config, RETAIN_EXISTING_STATE, default=True),
            {path: offset for path, offset in offsets.items() if offset is not None},
            self._is_transactional,
        )

    def _local_offset(self, directory: Path) -> int | None:
        """The offset of a directory; None if it is not known, or so old that the directory may miss deletions.

        Directories of jobs that write only checkpoints of version 2 have no offset file, but the checkpoint.
        """
        if is_stale(directory, delete_retention_ms(self._config, self._name), self._clock()):
            return None
        offset = read_offset(directory, self._changelog)
        if offset is not None:
            return int(offset) if is_kafka_offset(offset) else None
        try:
            checkpoint = read_checkpoint_file(directory)
            return committed_offset(checkpoint, self._task_name, self._name, self._changelog).offset
        except InvalidMarker:
            return None

    def _checkpoints(self) -> list[Path]:
        return [path for _, path in sorted(checkpoint_directories(self._directory))]

    def _prepare_directories(self, origin: Path | None) -> None:
        """Make the store's directory from ``origin``, which remains, and delete the others."""
        for path in (self._directory, *self._checkpoints()):
            if path != origin:
                delete_directory(path)
        if origin is not None and origin != self._directory:
            copy_checkpoint(origin, self._directory)

    def _open(self, found: StoreToRestore, plan: RestorePlan) -> tuple[KeyValueStore, RestorePlan]:
        """The store, and how to restore it: from the beginning if a file in its directory is damaged."""
        from_beginning = plan_restore(found._replace(local={}))
        try:
            store = self._open_store(self._name)
        except StoreUnreadable as error:
            _logger.warning("%s Restoring it from the beginning of its changelog.", error)
            self._prepare_directories(None)
            return self._open_store(self._name), from_beginning
        if store.directory is not None:
            return store, plan
        for key in [key for key, _ in store.range()]:  # of the run before, in the same process
            store.delete(key)
        return store, from_beginning

    def _replay(self, store: KeyValueStore, plan: RestorePlan, end: int, report: ReportProgress) -> None:
        """Apply the changes that the plan names, and revert those after them, before ``end``, a batch at a time."""
        last, total = -1 if plan.last is None else plan.last, max(end - plan.first, 0)
        for changes in filter(None, self._changelogs.read(self._changelog, plan.first, end)):
            _apply(store, {change.key: change.value for change in changes if change.offset <= last})
            for key in {change.key: None for change in changes if change.offset > last}:
                self._changelogs.send(self._changelog, key, store.get(key))
            restored = changes[-1].offset + 1 - plan.first
            report(RestoreProgress(self._task_name, self._name, restored, total, "records"))
        store.flush()
        self._changelogs.flush()
        report(RestoreProgress(self._task_name, self._name, total, total, "records"))


def _apply(store: KeyValueStore, latest: Mapping[bytes, bytes | None]) -> None:
    for key, value in latest.items():
        if value is None:
            store.delete(key)
        else:
            store.put(key, value)
