"""Waits between retries, and a flag that ends them."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final

FIRST_SECONDS: Final = 0.1
LONGEST_SECONDS: Final = 10.0


def no_jitter() -> float:
    return 0.0


class Backoff:
    """Exponential waits in seconds: each is twice the one before, up to ``longest_seconds``.

    ``jitter`` returns a number from [0, 1) that shortens a wait by up to half, so that programs which lost the same
    server do not retry in step.
    """

    def __init__(
        self,
        jitter: Callable[[], float] = random.random,
        *,
        first_seconds: float = FIRST_SECONDS,
        longest_seconds: float = LONGEST_SECONDS,
    ) -> None:
        self._first_seconds = first_seconds
        self._longest_seconds = longest_seconds
        self._jitter = jitter
        self._seconds = first_seconds

    def next(self) -> float:
        """Return how long to wait before the next try."""
        seconds, self._seconds = self._seconds, min(self._seconds * 2, self._longest_seconds)
        return seconds * (1 - self._jitter() / 2)

    def reset(self) -> None:
        self._seconds = self._first_seconds


class RetryDeadline:
    """Limits retries to a period that starts now. ``clock`` is monotonic, in seconds."""

    def __init__(
        self,
        seconds: float,
        backoff: Backoff,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._backoff = backoff
        self._clock = clock
        self._sleep = sleep
        self._deadline = clock() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the period has ended, so that the last try was the final one."""
        return self._clock() >= self._deadline

    def wait(self) -> None:
        """Sleep before the next try, but not beyond the end of the period."""
        self._sleep(max(0.0, min(self._backoff.next(), self._deadline - self._clock())))


class StopFlag:
    """Signal-safe stop flag: unlike `threading.Event` it takes no lock that the interrupted thread may hold."""

    def __init__(self) -> None:
        self.is_set = False
        self._wakeups: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        self.is_set = True
        self._wakeups.put(None)

    def wait(self, seconds: float) -> None:
        """Return after ``seconds``, or as soon as the flag is set."""
        if not self.is_set:
            with suppress(Empty):
                self._wakeups.get(timeout=seconds)
