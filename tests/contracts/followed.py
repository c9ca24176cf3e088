"""What polls of an event source bring, gathered by stream."""

import time
from collections.abc import Sequence

from eventlog.events import RecordedEvent
from eventlog.source import EventSource
from tests.fixtures.waiting import wait_until

NOTHING = 0.3
"""Seconds of listening after which nothing is expected any more."""


class Followed:
    """What polls have brought, by stream."""

    def __init__(self, source: EventSource) -> None:
        self._source = source
        self.events: dict[str, list[RecordedEvent]] = {}
        self.positions: dict[str, int] = {}
        self.order: list[str] = []

    def poll(self, timeout: float = 0.1) -> bool:
        """Poll once; whether anything came. Nothing may come twice, out of order, or go past its ``next_offset``."""
        reads = self._source.poll(timeout)
        for name, events, next_offset in reads:
            offsets = [event.offset for event in events]
            assert offsets == sorted(set(offsets))
            assert all(self.positions.get(name, 0) <= offset < next_offset for offset in offsets)
            self.events.setdefault(name, []).extend(events)
            self.positions[name] = next_offset
            self.order.append(name)
        return bool(reads)

    def until(self, stream_name: str, position: int) -> list[RecordedEvent]:
        """All events of a stream, once it was read to a position."""

        def is_there() -> bool:
            self.poll()
            return self.positions.get(stream_name, -1) >= position

        wait_until(is_there, what=f"{stream_name} to be read to offset {position}")
        return self.events.get(stream_name, [])

    def nothing_more(self, seconds: float = NOTHING) -> bool:
        """Whether polls bring nothing for a while."""
        deadline = time.monotonic() + seconds
        came = False
        while time.monotonic() < deadline:
            came |= self.poll(deadline - time.monotonic() if deadline > time.monotonic() else 0)
        return not came


def offsets(events: Sequence[RecordedEvent]) -> list[int]:
    """The offsets of events."""
    return [event.offset for event in events]
