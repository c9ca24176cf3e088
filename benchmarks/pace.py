"""Events written at a pace that a clock gives: those that are due go out together, so that no delay adds up."""

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
    """Write so many events a second, and say when the writing of each began; ``clock`` gives nanoseconds."""
    started, began = clock(), list[int]()
    while (done := len(began)) < len(events):
        now = clock()
        due = min(int((now - started) * rate / SECOND_NS) + 1, len(events))
        if due > done:
            write(events[done:due])
            began += [now] * (due - done)
        else:
            sleep(max(started + done / rate * SECOND_NS - now, 0) / SECOND_NS)
    return began
