"""Ends a log at a time."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from eventlog.events import RecordedEvent
from eventlog.timestamps import MICROS_OF_AN_HOUR, micros_of, storable_micros


class TimeBound:
    """Passes a log's events before the first one that is later than ``until``; ``is_reached``: there was one.

    As for the log's time, a record time more than an hour after ``now`` does not count.
    """

    def __init__(self, until: datetime, now: datetime) -> None:
        self.is_reached = False
        self._until = micros_of(until)
        self._latest = micros_of(now) + MICROS_OF_AN_HOUR

    def before(self, events: Iterable[RecordedEvent]) -> Iterator[RecordedEvent]:
        """Yield the events before the first later one."""
        for event in events:
            time = storable_micros(event.timestamp)
            if time is not None and self._until < time <= self._latest:
                self.is_reached = True
                return
            yield event
