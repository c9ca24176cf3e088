"""A log that records its calls, and fails on request."""

from collections.abc import Iterator, Sequence

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog
from eventlog.source import SourceUnavailable
from managers.wrapped_logs import DelegatingLog


class WatchedLog(DelegatingLog):
    """Records the calls to a log; the first ``failures`` appends fail, and `end_offset` while it ``is_broken``."""

    def __init__(self, log: EventLog, *, failures: int = 0) -> None:
        super().__init__(log)
        self.failures = failures
        self.reads: list[tuple[int, int | None]] = []
        self.append_count = 0
        self.is_closed = self.is_broken = False

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        self.append_count += 1
        if self.failures > 0:
            self.failures -= 1
            raise SourceUnavailable
        return super().append(events, expected_offset=expected_offset)

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        self.reads.append((first, until))
        return super().read(first, until)

    def end_offset(self) -> int:
        if self.is_broken:
            raise SourceUnavailable
        return super().end_offset()

    def close(self) -> None:
        self.is_closed = True


class Opened:
    """Opens a log repeatedly, each time as a `WatchedLog`; the first ones fail."""

    def __init__(self, log: EventLog, *failures: int) -> None:
        self._log = log
        self._failures = list(failures)
        self.logs: list[WatchedLog] = []

    def __call__(self) -> WatchedLog:
        failures = self._failures.pop(0) if self._failures else 0
        self.logs.append(WatchedLog(self._log, failures=failures))
        return self.logs[-1]


class BrokenLog(WatchedLog):
    """A log that can be opened, and neither looked at nor, unless it ``closes``, closed without an error."""

    def __init__(self, log: EventLog, *, closes: bool = False) -> None:
        super().__init__(log)
        self._closes = closes

    def start_offset(self) -> int:
        raise SourceUnavailable

    def end_offset(self) -> int:
        raise SourceUnavailable

    def close(self) -> None:
        super().close()
        if not self._closes:
            raise OSError("nor can it be closed")
