"""Errors of local state. Each keeps the things it names as attributes; the cause says why."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from eventlog.checkpoint import CheckpointId
from managers.errors import ManagerError

Step = Literal["flush", "snapshot", "upload", "checkpoint", "persist", "clean up"]
"""The steps of a commit, in their order. From ``persist`` on, the checkpoint is on the log."""

_LAST_UNCHANGED: Final = "The task's last checkpoint is unchanged; commit again."
_IS_WRITTEN: Final = "Its checkpoint is written; the next commit tries this step again."
_MAY_BE_WRITTEN: Final = "Its checkpoint may be written; commit again."
_REMEDIES: Final = {"checkpoint": _MAY_BE_WRITTEN, "persist": _IS_WRITTEN, "clean up": _IS_WRITTEN}


class StateError(ManagerError):
    """The state of a task could not be backed up or restored."""


class CommitFailed(StateError):
    """A step of a commit failed, for all of the task's stores and backends, or for one."""

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
        store = "" if store_name is None else f", store {store_name!r}"
        backend = "" if factory is None else f", state backend {factory}"
        super().__init__(
            f"Commit {checkpoint_id} of task {task_name!r} failed in step {step!r}{store}{backend}: "
            f"{_sentence(cause)} {_REMEDIES.get(step, _LAST_UNCHANGED)}"
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


class _StoreError(StateError):
    def __init__(self, task_name: str, store_name: str, what: str, then: str) -> None:
        self.task_name = task_name
        self.store_name = store_name
        super().__init__(f"{what} store {store_name!r} of task {task_name!r}{then}")


class InvalidMarker(_StoreError):
    """A state checkpoint marker of a store cannot be used."""

    def __init__(self, task_name: str, store_name: str, problem: str) -> None:
        remedy = "Restore the store from another checkpoint or state backend."
        then = f" is invalid: {_sentence(problem)} {remedy}"
        super().__init__(task_name, store_name, "The state checkpoint marker of", then)


class SnapshotDamaged(_StoreError):
    """An object of a store's snapshot is missing in the object store, or was changed there."""

    def __init__(self, task_name: str, store_name: str, object_path: str, problem: str) -> None:
        self.object_path = object_path
        remedy = "Recover it, or restore the store from another checkpoint or state backend."
        super().__init__(task_name, store_name, "Cannot restore", f": object {object_path} {problem}. {remedy}")


class StoreNotBackedUp(_StoreError):
    """A store could not be backed up, or its old backups not be deleted."""

    def __init__(self, task_name: str, store_name: str, problem: BaseException | str) -> None:
        super().__init__(task_name, store_name, "Cannot back up", f": {_sentence(problem)}")


@contextmanager
def backing_up(task_name: str, store_name: str) -> Iterator[None]:
    """Raise `StoreNotBackedUp` for any error but a `StateError`."""
    try:
        yield
    except StateError:
        raise
    except Exception as error:
        raise StoreNotBackedUp(task_name, store_name, error) from error


class StoreNotRestored(_StoreError):
    """A store could not be restored from a state backend (None: it has none), or not opened."""

    def __init__(self, task_name: str, store_name: str, factory: str | None, problem: BaseException | str) -> None:
        self.factory = factory
        origin = "" if factory is None else f" from state backend {factory}"
        remedy = "Check the disk and the backend, then restore the task again."
        super().__init__(task_name, store_name, "Cannot restore", f"{origin}: {_sentence(problem)} {remedy}")


class StoreUnreadable(StateError):
    """A file of a store cannot be read."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(f"The store file {path} {problem}. Delete the store's directory and restore the store.")


def missing_package(purpose: str, package: str) -> StateError:
    """The error about a package of the extra ``state`` that is not installed."""
    return StateError(f"{purpose} needs the package \"{package}\". Install it: pip install 'coordstream[state]'.")


def _sentence(problem: BaseException | str) -> str:
    text = str(problem).strip() or type(problem).__name__
    return text if text.endswith(".") else f"{text}."
