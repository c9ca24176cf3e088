"""Actions that recur at an interval."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

NEVER: Final = float("inf")
AT_ONCE: Final = float("-inf")


class Recurring:
    """An action that is due at once, and again ``seconds`` after each time; ``now`` is a monotonic clock in seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.due_at = AT_ONCE

    def is_due(self, now: float) -> bool:
        """Return whether the action is due, and if it is, schedule the next time."""
        if now < self.due_at:
            return False
        self.due_at = now + self._seconds
        return True

    def trigger(self) -> None:
        """Make the action due at once."""
        self.due_at = AT_ONCE


class RecurringTurns:
    """A recurring action on many streams, a few at a time, so that events wait for one turn and not for all of them.

    Streams that had no turn before the action is due again come first. Those that have waited for as long as the
    interval have a turn together, however many: while batches take long, turns would take too long, too.
    """

    def __init__(self, seconds: float, most: int) -> None:
        """``most``: how many streams have a turn together."""
        self._recurring = Recurring(seconds)
        self._seconds = seconds
        self._most = most
        self._waiting: dict[str, float] = {}  # since when; the one that has waited longest is the first

    @property
    def due_at(self) -> float:
        """When the next turn is due."""
        return AT_ONCE if self._waiting else self._recurring.due_at

    def next(self, stream_names: Iterable[str], now: float) -> list[str]:
        """Return the streams whose turn it is; ``stream_names`` are all there are."""
        if self._recurring.is_due(now):
            self._waiting = self._waiting | {name: now for name in stream_names if name not in self._waiting}
        overdue = sum(since <= now - self._seconds for since in self._waiting.values())
        turn = list(islice(self._waiting, max(self._most, overdue)))
        for name in turn:
            del self._waiting[name]
        return turn

    def trigger(self) -> None:
        """Give all streams a turn at once."""
        self._recurring.trigger()
