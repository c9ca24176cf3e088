"""Logs on which something happens just before an append: somebody else writes, or the program dies."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from eventlog.events import NewEvent
from eventlog.log import Capabilities, EventLog
from tests.managers.watched_log import WatchedLog


class Killed(Exception):
    """The program has died before an append."""


class InterruptedLog(WatchedLog):
    """Does what it was given just before the first append from then on, and once."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.meanwhile: Callable[[], object] | None = None

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """Append, after what was to happen."""
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return super().append(events, expected_offset=expected_offset)


class UnconditionalLog(InterruptedLog):
    """Knows no conditional appends, as Kafka."""

    @property
    def capabilities(self) -> Capabilities:
        """The log's, but for that."""
        return replace(super().capabilities, conditional_append=False)


class MortalLog(WatchedLog):
    """Takes so many appends, and no more."""

    def __init__(self, log: EventLog, appends: int) -> None:
        super().__init__(log)
        self.appends_left = appends

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        """Append, as long as the program lives."""
        if self.appends_left == 0:
            raise Killed
        self.appends_left -= 1
        return super().append(events, expected_offset=expected_offset)
