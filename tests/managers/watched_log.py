"""Logs that record their calls, fail on request, are written to by another program, or end with their program."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.source import SourceUnavailable
from managers.wrapped_logs import DelegatingLog
from tests.contracts.event_log import STREAM, clock


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


class InterruptedLog(WatchedLog):
    """Calls ``meanwhile`` once, just before the next append."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.meanwhile: Callable[[], object] | None = None

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return super().append(events, expected_offset=expected_offset)


def raced(log: EventLog, *others: NewEvent) -> "UnconditionalLog":
    """A log to which another program writes these events just before the next append, unnoticed as on Kafka."""
    found = UnconditionalLog(log)
    found.meanwhile = lambda: log.append(others)
    return found


class UnconditionalLog(InterruptedLog):
    """Has no conditional appends, like Kafka."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.capabilities = replace(log.capabilities, conditional_append=False)


class Cut(BaseException):
    """The program is dead: nothing is retried, as after a kill."""


@dataclass
class Lifetime:
    """The number of events that a program appends to all its logs before it dies (at ``undone``)."""

    left: int
    undone: NewEvent | None = None

    def spend(self, event: NewEvent) -> None:
        """Append one more. Raises `Cut` if the program is dead, or dies now."""
        if self.left == 0:
            self.undone = self.undone or event
            raise Cut
        self.left -= 1


class CutLog(WatchedLog):
    """A log of a program with a limited lifetime, which appends events one by one, as Samza does."""

    def __init__(self, log: EventLog, lifetime: Lifetime) -> None:
        super().__init__(log)
        self._lifetime = lifetime

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        offsets: list[int] = []
        for event in events:
            self._lifetime.spend(event)
            expected = None if expected_offset is None else expected_offset + len(offsets)
            offsets.append(super().append([event], expected_offset=expected).start)
        return range(offsets[0], offsets[-1] + 1) if offsets else super().append([], expected_offset=expected_offset)
