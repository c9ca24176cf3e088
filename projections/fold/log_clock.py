"""log_time: the running maximum of believable record times, which makes "as of a time" a cut of the log."""

from typing import Final

from eventlog.timestamps import MICROS_OF_AN_HOUR

STRIDE: Final = 100
"""Events from one stored log_time to the next: a cut scans at most so many rows of the archive."""


class LogClock:
    """Follows one log's time over a batch; all times in microseconds since 2000.

    A record time counts unless it lies more than an hour ahead of ``archived_at``. Before any counted, the time is
    that of archiving. The time never runs backward.
    """

    def __init__(self, now: int | None, archived_at: int) -> None:
        self.now = now
        self._archived_at = archived_at
        self._latest = archived_at + MICROS_OF_AN_HOUR
        self._until_next = 0
        self.rows: list[tuple[int, int]] = []

    def tick(self, offset: int, record_time: int | None) -> None:
        """Take the next event; every so often ``rows`` gets its (offset, log_time)."""
        if record_time is not None and record_time <= self._latest and (self.now is None or record_time > self.now):
            self.now = record_time
        if self._until_next == 0:
            if self.now is None:
                self.now = self._archived_at
            self.rows.append((offset, self.now))
            self._until_next = STRIDE
        self._until_next -= 1
