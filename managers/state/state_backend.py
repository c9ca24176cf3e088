"""The interfaces of a state backend, which keeps the state of stores outside of the task's host."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from eventlog.checkpoint import Checkpoint, CheckpointId
from eventlog.frozen_dict import frozen
from managers.state.backend_choice import has_side_inputs, is_durable
from managers.state.key_value_store import StoreOpener
from managers.state.store_directories import store_directory

LOGGED_BASE_DIRECTORY: Final = "job.logged.store.base.dir"
NON_LOGGED_BASE_DIRECTORY: Final = "job.non-logged.store.base.dir"
Markers = Mapping[str, str]
"""State checkpoint markers of one backend by store name."""


@dataclass(frozen=True)
class StatefulTask:
    """A task whose stores are backed up or restored.

    ``base_directory`` contains the directories of its stores, unless config has ``job.logged.store.base.dir`` for those
    with a backup or side inputs, and ``job.non-logged.store.base.dir`` for the others.
    ``changelog_partition`` is that of the task in the changelogs of all its stores.
    """

    task_name: str
    config: Mapping[str, str]
    base_directory: Path
    open_store: StoreOpener
    changelog_partition: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", frozen(self.config))

    def store_directory(self, store_name: str) -> Path:
        """The directory of a store on disk (`store_directory`)."""
        is_logged = is_durable(self.config, store_name) or has_side_inputs(self.config, store_name)
        configured = self.config.get(LOGGED_BASE_DIRECTORY if is_logged else NON_LOGGED_BASE_DIRECTORY, "").strip()
        return store_directory(Path(configured) if configured else self.base_directory, store_name, self.task_name)


class TaskBackupManager(Protocol):
    """Backs up some stores of a task with one backend (Samza's interface).

    The commit manager calls ``init`` once, then for each commit ``snapshot``, ``upload``, ``persist_to_filesystem``
    and ``clean_up``, in this order, and ``close`` at the end. A step that raises ends the commit; the next commit
    begins with ``snapshot`` again. Only one commit is in progress at a time, except that a cancelled ``upload`` may
    still be returning.
    """

    def init(self, checkpoint: Checkpoint | None) -> None:
        """Start after this checkpoint of the task, None if it has none. It may have markers of other stores."""

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers | None:
        """Capture the state to upload, and return markers for `upload`. Blocks the task; the stores are flushed."""

    def upload(self, checkpoint_id: CheckpointId, markers: Markers, cancelled: Event) -> Markers | None:
        """Back up the snapshot in another thread than the task's, and return the markers for the checkpoint, if any.

        ``cancelled`` is set when the commit was given up: return or raise soon, since the result is ignored.
        """

    def persist_to_filesystem(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """Write the backend's own files into store and checkpoint directories. The checkpoint is on the log."""

    def clean_up(self, checkpoint_id: CheckpointId, markers: Markers) -> None:
        """Delete from the backend what no checkpoint needs after this one. May be called again for the same commit."""

    def close(self) -> None:
        """Close connections. May be called without `init`."""


class RestoreProgress(NamedTuple):
    """How much of a store is restored; ``total`` None: unknown."""

    task_name: str
    store_name: str
    restored: int
    total: int | None
    unit: Literal["bytes", "records"]


ReportProgress = Callable[[RestoreProgress], None]


class TaskRestoreManager(Protocol):
    """Restores some stores of a task with one backend (Samza's interface), before the task opens them."""

    def init(self, checkpoint: Checkpoint | None) -> None:
        """Prepare to restore as of this checkpoint of the task, None if it has none."""

    def restore(self, report: ReportProgress, cancelled: Event) -> None:
        """Restore the stores, completely or not at all each. Ends soon after ``cancelled`` is set."""

    def close(self) -> None:
        """Close the stores that were opened, and connections. May be called without `init`."""


class StateBackendFactory(Protocol):
    """Creates the managers of one state backend (Samza's interface)."""

    def get_backup_manager(self, task: StatefulTask, store_names: Collection[str]) -> TaskBackupManager:
        """The manager that backs up these stores of a task."""

    def get_restore_manager(self, task: StatefulTask, store_names: Collection[str]) -> TaskRestoreManager:
        """The manager that restores these stores of a task."""


@runtime_checkable
class AppendingBackend(Protocol):
    """A backend whose next marker also covers what was written since the last commit, such as a changelog."""

    def match_stores(
        self, task: StatefulTask, store_names: Collection[str], checkpoint: Checkpoint | None, cancelled: Event
    ) -> None:
        """Make the backend equal to these stores, restored by another one. Ends soon after ``cancelled`` is set."""
