"""Appending until it is acknowledged: with a fresh log after each failure, for a bounded time."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import AppendRefused, EventLog
from eventlog.source import StreamRefused
from managers.errors import ManagerError
from managers.held_log import HeldLog, LogOrOpener

_logger: Final = logging.getLogger(__name__)
_FINAL: Final = (AppendRefused, StreamRefused, TypeError, ValueError)
"""Errors that another try would meet again."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How long a write is tried, in seconds: pauses grow twofold from the first to the longest.

    Samza's figures (SAMZA-1572): fifteen minutes, pauses of 2 s to 10 s. ``clock`` rises, and need not tell the time.
    """

    longest: float = 900
    first_pause: float = 2
    longest_pause: float = 10
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep


class AppendGaveUp(ManagerError):
    """Nothing was acknowledged in the time allowed; what was sent may be on the log nevertheless."""

    def __init__(self, tries: int) -> None:
        self.tries = tries
        super().__init__(f"{tries} tries to append failed: see why the log takes no events, and append again")


class RetryingAppender:
    """Appends over a log that it opens, and opens anew after a failure (SAMZA-1638). Not safe for threads.

    A log that was given, and not what opens one, is tried as it is.
    """

    def __init__(self, log: LogOrOpener, retry: Retry, is_wanted: Callable[[], bool] = lambda: True) -> None:
        """``is_wanted`` is asked before and after each pause: an append that nobody wants any more gives up."""
        self._log = HeldLog(log)
        self._retry = retry
        self._is_wanted = is_wanted

    def open(self) -> EventLog:
        """The log, opened unless it is."""
        return self._log.open()

    def append(self, events: Sequence[NewEvent]) -> range:
        """Append all of the events or none, and give their offsets once they are acknowledged.

        Raises:
            AppendRefused: the log takes no such events; nothing is tried again.
            AppendGaveUp: the time is up, or nobody wants it any more; the last error is its cause.
        """
        started = self._retry.clock()
        pause = self._retry.first_pause
        tries = 0
        while True:
            tries += 1
            try:
                return self.open().append(events)
            except _FINAL:
                raise
            except Exception as error:
                self.close()
                self._rest(pause, started, tries, error)
            pause = min(pause * 2, self._retry.longest_pause)

    def close(self) -> None:
        """Close the log; a log that failed may fail to close, too."""
        with suppress(Exception):
            self._log.close()

    def _rest(self, pause: float, started: float, tries: int, error: Exception) -> None:
        left = self._retry.longest - (self._retry.clock() - started)
        if left > 0 and self._is_wanted():
            _logger.warning("try %d to append failed (%s): the next one has a fresh log", tries, type(error).__name__)
            self._retry.sleep(min(pause, left))
        if left <= 0 or not self._is_wanted():
            raise AppendGaveUp(tries) from error
