"""Time that passes while one sleeps, and only then."""

from collections.abc import Callable

from managers.appending import Retry


class FakeTime:
    """A clock in seconds, the pauses that were made by it, and what is done in each (``meanwhile``)."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.pauses.append(seconds)
        self.now += seconds
        self.meanwhile()

    def retry(self, longest: float) -> Retry:
        """Tries by this time."""
        return Retry(longest=longest, clock=lambda: self.now, sleep=self.sleep)
