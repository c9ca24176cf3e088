"""The request to stop a follower, by a signal or a timeout."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from coordstream.cli.termination import stopped_by_signals
from projections.follow.follow_run import StopFlag


class StopRequest:
    """Whether a follower has to stop, and why."""

    def __init__(self) -> None:
        self.signals: list[int] = []
        self.is_timed_out = False
        self._flag = StopFlag()
        self._stop: Callable[[], None] = lambda: None

    @property
    def is_requested(self) -> bool:
        """Whether the follower has to stop."""
        return self._flag.is_set

    def wait(self, seconds: float) -> None:
        """Return after this many seconds, or as soon as the stop is requested."""
        self._flag.wait(seconds)

    def stop_with(self, stop: Callable[[], None]) -> None:
        """Call ``stop`` when the stop is requested, or now if it already is."""
        self._stop = stop
        if self.is_requested:
            stop()

    def by_signal(self, number: int) -> None:
        """Request the stop because of a signal."""
        self.signals.append(number)
        self._request()

    def by_timeout(self) -> None:
        """Request the stop because the time is over."""
        self.is_timed_out = True
        self._request()

    def _request(self) -> None:
        self._flag.set()
        self._stop()


@contextmanager
def stop_on_signal_or_timeout(timeout: float | None) -> Iterator[StopRequest]:
    """A request that the first signal makes, or the end of ``timeout`` seconds."""
    request = StopRequest()
    timer = Timer(0 if timeout is None else timeout, request.by_timeout)
    timer.daemon = True
    with stopped_by_signals(request.by_signal):
        if timeout is not None:
            timer.start()
        try:
            yield request
        finally:
            timer.cancel()
