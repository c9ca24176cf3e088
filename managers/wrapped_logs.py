"""Logs around another log: one that is opened when needed, one that passes calls on, a fenced one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import AppendConflict, EventLog
from eventlog.source import Closing

LogOrOpener = EventLog | Callable[[], EventLog]
"""A log, which its owner closes, or a function that opens one."""


class LazyLog:
    """Opens a log when it is first needed, and closes only a log that it opened."""

    def __init__(self, log: LogOrOpener) -> None:
        self._log_or_opener: Final = log
        self._log: EventLog | None = None

    def open(self) -> EventLog:
        """Return the log, opening it if necessary. Raises what the opener raises."""
        if self._log is None:
            self._log = self._log_or_opener() if callable(self._log_or_opener) else self._log_or_opener
        return self._log

    @contextmanager
    def use(self) -> Iterator[EventLog]:
        """The log, for one operation. If that fails, it is closed, so that the next one opens the log again."""
        try:
            yield self.open()
        except Exception:
            with suppress(Exception):  # a log that failed may also fail to close
                self.close()
            raise

    def close(self) -> None:
        """Close the log if it was opened here. Safe to call again; `open` then opens a new one."""
        log, self._log = self._log, None
        if log is not None and callable(self._log_or_opener):
            log.close()


class DelegatingLog(Closing):
    """Passes every call of the `EventLog` interface on to a log; `close` closes it only if it was opened here.

    With a function that opens the log, the log is opened again after a call of it has failed: a log in Postgres stays
    useless when its session has ended. Raises what that function raises.
    """

    def __init__(self, log: LogOrOpener) -> None:
        self._lazy_log: Final = LazyLog(log)
        opened = self._lazy_log.open()
        self.stream_name: Final = opened.stream_name
        self.stream_kind: Final = opened.stream_kind
        self.stream_id: Final = opened.stream_id
        self.capabilities = opened.capabilities

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        with self._lazy_log.use() as log:
            return log.append(events, expected_offset=expected_offset)

    @contextmanager
    def exclude_writers(self) -> Iterator[None]:
        with self._lazy_log.use() as log, log.exclude_writers():
            yield

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        with self._lazy_log.use() as log:
            yield from log.read(first, until)

    def start_offset(self) -> int:
        with self._lazy_log.use() as log:
            return log.start_offset()

    def end_offset(self) -> int:
        with self._lazy_log.use() as log:
            return log.end_offset()

    def close(self) -> None:
        self._lazy_log.close()


class FencedLog(DelegatingLog):
    """Calls ``require_lock`` before each append, which raises if this process has lost the job's lock.

    A process may be suspended after that, while another one coordinates the job. On a log with conditional appends, its
    append then fails if the other one has written, and the lock is checked again. On Kafka, that append is written: the
    current coordinator has to look for it.
    """

    def __init__(self, log: EventLog, require_lock: Callable[[], object]) -> None:
        super().__init__(log)
        self._require_lock: Final = require_lock

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. Raises what ``require_lock`` raises; nothing was appended then."""
        if expected_offset is not None or not self.capabilities.conditional_append:
            self._require_lock()
            return super().append(events, expected_offset=expected_offset)
        while True:
            end = self.end_offset()
            self._require_lock()
            try:
                return super().append(events, expected_offset=end)
            except AppendConflict:  # by a container, an operator or another coordinator
                continue
