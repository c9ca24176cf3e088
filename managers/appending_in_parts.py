"""Appending more than a log takes at once, in parts that each go whole."""

from collections.abc import Iterator, Sequence
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import EventLog

PART_BYTES: Final = 500_000
"""Below what the topics of any Samza job take at once (``max.message.bytes``, 1,000,012 or more)."""
PART_EVENTS: Final = 5_000
_EVENT_BYTES: Final = 64


def append_in_parts(log: EventLog, events: Sequence[NewEvent]) -> list[range]:
    """Append events in order, as many at once as any log takes, and give the offsets of each part.

    Raises what `EventLog.append` raises; parts before the one that failed are there.
    """
    return [log.append(part) for part in parts(events)]


def parts(events: Sequence[NewEvent]) -> Iterator[Sequence[NewEvent]]:
    """The events in parts of less than `PART_BYTES`, but for an event that is larger by itself."""
    first = size = 0
    for at, event in enumerate(events):
        added = _EVENT_BYTES + len(event.key or b"") + len(event.value or b"")
        if at > first and (size + added > PART_BYTES or at - first == PART_EVENTS):
            yield events[first:at]
            first, size = at, 0
        size += added
    if events:
        yield events[first:]
