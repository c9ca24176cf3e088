"""A log that was given, or is opened when it is needed."""

from collections.abc import Callable
from typing import Final

from eventlog.log import EventLog

LogOrOpener = EventLog | Callable[[], EventLog]
"""A log, which stays its maker's to close, or what opens one."""


class HeldLog:
    """Opens at most one log at a time, and closes no other than it opened."""

    def __init__(self, log: LogOrOpener) -> None:
        self._given: Final = log
        self._log: EventLog | None = None

    def open(self) -> EventLog:
        """The log, opened unless it is; raises what its opener raises."""
        if self._log is None:
            self._log = self._given() if callable(self._given) else self._given
        return self._log

    def close(self) -> None:
        """Close the log if it was opened here; more than once does no harm."""
        log, self._log = self._log, None
        if log is not None and callable(self._given):
            log.close()
