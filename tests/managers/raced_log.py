"""A log on which another writer appends just before an append, unnoticed as on Kafka."""

from collections.abc import Sequence
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import Capabilities, EventLog
from tests.managers.watched_log import WatchedLog


class RacedLog(WatchedLog):
    """Delegates to a log. The first append comes just after that of another writer."""

    capabilities: Final = Capabilities(can_append=True, keeps_superseded_events=True, conditional_append=False)

    def __init__(self, log: EventLog, *others: NewEvent) -> None:
        super().__init__(log)
        self._others = list(others)

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        assert expected_offset is None
        others, self._others = self._others, []
        self._log.append(others)
        return super().append(events)
