"""Finds the first moment at which a condition about a job is true, by repeated halving."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from coordstream.errors import CoordstreamError
from eventlog.streams import StreamKind

_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True)
class LogCut:
    """The events of one log up to an offset, inclusive. ``log_id`` None: the job had no such log."""

    log_id: int | None
    incarnation: int | None
    last_offset: int

    def events_since(self, earlier: "LogCut") -> int:
        """The number of offsets that an earlier cut does not have."""
        return self.last_offset - (earlier.last_offset if earlier.log_id == self.log_id else -1)


@dataclass(frozen=True)
class JobCut:
    """The events of a job's two logs up to a time, or to an event within it."""

    at: datetime
    coordinator: LogCut
    checkpoint: LogCut

    def has_events_of(self, other: "JobCut") -> bool:
        """Whether both have the same events."""
        return (self.coordinator, self.checkpoint) == (other.coordinator, other.checkpoint)


@dataclass(frozen=True)
class Found:
    """The event with which the condition became true."""

    kind: StreamKind
    log: LogCut


class BecameTrueWithoutEvent(CoordstreamError):
    """The condition became true between two events, because it depends on the time: startpoints expire."""

    def __init__(self, at: datetime) -> None:
        super().__init__(
            f"The condition became true at {at:%Y-%m-%d %H:%M:%S} UTC without an event. "
            "A startpoint has expired, or the condition depends on the current time."
        )


CutAt = Callable[[datetime], JobCut]
IsTrue = Callable[[JobCut], bool]


def first_true(low: JobCut, high: JobCut, cut_at: CutAt, is_true: IsTrue) -> Found:
    """The event between two cuts with which the condition, false at ``low`` and true at ``high``, became true.

    If the condition changes more than once in between, the event is one of those that made it true.

    Raises:
        BecameTrueWithoutEvent: Time made the condition true.
    """
    known_false = low
    while high.at - low.at > _MICROSECOND:
        middle = cut_at(_halfway(low, high))
        if middle.has_events_of(low):
            low = middle
        elif middle.has_events_of(high) or is_true(middle):
            high = middle
        else:
            low = known_false = middle
    if high.has_events_of(low) or is_true(low):
        raise BecameTrueWithoutEvent(_first_time(known_false, low, cut_at, is_true))
    return _first_event(low, high, is_true)


def _first_time(low: JobCut, high: JobCut, cut_at: CutAt, is_true: IsTrue) -> datetime:
    while high.at - low.at > _MICROSECOND:
        middle = cut_at(_halfway(low, high))
        low, high = (low, middle) if is_true(middle) else (middle, high)
    return high.at


def _halfway(low: JobCut, high: JobCut) -> datetime:
    return low.at + (high.at - low.at) // 2


def _first_event(low: JobCut, high: JobCut, is_true: IsTrue) -> Found:
    """The event among those of one time: first those of the coordinator stream, then those of the checkpoint topic."""

    def with_coordinator(log: LogCut) -> bool:
        return is_true(replace(high, coordinator=log, checkpoint=low.checkpoint))

    def with_checkpoint(log: LogCut) -> bool:
        return is_true(replace(high, checkpoint=log))

    if high.coordinator != low.coordinator and with_coordinator(high.coordinator):
        return Found("coordinator", _first_cut(low.coordinator, high.coordinator, with_coordinator))
    return Found("checkpoint", _first_cut(low.checkpoint, high.checkpoint, with_checkpoint))


def _first_cut(low: LogCut, high: LogCut, is_true: Callable[[LogCut], bool]) -> LogCut:
    first, last = high.last_offset - high.events_since(low) + 1, high.last_offset
    while first < last:
        middle = (first + last) // 2
        if is_true(replace(high, last_offset=middle)):
            last = middle
        else:
            first = middle + 1
    return replace(high, last_offset=first)
