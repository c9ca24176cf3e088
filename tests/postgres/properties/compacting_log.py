"""A log that forgets, as a topic does that Kafka's cleaner goes over."""

from collections.abc import Iterator

from eventlog.events import RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.streams import StreamIdentity
from tests.contracts.event_log import clock
from tests.fixtures.compaction import latest_per_key


class CompactingLog(MemoryEventLog):
    """A log in memory, of which a reader sees what was not compacted away."""

    def __init__(self, stream: StreamIdentity) -> None:
        super().__init__(stream, clock=clock)
        self._dropped: set[int] = set()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`; offsets have gaps."""
        return (event for event in super().read(first, until) if event.offset not in self._dropped)

    def everything(self) -> list[RecordedEvent]:
        """Every event that ever was on the log."""
        return list(super().read())

    def compact(self, upto: int, *, keep_tombstones: bool) -> None:
        """Clean what lies below an offset."""
        before = list(self.read())
        kept = latest_per_key(before, upto=upto, keep_tombstones=keep_tombstones)
        self._dropped |= {event.offset for event in before} - {event.offset for event in kept}
