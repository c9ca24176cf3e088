"""When a task's checkpoint of the other version was written last: it decides whether a job reads a lower version.

A checkpoint topic has versions 1 and 2. An event is held against the newest event of the same task and grouper, of the
other version, at a lower offset. Times are in microseconds since 2000.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from projections.fold.rows import CheckpointRow

if TYPE_CHECKING:
    from projections.fold.keys import KeyEntry

NONE: Final = -(2**63)
"""Postgres' ``-infinity``: there is no such event, or it is a delete."""

UNHELD: Final = 2**63 - 1
"""Postgres' ``infinity``: its time is one that timestamptz can't hold."""

_FIVE_MINUTES: Final = 300_000_000
_AN_HOUR: Final = 3_600_000_000

Waiting = tuple[int, int | None, bytes | None, "KeyEntry"]
"""Offset, time and value of an event, and its key."""


def may_be_unread(record_time: int, other_time: int | None, before: CheckpointRow | None) -> bool:
    """Whether a checkpoint may be the first that is so much newer than the other version that readers change over.

    By how much, ``task.live.checkpoint.max.age`` says, which is between 5 minutes and an hour; else all are looked at.
    """
    if other_time is None or other_time == NONE or record_time - other_time <= _FIVE_MINUTES:
        return False
    if before is None or before.layout_id is None or before.record_time is None:
        return True
    return before.record_time - other_time <= _AN_HOUR


@dataclass(slots=True, eq=False)
class TaskCheckpoints:
    """The checkpoints of a task and grouper, in every version and spelling of their keys.

    ``waiting`` are a batch's events by offset, ``swept`` the deletes after them. ``newest_times`` has at 1 and 2 the
    time of the version's newest event, so that an event of version v is held against the time at 3 - v; a
    ``set-checkpoint`` (0) against nothing.
    """

    key_id: int = 0
    waiting: list[Waiting] = field(default_factory=list)
    swept: list[Waiting] = field(default_factory=list)
    newest_times: list[int | None] = field(default_factory=lambda: [None, NONE, NONE, None])
