"""What is wrong with a log that somebody should follow, as a monitor would be told."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

_WORST_FIRST: Final = ("lost", "replacing", "catching-up", "stopped", "live")

Status = dict[str, Any]


class Limits(NamedTuple):
    """What a monitor allows: events behind the end, and seconds since the last heartbeat; None: whatever it is."""

    lag: int | None = None
    age_seconds: float | None = None


def worst_state(states: Iterable[str]) -> str | None:
    """The state among these that asks most for attention; None of none."""
    return min(states, key=_WORST_FIRST.index, default=None)


def faults(logs: Iterable[Status], limits: Limits) -> Iterator[str]:
    """A sentence for each fault. Only logs that can be followed have any: the newest of each stream, no recording.

    Without a limit of age, a log that was stopped cleanly is well and one that is lost is not; with one, the age
    alone decides.
    """
    for log in logs:
        if log["is_newest"] and log["backend"] != "recording":
            yield from (f"{log['stream_name']} {fault}." for fault in _faults(log, limits))


def _faults(log: Status, limits: Limits) -> Iterator[str]:
    age = log["heartbeat_age_seconds"]
    if log["state"] == "lost" if limits.age_seconds is None else age > limits.age_seconds:
        yield f"has had no heartbeat for {age:.0f} s: start its follower, or look why it hangs"
    if limits.lag is not None and log["lag"] is None:
        yield "has an unknown lag: start its follower, or see that the brokers can be reached"
    if limits.lag is not None and log["lag"] is not None and log["lag"] > limits.lag:
        yield f"is {log['lag']} offsets behind its end"
