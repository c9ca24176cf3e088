"""How long a thread of a follower runs while another one waits for Python's interpreter."""

import sys
from types import TracebackType
from typing import Final, Self

LIVE_SECONDS: Final = 0.0005


class ThreadSwitches:
    """Shortens `sys.setswitchinterval` while all streams are live. A context manager, which restores it at the end.

    kafka-python decodes answers in a thread of its own. With Python's 5 ms, the follower's thread waits that long after
    each system call until a large answer is decoded, such as the metadata of 300 topics. While streams catch up, more
    switches would only take more time.
    """

    def __enter__(self) -> Self:
        self._before = sys.getswitchinterval()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sys.setswitchinterval(self._before)

    def set_live(self, *, is_live: bool) -> None:
        """Choose the interval: a short one if all streams are live."""
        sys.setswitchinterval(LIVE_SECONDS if is_live else self._before)
