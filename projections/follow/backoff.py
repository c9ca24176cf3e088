"""Waits between tries that failed: each twice as long as the one before, none the same for two programs."""

import random
from collections.abc import Callable
from typing import Final

FIRST_SECONDS: Final = 0.1
MOST_SECONDS: Final = 10.0


class BackOff:
    """Gives waits in seconds. ``jitter`` draws from [0, 1): a wait is shortened by up to half of it."""

    def __init__(
        self,
        jitter: Callable[[], float] = random.random,
        *,
        first_seconds: float = FIRST_SECONDS,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._first_seconds = first_seconds
        self._most_seconds = most_seconds
        self._jitter = jitter
        self._seconds = first_seconds

    def next(self) -> float:
        """How long to wait before the next try."""
        seconds, self._seconds = self._seconds, min(self._seconds * 2, self._most_seconds)
        return seconds * (1 - self._jitter() / 2)

    def reset(self) -> None:
        """Begin again with short waits, since a try went well."""
        self._seconds = self._first_seconds
