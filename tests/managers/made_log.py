"""A log of any length that is not kept: its events are made as they are read."""

from collections.abc import Callable, Iterator

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.streams import StreamIdentity
from tests.builders import recorded
from tests.managers.watched_log import WatchedLog


class MadeLog(WatchedLog):
    """Holds what ``make`` gives for each offset below ``end``, which tests move on; ``reads`` tells what was read."""

    def __init__(self, stream: StreamIdentity, make: Callable[[int], NewEvent]) -> None:
        super().__init__(MemoryEventLog(stream))
        self._make = make
        self.end = 0

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        last = self.end if until is None else min(until, self.end)
        self.reads.append((first, until))
        return (recorded([self._make(offset)], first=offset)[0] for offset in range(first, last))

    def end_offset(self) -> int:
        return self.end
