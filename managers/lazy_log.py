"""A log that was passed in, or is opened when it is needed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from eventlog.log import EventLog

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
