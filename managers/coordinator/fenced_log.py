"""FencedLog: the log of a job coordinator, which refuses appends once another process coordinates the job."""

from collections.abc import Callable, Sequence
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import AppendConflict, EventLog
from managers.delegating_log import DelegatingLog


class FencedLog(DelegatingLog):
    """Calls ``require_lock`` before each append, which raises if this process has lost the job's lock.

    A process may be suspended after that, and continue when another one coordinates the job. On a log with conditional
    appends, its append then fails if the other one has written, and the lock is checked again. On Kafka, that append is
    written: the current coordinator has to look for it.
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
