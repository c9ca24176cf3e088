"""Writes events at a given rate: all events that are due are written together, so that delays do not add up."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

SECOND_NS: Final = 1_000_000_000

Event = TypeVar("Event")


def write_paced(
    events: Sequence[Event],
    rate: float,
    write: Callable[[Sequence[Event]], None],
    clock: Callable[[], int],
    sleep: Callable[[float], None],
) -> list[int]:
    """Write ``rate`` events per second, and return when each write began; ``clock`` returns nanoseconds."""
    now = started = clock()
    began: list[int] = []
    while (done := len(began)) < len(events):
        due = min(int((now - started) * rate / SECOND_NS) + 1, len(events))
        if due > done:
            write(events[done:due])
            began += [now] * (due - done)
        else:
            sleep(max(started + done / rate * SECOND_NS - now, 0) / SECOND_NS)
        now = clock()
    return began
