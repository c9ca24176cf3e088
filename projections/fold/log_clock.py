"""log_time: the running maximum of believable record times, which makes "as of a time" a cut of the log."""

from collections.abc import Sequence
from typing import Final

from eventlog.timestamps import MICROS_OF_AN_HOUR

STRIDE: Final = 100
"""Events from one stored log_time to the next, in any batches; a search reads at most this many events."""


class LogClock:
    """Follows one log's time over a batch; all times in microseconds since 2000.

    A record time counts unless it is more than an hour after ``archived_at``. Before the first one that counts, the
    log's time is that of archiving. It never decreases. ``until_row``: the number of events before the next row.
    """

    def __init__(self, now: int | None, archived_at: int, until_row: int = 0) -> None:
        self.now = now
        self.until_row = until_row
        self._archived_at = archived_at
        self._latest = archived_at + MICROS_OF_AN_HOUR
        self.rows: list[tuple[int, int]] = []

    def take(self, offsets: Sequence[int], times: Sequence[int | None]) -> None:
        """Add the next events, by their offsets and record times.

        ``rows`` gets an (offset, log_time) at the log's first event and at every `STRIDE`-th after it.
        """
        if self.until_row and times:
            self._reach(times[: self.until_row])
        for first in range(self.until_row, len(offsets), STRIDE):
            self.rows.append((offsets[first], self._reach(times[first : first + 1])))
            self._reach(times[first : first + STRIDE])
        self.until_row = (self.until_row - len(offsets)) % STRIDE

    def _reach(self, times: Sequence[int | None]) -> int:
        believed = [time for time in times if time is not None and time <= self._latest]
        latest = max(believed, default=self._archived_at if self.now is None else self.now)
        self.now = latest if self.now is None else max(latest, self.now)
        return self.now
