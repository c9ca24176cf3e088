"""Holes: offsets between a log's events at which it has none, compacted away or taken by control records."""

from collections.abc import Sequence

from eventlog.events import RecordedEvent


def holes(last_offset: int, events: Sequence[RecordedEvent]) -> list[tuple[int, int]]:
    """First and last missing offset of each hole among events that follow the one at ``last_offset`` (-1: none)."""
    if not events or events[-1].offset - last_offset == len(events):
        return []
    found = []
    for event in events:
        if event.offset > last_offset + 1:
            found.append((last_offset + 1, event.offset - 1))
        last_offset = event.offset
    return found
