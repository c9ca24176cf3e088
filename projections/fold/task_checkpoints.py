"""What the fold remembers of a task's checkpoints: it decides which one a job reads, and which may be an anomaly.

A checkpoint topic has versions 1 and 2. An event is compared with the newest event of the same task and grouper, of the
other version, at a lower offset; and with the previous event of its own key. Times are in microseconds since 2000.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eventlog.timestamps import MICROS_OF_AN_HOUR
from projections.fold.checkpoints import SEPARATOR
from projections.fold.rows import CheckpointRow

if TYPE_CHECKING:
    from projections.fold.keys import KeyEntry

NO_TIME: Final = -(2**63)
"""Postgres' ``-infinity``: there is no such event, or it is a delete."""

NOT_STORABLE: Final = 2**63 - 1
"""Postgres' ``infinity``: timestamptz cannot store its time."""

FIVE_MINUTES: Final = 300_000_000
_SEPARATOR: Final = SEPARATOR.encode()
_is_number: Final = re.compile(rb"-?[0-9]{1,19}").fullmatch
"""At least the numbers of projection.offset_number, which leaves out those beyond bigint."""

CheckpointEvent = tuple[int, int | None, bytes | None, "KeyEntry"]
"""Offset, time, value and key of an event."""


@dataclass(slots=True, eq=False)
class TaskCheckpoints:
    """The checkpoints of a task and grouper, in every version and spelling of their keys.

    ``newest_times[v]`` is the time of the newest event of version v, for v 1 and 2: an event of version v is compared
    with the time at 3 - v. A ``set-checkpoint`` (version 0) is compared with nothing.
    """

    key_id: int = 0
    newest_times: list[int | None] = field(default_factory=lambda: [None, NO_TIME, NO_TIME, None])


def may_be_unread(other_time: int, previous: CheckpointRow | None) -> bool:
    """Return whether an event may be the first that readers of the other version miss.

    Its time is over 5 minutes after ``other_time``. The limit is ``task.live.checkpoint.max.age``; these are the events
    for limits from 5 minutes to an hour. For others, the relation `anomaly` examines every commit.
    """
    if previous is None or previous.layout_id is None or previous.record_time is None:
        return True
    return previous.record_time - other_time <= MICROS_OF_AN_HOUR


def may_be_lower(row: CheckpointRow, previous: CheckpointRow | None) -> bool:
    """Return whether an offset in a checkpoint may be a lower number than in the previous one of its key.

    True as well if only the names in the layouts can tell, because they differ or an offset contains a separator.
    """
    if previous is None or not row.layout_id or not previous.layout_id:
        return False
    if row.offsets is None or previous.offsets is None or row.layout_id != previous.layout_id:
        return True
    pairs = zip(row.offsets.split(_SEPARATOR), previous.offsets.split(_SEPARATOR), strict=True)
    return any(_is_number(new) and _is_number(old) and int(new) < int(old) for new, old in pairs if new != old)
