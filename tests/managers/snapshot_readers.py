"""Threads that read while others write: each must see whole snapshots, and never an older one than before."""

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Final

READERS: Final = 3
TURNS: Final = 30
NAMES: Final = tuple(f"key {number}" for number in range(40))
_SWITCH_SECONDS: Final = 1e-5

Snapshot = Iterable[str]


def snapshot(turn: int) -> dict[str, str]:
    return dict.fromkeys(NAMES, f"turn {turn:03}")


def check_snapshots(write: Callable[[int], object], *reads: Callable[[], Snapshot]) -> None:
    """Write all turns while threads read values in each of these ways."""
    done = Event()
    ways = reads * READERS
    with _threads_by_turns(), ThreadPoolExecutor(len(ways)) as pool:
        readers = [pool.submit(_seen, read, done) for read in ways]
        try:
            for turn in range(TURNS):
                write(turn)
        finally:
            done.set()
        for reader in readers:
            seen = reader.result()
            assert seen == sorted(seen)
            assert seen[-1] == f"turn {TURNS - 1:03}"


def _seen(read: Callable[[], Snapshot], done: Event) -> list[str]:
    """The values that were read in turn, the last time after all was written."""
    seen: list[str] = []
    is_last = False
    while not is_last:
        is_last = done.is_set()
        values = list(read())
        assert len(values) in (0, len(NAMES)), "half of a snapshot was seen"
        assert len(set(values)) <= 1, "a mixture of snapshots was seen"
        seen += set(values)
    return seen


@contextmanager
def _threads_by_turns() -> Iterator[None]:
    """Let threads take turns so often that they meet in the middle of things."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
