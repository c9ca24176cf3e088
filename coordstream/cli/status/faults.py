"""What is wrong with a log, as a monitor would be told."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

_WORST_FIRST: Final = ("lost", "refused", "replacing", "catching-up", "stopped", "live")

Status = dict[str, Any]


class Limits(NamedTuple):
    """What a monitor allows: events behind the end, and seconds since the last heartbeat; None: whatever it is."""

    lag: int | None = None
    age_seconds: float | None = None


def worst_state(states: Iterable[str]) -> str | None:
    """The state among these that asks most for attention; None of none."""
    return min(states, key=_WORST_FIRST.index, default=None)


def faults(logs: Sequence[Status], limits: Limits) -> Iterator[str]:
    """A sentence for each fault. Only the newest log of each stream has any.

    Without a limit of age, a log that was stopped cleanly is well and one that is lost is not; with one, the age
    decides instead. A recording has no follower: it is well once its import is complete. Where there is no log at all,
    nothing can be within a limit.
    """
    if not logs and limits != Limits():
        yield "There is no log: import or follow a stream."
    for log in logs:
        if log["is_newest"]:
            found = _of_recording(log, limits) if log["backend"] == "recording" else _of_log(log, limits)
            yield from (f"{log['stream_name']} {fault}." for fault in found)


def _of_recording(log: Status, limits: Limits) -> Iterator[str]:
    if log["state"] == "lost":
        yield "was imported in part, and its import has ended: import it again, which goes on where it stopped"
    elif log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    if limits.lag is not None and log["lag"] is None:
        yield "has an unknown lag: its import is not complete"


def _of_log(log: Status, limits: Limits) -> Iterator[str]:
    if log["state"] == "refused":
        yield f"is refused: {log['state_detail']}"
    elif log["state"] not in ("lost", "stopped") and log["state_detail"] is not None:
        yield f"is not followed now: {log['state_detail']}"
    if log["topic_is_missing"]:
        yield "is no topic that its brokers show us: create it again, or look at the rights of our user"
    yield from _of_age(log, limits.age_seconds)
    if limits.lag is not None:
        yield from _of_lag(log, limits.lag)


def _of_age(log: Status, most_seconds: float | None) -> Iterator[str]:
    age = log["heartbeat_age_seconds"]
    if age is None:
        if most_seconds is not None:
            yield "has never been read: start its follower"
    elif log["state"] == "lost" if most_seconds is None else age > most_seconds:
        yield f"has had no heartbeat for {age:.0f} s: start its follower, or look why it hangs"


def _of_lag(log: Status, most: int) -> Iterator[str]:
    if log["lag"] is None:
        yield "has an unknown lag: start its follower, or see that the brokers can be reached"
    elif log["lag"] > most:
        yield f"is {log['lag']} offsets behind its end"
