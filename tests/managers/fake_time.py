"""Time that passes while one sleeps, and only then."""

from managers.appending import Retry


class FakeTime:
    """A clock in seconds, and the pauses that were made by it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.pauses.append(seconds)
        self.now += seconds

    def retry(self, longest: float) -> Retry:
        """Tries by this time."""
        return Retry(longest=longest, clock=lambda: self.now, sleep=self.sleep)
