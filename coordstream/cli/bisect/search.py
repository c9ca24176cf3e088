"""Finds the first moment at which a condition about a job is true, by repeated halving."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

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


CutAt = Callable[[datetime], JobCut]
IsTrue = Callable[[JobCut], bool]


def first_true(low: JobCut, high: JobCut, cut_at: CutAt, is_true: IsTrue) -> Found:
    """The event between two cuts with which the condition, false at ``low`` and true at ``high``, became true.

    If the condition changes more than once in between, the event is one of those that made it true.
    """
    while high.at - low.at > _MICROSECOND:
        middle = cut_at(low.at + (high.at - low.at) // 2)
        if middle.has_events_of(low) or not (middle.has_events_of(high) or is_true(middle)):
            low = middle
        else:
            high = middle
    return _first_event(low, high, is_true)


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
