"""Actions that recur at an interval."""

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
