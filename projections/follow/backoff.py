"""Waits between tries that failed: each twice as long as the one before, none the same for two programs."""

import random
from collections.abc import Callable
from typing import Final

FIRST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 10.0


class BackOff:
    """Gives waits in seconds. ``jitter`` draws from [0, 1): a wait is shortened by up to half of it."""

    def __init__(self, jitter: Callable[[], float] = random.random) -> None:
        self._jitter = jitter
        self._seconds = FIRST_SECONDS

    def next(self) -> float:
        """How long to wait before the next try."""
        seconds, self._seconds = self._seconds, min(self._seconds * 2, MOST_SECONDS)
        return seconds * (1 - self._jitter() / 2)

    def reset(self) -> None:
        """Begin again with short waits, since a try went well."""
        self._seconds = FIRST_SECONDS
