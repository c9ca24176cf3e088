"""Logs to which another program writes just before an append."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from eventlog.events import NewEvent
from eventlog.log import EventLog
from tests.managers.watched_log import WatchedLog


class InterruptedLog(WatchedLog):
    """Calls ``meanwhile`` once, just before the next append."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.meanwhile: Callable[[], object] | None = None

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return super().append(events, expected_offset=expected_offset)


def raced(log: EventLog, *others: NewEvent) -> "UnconditionalLog":
    """A log to which another program writes these events just before the next append, unnoticed as on Kafka."""
    found = UnconditionalLog(log)
    found.meanwhile = lambda: log.append(others)
    return found


class UnconditionalLog(InterruptedLog):
    """Has no conditional appends, like Kafka."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.capabilities = replace(log.capabilities, conditional_append=False)
