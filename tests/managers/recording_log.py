"""An in-memory log that records its calls."""

from collections.abc import Iterator, Sequence

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import MemoryEventLog
from tests.contracts.event_log import STREAM, clock


class RecordingLog(MemoryEventLog):
    """Records its calls by name in ``calls``.

    ``lags`` is the number of newest events to hide, as Kafka hides events behind an open transaction.
    """

    def __init__(self) -> None:
        super().__init__(STREAM, clock=clock)
        self.calls: list[str] = []
        self.lags = 0

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        self.calls.append(f"append {len(events)}")
        return super().append(events, expected_offset=expected_offset)

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        end = self.end_offset()
        self.calls.append(f"read {first}")
        return super().read(first, end if until is None else min(until, end))

    def start_offset(self) -> int:
        self.calls.append("start_offset")
        return super().start_offset()

    def end_offset(self) -> int:
        return super().end_offset() - self.lags

    def close(self) -> None:
        self.calls.append("close")
