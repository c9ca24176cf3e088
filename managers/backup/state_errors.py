"""Errors of local state. Each keeps the things it names as attributes.

StateError (a ManagerError)
 ├─ InvalidMarker       a state checkpoint marker cannot be read, or is that of another store
 └─ StoreUnreadable     a file of a store cannot be read
"""

from pathlib import Path

from managers.errors import ManagerError


class StateError(ManagerError):
    """The state of a task could not be backed up or restored."""


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


class StoreUnreadable(StateError):
    """A file of a store cannot be read."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(f"The store file {path} {problem}. Delete the store's directory and restore the store.")
