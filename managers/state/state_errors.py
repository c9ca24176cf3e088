"""Errors of local state. Each keeps the things it names as attributes.

StateError (a ManagerError)
 ├─ ChangelogShortened  a changelog was deleted or truncated while its task was running
 ├─ ChangelogUnusable   a changelog cannot be read or written
 ├─ CommitFailed        a step of a commit failed
 ├─ CommitTimedOut      an earlier commit of the task is still in progress
 ├─ InvalidMarker       a state checkpoint marker cannot be read, or is that of another store
 ├─ MarkersNotRead      a restart would not read the markers of a store
 ├─ MissingPackage      a package of the extra ``state`` is not installed
 ├─ OffsetsNotWritten   the files that say which commit a store has cannot be written
 ├─ RestoreCancelled    a restore was cancelled before it was complete
 ├─ SnapshotDamaged     an object of a snapshot is missing, or was changed
 ├─ StoreNotBackedUp    a store could not be backed up
 ├─ StoreNotRestored    a store could not be restored
 ├─ StoreUnreadable     a file of a store cannot be read
 ├─ StoreWithoutBackend a store has the Kafka changelog as its state backend, but no changelog
 └─ UnknownStateBackend config names a factory that is not known
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal

from eventlog.checkpoint import CheckpointId
from eventlog.errors import ConfigError, known_names
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError

Step = Literal["flush", "snapshot", "upload", "checkpoint", "persist", "clean up"]
"""The steps of a commit, in their order. From ``persist`` on, the checkpoint is on the log."""

_AFTER_CHECKPOINT: Final = ("persist", "clean up")


class StateError(ManagerError):
    """The state of a task could not be backed up or restored."""


class ChangelogUnusable(StateError):
    """The changelog of a store cannot be read or written."""

    def __init__(self, task_name: str, store_name: str, changelog: SystemStreamPartition, cause: Exception) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.changelog = changelog
        super().__init__(f"The changelog {changelog} of store {store_name!r} of task {task_name!r} failed: {cause}")


class ChangelogShortened(StateError):
    """A changelog ends before the offset of an earlier snapshot, so it lacks changes of the store."""

    def __init__(self, earlier: int, newest: str | None) -> None:
        self.earlier = earlier
        self.newest = newest
        end = "is empty" if newest is None else f"ends at offset {newest}"
        super().__init__(
            f"it ended at offset {earlier} before, but now {end}. It was deleted or truncated: restore the task, from "
            "another state backend if the store has one."
        )


class CommitFailed(StateError):
    """A step of a commit failed, for all of the task's stores and backends, or for one. The cause says why."""

    def __init__(
        self,
        task_name: str,
        checkpoint_id: CheckpointId,
        step: Step,
        cause: BaseException,
        *,
        store_name: str | None = None,
        factory: str | None = None,
    ) -> None:
        self.task_name = task_name
        self.checkpoint_id = checkpoint_id
        self.step: Step = step
        self.store_name = store_name
        self.factory = factory
        self.is_checkpoint_written = step in _AFTER_CHECKPOINT
        store = "" if store_name is None else f", store {store_name!r}"
        backend = "" if factory is None else f", state backend {factory}"
        super().__init__(
            f"Commit {checkpoint_id} of task {task_name!r} failed in step {step!r}{store}{backend}: "
            f"{_sentence(cause)} {_remedy(step)}"
        )


class CommitTimedOut(StateError):
    """An earlier commit of a task was still in progress when the time for it was up."""

    def __init__(self, task_name: str, checkpoint_id: CheckpointId, step: Step, elapsed_ms: int) -> None:
        self.task_name = task_name
        self.checkpoint_id = checkpoint_id
        self.step: Step = step
        self.elapsed_ms = elapsed_ms
        super().__init__(
            f"Commit {checkpoint_id} of task {task_name!r} is still in step {step!r} after {elapsed_ms} ms. Check the "
            "state backend, or increase task.commit.max.delay.ms or task.commit.timeout.ms."
        )


class InvalidMarker(StateError):
    """A state checkpoint marker of a store cannot be used."""

    def __init__(self, task_name: str, store_name: str, problem: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.problem = problem
        super().__init__(
            f"The state checkpoint marker of store {store_name!r} of task {task_name!r} is invalid: "
            f"{problem.rstrip('.')}. Restore the store from another checkpoint or state backend."
        )


class MarkersNotRead(StateError, ConfigError):
    """A restart would lose a store: its backend's markers are in checkpoints of version 2, which the job ignores."""

    def __init__(self, task_name: str, store_name: str, factory: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.factory = factory
        super().__init__(
            f"Store {store_name!r} of task {task_name!r} is backed up by {factory}, whose markers only checkpoints of "
            "version 2 have. Set task.checkpoint.write.versions=1,2 and task.checkpoint.read.versions=2,1."
        )


class MissingPackage(StateError):
    """A package of the extra ``state`` is not installed."""

    def __init__(self, purpose: str, package: str) -> None:
        self.package = package
        super().__init__(f"{purpose} needs the package \"{package}\". Install it: pip install 'coordstream[state]'.")


class OffsetsNotWritten(StateError):
    """The offset files in the directories of a store cannot be written; restores do not need them."""

    def __init__(self, task_name: str, store_name: str, checkpoint_id: CheckpointId, cause: OSError) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.checkpoint_id = checkpoint_id
        super().__init__(
            f"Cannot write the offset files of checkpoint {checkpoint_id} for store {store_name!r} of task "
            f"{task_name!r}: {cause.strerror or cause}. Check the disk."
        )


class RestoreCancelled(StateError):
    """The restore of a store was cancelled; the next one begins again."""

    def __init__(self, task_name: str, store_name: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        super().__init__(f"The restore of store {store_name!r} of task {task_name!r} was cancelled. Restore it again.")


class SnapshotDamaged(StateError):
    """An object of a store's snapshot is missing in the object store, or was changed there."""

    def __init__(self, task_name: str, store_name: str, object_path: str, problem: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.object_path = object_path
        super().__init__(
            f"Cannot restore store {store_name!r} of task {task_name!r}: object {object_path} {problem}. "
            "Recover it, or restore the store from another checkpoint or state backend."
        )


class StoreNotBackedUp(StateError):
    """A store could not be uploaded to an object store, or its old snapshots not deleted. The cause says why."""

    def __init__(self, task_name: str, store_name: str, cause: BaseException) -> None:
        self.task_name = task_name
        self.store_name = store_name
        super().__init__(f"Cannot back up store {store_name!r} of task {task_name!r}: {_sentence(cause)}")


class StoreNotRestored(StateError):
    """A store could not be restored from a state backend (None: it has none), or not opened. The cause says why."""

    def __init__(self, task_name: str, store_name: str, factory: str | None, cause: BaseException) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.factory = factory
        origin = "" if factory is None else f" from state backend {factory}"
        super().__init__(
            f"Cannot restore store {store_name!r} of task {task_name!r}{origin}: "
            f"{_sentence(cause)} Check the disk and the backend, then restore the task again."
        )


class StoreUnreadable(StateError):
    """A file of a store cannot be read, or is that of another kind of store."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(f"The store file {path} {problem}. Delete the store's directory and restore the store.")


class StoreWithoutBackend(StateError):
    """Config names the Kafka changelog as a store's state backend, but the store has no changelog."""

    def __init__(self, task_name: str, store_name: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        super().__init__(
            f"Store {store_name!r} of task {task_name!r} has the Kafka changelog as its state backend, but no "
            f"changelog. Set stores.{store_name}.changelog, or another factory."
        )


class UnknownStateBackend(StateError):
    """Config names a state backend factory that the program does not know."""

    def __init__(self, task_name: str, store_name: str, factory: str, known: Collection[str]) -> None:
        self.task_name = task_name
        self.store_name = store_name
        self.factory = factory
        super().__init__(
            f"Store {store_name!r} of task {task_name!r} has the unknown state backend factory {factory!r}."
            f"{known_names('factories', factory, known)}"
        )


def _sentence(cause: BaseException) -> str:
    text = str(cause).strip() or type(cause).__name__
    return text if text.endswith(".") else f"{text}."


def _remedy(step: Step) -> str:
    if step in _AFTER_CHECKPOINT:
        return "Its checkpoint is written; the next commit tries this step again."
    if step == "checkpoint":
        return "Its checkpoint may be written; commit again."
    return "The task's last checkpoint is unchanged; commit again."
