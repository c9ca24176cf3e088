"""Appending more events than a log accepts at once, in parts that are each appended whole or not at all."""

from collections.abc import Iterator, Sequence
from typing import Final

from eventlog.events import NewEvent, batches
from eventlog.log import EventLog

PART_BYTES: Final = 500_000
PART_EVENTS: Final = 5_000
"""With 64 bytes of overhead for each event, less than any Samza topic accepts (``max.message.bytes`` >= 1,000,012)."""


def append_in_parts(log: EventLog, events: Sequence[NewEvent]) -> list[range]:
    """Append events in order, in the largest parts that any log accepts, and return the offsets of each part.

    Raises what `EventLog.append` raises; the parts before the one that failed are appended.
    """
    return [log.append(part) for part in parts(events)]


def parts(events: Sequence[NewEvent]) -> Iterator[Sequence[NewEvent]]:
    """The events in parts of at most `PART_BYTES` and `PART_EVENTS`; a larger event is a part of its own."""
    return batches(events, PART_EVENTS, PART_BYTES)
