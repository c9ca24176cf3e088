"""What comes again and again: when it is due."""

from typing import Final

NEVER: Final = float("inf")
AT_ONCE: Final = float("-inf")


class Recurring:
    """Something that is due at once and then so many seconds after each time that it was done; ``now`` in seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.due_at = AT_ONCE

    def is_due(self, now: float) -> bool:
        """Whether it is time; if so, the next time is set."""
        if now < self.due_at:
            return False
        self.due_at = now + self._seconds
        return True

    def hasten(self) -> None:
        """Let it be due at once."""
        self.due_at = AT_ONCE
