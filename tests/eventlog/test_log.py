"""What all logs share."""

from datetime import UTC, datetime, timedelta
from typing import Any

from eventlog.events import CREATE_TIME, LOG_APPEND_TIME, NewEvent, RecordedEvent
from eventlog.log import recorded, system_clock


def test_events_are_numbered_and_stamped() -> None:
    now = datetime(1970, 1, 1, 0, 0, 1, 999, tzinfo=UTC)
    headers: Any = [("h", b"x")]  # as a caller without types may give them
    events = [NewEvent(b"k", None, 7, headers), NewEvent(None, b"v")]
    assert recorded(events, 5, now) == [
        RecordedEvent(5, 7, CREATE_TIME, b"k", None, (("h", b"x"),)),
        RecordedEvent(6, 1000, LOG_APPEND_TIME, None, b"v"),
    ]


def test_the_systems_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)
