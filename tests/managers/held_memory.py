"""How much memory is held by what a test makes."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def held_bytes() -> Iterator[Callable[[], int]]:
    """What tells how many bytes are held that were not held before, garbage left out."""
    gc.collect()
    tracemalloc.start()
    try:
        yield _held
    finally:
        tracemalloc.stop()


def _held() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
