"""ReopenedLog: a log that survives the end of its connection, for a process that runs for long."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog
from managers.wrapped_logs import DelegatingLog, LazyLog


class ReopenedLog(DelegatingLog):
    """Opens a log again after a call of it has failed: a log in Postgres stays useless when its session has ended.

    Raises what ``open_log`` raises.
    """

    def __init__(self, open_log: Callable[[], EventLog]) -> None:
        self._opened: Final = LazyLog(open_log)
        super().__init__(self._opened.open())

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`."""
        with self._opened.use() as log:
            return log.append(events, expected_offset=expected_offset)

    @contextmanager
    def exclude_writers(self) -> Iterator[None]:
        """See `EventLog`."""
        with self._opened.use() as log, log.exclude_writers():
            yield

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`."""
        with self._opened.use() as log:
            yield from log.read(first, until)

    def start_offset(self) -> int:
        """See `EventLog`."""
        with self._opened.use() as log:
            return log.start_offset()

    def end_offset(self) -> int:
        """See `EventLog`."""
        with self._opened.use() as log:
            return log.end_offset()

    def close(self) -> None:
        """Close the log."""
        self._opened.close()
