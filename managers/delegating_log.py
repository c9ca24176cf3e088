"""DelegatingLog: a log that passes every call on to another one."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final, Self

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import Capabilities, EventLog
from eventlog.streams import StreamKind


class DelegatingLog:
    """Passes every call of the `EventLog` interface on to ``log``, except `close`: the owner of that log closes it.

    Subclasses override the calls that they change.
    """

    def __init__(self, log: EventLog) -> None:
        self._log: Final = log

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
        """See `EventLog.append`."""
        return self._log.append(events, expected_offset=expected_offset)

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
