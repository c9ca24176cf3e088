"""Startpoints that are asked for now."""

from collections.abc import Callable
from typing import Final

from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp, StartpointUpcoming


class StartpointMaker:
    """Makes startpoints of each kind, created when they are made by a clock (ms since 1970).

    Samza's constructors take the time from the machine; whoever has a time at hand gives it to the kinds themselves.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock: Final = clock

    def specific(self, offset: str) -> StartpointSpecific:
        """Read from this offset on."""
        return StartpointSpecific(offset, self._clock())

    def timestamp(self, ms: int) -> StartpointTimestamp:
        """Read from the first event that is not older than a time (ms since 1970)."""
        return StartpointTimestamp(ms, self._clock())

    def oldest(self) -> StartpointOldest:
        """Read from the oldest event on."""
        return StartpointOldest(self._clock())

    def upcoming(self) -> StartpointUpcoming:
        """Read what comes from now on."""
        return StartpointUpcoming(self._clock())
