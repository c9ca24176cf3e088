"""Work without the cyclic garbage collector: events and rows have no cycles, and reference counting frees them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class _Blocks:
    """The blocks that are running, in all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._was_enabled = False

    def enter(self) -> None:
        with self._lock:
            if not self._count:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def leave(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_enabled:
                gc.enable()


_blocks = _Blocks()


@contextmanager
def no_collections(*, freeze: bool = False) -> Iterator[None]:
    """Disable the garbage collector until the last such block of all threads ends.

    Thousands of new tuples would be scanned repeatedly, which took a fifth of the fold. With ``freeze``, what exists at
    the end is exempt from later collections: scanning a log's dictionaries, which stay, blocked a live follower for
    100 ms every few seconds.
    """
    _blocks.enter()
    try:
        yield
    finally:
        if freeze:
            gc.freeze()
        _blocks.leave()
