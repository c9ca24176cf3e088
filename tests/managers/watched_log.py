"""A log that records its calls, and fails on request."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import Capabilities, EventLog
from eventlog.source import SourceUnavailable
from eventlog.streams import StreamKind


class WatchedLog:
    """Delegates to a log; the first ``failures`` appends fail."""

    def __init__(self, log: EventLog, *, failures: int = 0) -> None:
        self._log = log
        self.failures = failures
        self.reads: list[tuple[int, int | None]] = []
        self.append_count = 0
        self.is_closed = False

    @property
    def stream_name(self) -> str:
        """The log's."""
        return self._log.stream_name

    @property
    def stream_kind(self) -> StreamKind:
        """The log's."""
        return self._log.stream_kind

    @property
    def stream_id(self) -> str | None:
        """The log's."""
        return self._log.stream_id

    @property
    def capabilities(self) -> Capabilities:
        """The log's."""
        return self._log.capabilities

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """Append, or fail."""
        self.append_count += 1
        if self.failures > 0:
            self.failures -= 1
            raise SourceUnavailable
        return self._log.append(events, expected_offset=expected_offset)

    def exclude_writers(self) -> AbstractContextManager[None]:
        """The log's."""
        return self._log.exclude_writers()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """Read, and record the range."""
        self.reads.append((first, until))
        return self._log.read(first, until)

    def start_offset(self) -> int:
        """The log's."""
        return self._log.start_offset()

    def end_offset(self) -> int:
        """The log's."""
        return self._log.end_offset()

    def close(self) -> None:
        """Record it; the log stays open for others."""
        self.is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Opened:
    """Opens a log repeatedly, each time as a `WatchedLog`; the first ones fail."""

    def __init__(self, log: EventLog, *failures: int) -> None:
        self._log = log
        self._failures = list(failures)
        self.logs: list[WatchedLog] = []

    def __call__(self) -> WatchedLog:
        """Open it once more."""
        failures = self._failures.pop(0) if self._failures else 0
        self.logs.append(WatchedLog(self._log, failures=failures))
        return self.logs[-1]


class BrokenLog(WatchedLog):
    """A log that can be opened, and neither looked at nor, unless it ``closes``, closed without an error."""

    def __init__(self, log: EventLog, *, closes: bool = False) -> None:
        super().__init__(log)
        self._closes = closes

    def start_offset(self) -> int:
        """Fail."""
        raise SourceUnavailable

    def end_offset(self) -> int:
        """Fail."""
        raise SourceUnavailable

    def close(self) -> None:
        """Remember it."""
        super().close()
        if not self._closes:
            raise OSError("nor can it be closed")
