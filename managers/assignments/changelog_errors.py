"""Errors of changelogs. Each keeps the things it names as attributes.

ManagerError
 └─ ChangelogError
     ├─ ChangelogMisfit          a changelog has the wrong number of partitions
     ├─ ChangelogRemapped        a task would get a different changelog partition
     └─ ChangelogSystemUnknown   the system of a changelog is unknown or has no admin
"""

from collections.abc import Sequence
from typing import NamedTuple

from managers.errors import ManagerError

_LISTED = 3


class ChangelogError(ManagerError):
    """The changelogs of a job's stores do not fit its tasks."""


class ChangelogRemap(NamedTuple):
    """A task whose changelog partition would change."""

    task_name: str
    old_partition: int
    new_partition: int


class ChangelogRemapped(ChangelogError):
    """Tasks would get different changelog partitions, and with them the state of other tasks."""

    def __init__(self, changes: Sequence[ChangelogRemap]) -> None:
        self.changes = tuple(changes)
        listed = ", ".join(f"{task!r} from {old} to {new}" for task, old, new in self.changes[:_LISTED])
        more = len(self.changes) - _LISTED
        super().__init__(
            f"This changes the changelog partition of {listed}{f' and {more} more' if more > 0 else ''}. "
            "The task would restore the state of another task. Keep its partition, or force the change (force=True)."
        )


class ChangelogSystemUnknown(ChangelogError):
    """The system of a store's changelog is unknown or has no admin."""

    def __init__(self, store: str, system: str | None) -> None:
        self.store = store
        self.system = system
        problem = "is not configured" if system is None else f"is {system!r}, which has no admin"
        super().__init__(
            f"The system of the changelog of store {store!r} {problem}. Set stores.{store}.changelog to "
            "<system>.<stream>, and pass an admin of that system."
        )


class ChangelogMisfit(ChangelogError):
    """A changelog has a different number of partitions than the job's tasks need."""

    def __init__(self, store: str, stream_name: str, expected: int, actual: int) -> None:
        self.store = store
        self.stream_name = stream_name
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"Changelog {stream_name} of store {store!r} has {actual} partitions, but the tasks need {expected}. "
            "Configure another changelog for the store, or add the missing partitions."
        )
