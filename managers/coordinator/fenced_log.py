"""FencedLog: the log of a job coordinator, which refuses appends once another process coordinates the job."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final, Self

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import AppendConflict, Capabilities, EventLog
from eventlog.streams import StreamKind


class FencedLog:
    """Calls ``require_lock`` before each append, which raises if this process has lost the job's lock.

    A process may be suspended after that, and continue when another one coordinates the job. On a log with conditional
    appends, its append then fails if the other one has written, and the lock is checked again. On Kafka, that append is
    written: the current coordinator has to look for it. The caller closes the log.
    """

    def __init__(self, log: EventLog, require_lock: Callable[[], object]) -> None:
        self._log: Final = log
        self._require_lock: Final = require_lock

    @property
    def stream_name(self) -> str:
        """See `EventLog`."""
        return self._log.stream_name

    @property
    def stream_kind(self) -> StreamKind:
        """See `EventLog`."""
        return self._log.stream_kind

    @property
    def stream_id(self) -> str | None:
        """See `EventLog`."""
        return self._log.stream_id

    @property
    def capabilities(self) -> Capabilities:
        """See `EventLog`."""
        return self._log.capabilities

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """See `EventLog.append`. Raises what ``require_lock`` raises; nothing was appended then."""
        if expected_offset is not None or not self.capabilities.conditional_append:
            self._require_lock()
            return self._log.append(events, expected_offset=expected_offset)
        while True:
            end = self._log.end_offset()
            self._require_lock()
            try:
                return self._log.append(events, expected_offset=end)
            except AppendConflict:  # by a container, an operator or another coordinator
                continue

    def exclude_writers(self) -> AbstractContextManager[None]:
        """See `EventLog`."""
        return self._log.exclude_writers()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog`."""
        return self._log.read(first, until)

    def start_offset(self) -> int:
        """See `EventLog`."""
        return self._log.start_offset()

    def end_offset(self) -> int:
        """See `EventLog`."""
        return self._log.end_offset()

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
