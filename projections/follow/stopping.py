"""The wish to stop, which a signal handler may set while the same thread waits for it."""

from contextlib import suppress
from queue import Empty, SimpleQueue


class Stopping:
    """Set once. Unlike `threading.Event` it takes no lock that the interrupted thread may hold."""

    def __init__(self) -> None:
        self.is_set = False
        self._news: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Wish to stop."""
        self.is_set = True
        self._news.put(None)

    def wait(self, seconds: float) -> None:
        """Return after so many seconds, or when the wish comes, or at once if it has come."""
        if not self.is_set:
            with suppress(Empty):
                self._news.get(timeout=seconds)
