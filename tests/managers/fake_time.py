"""Time that passes only during a sleep."""

from collections.abc import Callable

from managers.wrapped_logs import Retry


class FakeTime:
    """A clock in seconds that records its pauses, and calls ``meanwhile`` in each."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        self.meanwhile()

    def retry(self, longest: float) -> Retry:
        return Retry(longest=longest, clock=lambda: self.now, sleep=self.sleep)
