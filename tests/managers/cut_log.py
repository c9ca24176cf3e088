"""Logs of a program that dies between any two events."""

from collections.abc import Sequence
from dataclasses import dataclass

from eventlog.events import NewEvent
from eventlog.log import EventLog
from tests.managers.watched_log import WatchedLog


class Cut(BaseException):
    """The program is dead: nothing is retried, as after a kill."""


@dataclass
class Lifetime:
    """The number of events that a program appends to all its logs before it dies (at ``undone``)."""

    left: int
    undone: NewEvent | None = None

    def spend(self, event: NewEvent) -> None:
        """Append one more. Raises `Cut` if the program is dead, or dies now."""
        if self.left == 0:
            self.undone = self.undone or event
            raise Cut
        self.left -= 1


class CutLog(WatchedLog):
    """A log of a program with a limited lifetime, which appends events one by one, as Samza does."""

    def __init__(self, log: EventLog, lifetime: Lifetime) -> None:
        super().__init__(log)
        self._lifetime = lifetime

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        offsets: list[int] = []
        for event in events:
            self._lifetime.spend(event)
            expected = None if expected_offset is None else expected_offset + len(offsets)
            offsets.append(super().append([event], expected_offset=expected).start)
        return range(offsets[0], offsets[-1] + 1) if offsets else super().append([], expected_offset=expected_offset)
