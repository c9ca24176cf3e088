"""The memory that a test allocates."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def held_bytes() -> Iterator[Callable[[], int]]:
    """A function that returns how many bytes were allocated since, without garbage."""
    gc.collect()
    tracemalloc.start()
    try:
        yield _held
    finally:
        tracemalloc.stop()


def _held() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
