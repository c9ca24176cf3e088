"""What can go wrong with the changelogs of a job's stores.

ManagerError
 └─ ChangelogError
     ├─ ChangelogRemapped        a task would get another changelog partition than it has
     ├─ ChangelogSystemUnknown   nobody answers for the system that a changelog is to be on
     └─ ChangelogMisfit          a changelog's stream has another number of partitions than the job needs
"""

from collections.abc import Sequence
from typing import NamedTuple

from managers.errors import ManagerError

_LISTED = 3


class ChangelogError(ManagerError):
    """The changelogs of a job's stores are not as its tasks need them."""


class ChangelogRemap(NamedTuple):
    """A task whose changelog partition would be another."""

    task_name: str
    old_partition: int
    new_partition: int


class ChangelogRemapped(ChangelogError):
    """Tasks would get other changelog partitions than they have, and with them the state of other tasks."""

    def __init__(self, changes: Sequence[ChangelogRemap]) -> None:
        self.changes = tuple(changes)
        listed = ", ".join(f"{task!r} from {old} to {new}" for task, old, new in self.changes[:_LISTED])
        more = len(self.changes) - _LISTED
        super().__init__(
            f"this moves the changelog partition of {listed}{f' and {more} more' if more > 0 else ''}, where the task "
            "would restore what another wrote: leave the partition that it has, or force it (force=True)"
        )


class ChangelogSystemUnknown(ChangelogError):
    """A store keeps its changelog on a system that nobody answers for."""

    def __init__(self, store: str, system: str | None) -> None:
        self.store = store
        self.system = system
        said = "no system that the config names" if system is None else f"system {system!r}, which has no admin"
        super().__init__(
            f"store {store!r} keeps its changelog on {said}: write stores.{store}.changelog as <system>.<stream>, "
            "and give an admin of that system"
        )


class ChangelogMisfit(ChangelogError):
    """A changelog's stream was made with another number of partitions than the job's tasks need."""

    def __init__(self, store: str, stream_name: str, expected: int, actual: int) -> None:
        self.store = store
        self.stream_name = stream_name
        self.expected = expected
        self.actual = actual
        super().__init__(
            f"{stream_name} of store {store!r} has {actual} partitions, and the tasks need {expected}: "
            "give the store another changelog, or the stream the partitions that are missing"
        )
