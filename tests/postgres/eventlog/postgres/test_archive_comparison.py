"""Events of a log beside those of the archive."""

from itertools import repeat
from typing import Final

import pytest

from eventlog.events import EventColumns, RecordedEvent
from eventlog.postgres.archive import archive_events, first_difference, tail_start
from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import ensure_partition

FAR: Final = 25_000_000
"""In another partition of the archive than the rest."""
EVENTS: Final = [
    RecordedEvent(0, 1_000, 0, b"a", b"1"),
    RecordedEvent(1, -(2**63), 0, b"b", None),
    RecordedEvent(4, 2**63 - 1, 1, None, b"2"),
    RecordedEvent(5, 1_001, 0, b"", b""),
    RecordedEvent(FAR, 1_002, 0, b"a", b"v" * 1_000_000),
]


@pytest.fixture
def archive(connected: Connection) -> Connection:
    """A database with the events as log 1, and one other event as log 2."""
    for log_id, events in ((1, EVENTS), (2, [RecordedEvent(2, 0, 0, b"x", b"y")])):
        with connected.transaction():
            for first in (0, 20_000_000):
                ensure_partition(connected, "eventlog", "event", first)
            archive_events(connected, log_id, repeat(0), EventColumns.of(events))
    return connected


def test_headers_and_epochs_may_differ(archive: Connection) -> None:
    event = EVENTS[0]._replace(headers=(("h", b"1"),), leader_epoch=7, timestamp_type=1)
    assert first_difference(archive, 1, [event]) is None


def test_a_log_may_have_forgotten(archive: Connection) -> None:
    assert first_difference(archive, 1, [EVENTS[1], EVENTS[-1]]) is None
    assert first_difference(archive, 1, []) is None


@pytest.mark.parametrize("at", range(len(EVENTS)))
@pytest.mark.parametrize(
    "change",
    [{"timestamp": 7}, {"key": b"c"}, {"value": b"3"}, {"key": None, "value": None}],
    ids=["time", "key", "value", "nulls"],
)
def test_any_other_time_or_byte_is_found(archive: Connection, at: int, change: dict[str, bytes | int | None]) -> None:
    events = [*EVENTS[:at], EVENTS[at]._replace(**change), *EVENTS[at + 1 :]]  # type: ignore[arg-type]
    assert first_difference(archive, 1, events) == EVENTS[at].offset


def test_an_event_that_the_archive_lacks_is_a_difference(archive: Connection) -> None:
    assert first_difference(archive, 1, [*EVENTS[:2], EVENTS[0]._replace(offset=2)]) == 2
    assert first_difference(archive, 2, EVENTS[:1]) == 0


def test_a_difference_is_found_beyond_the_first_thousand(connected: Connection) -> None:
    events = [RecordedEvent(offset, 0, 0, b"k", b"%d" % offset) for offset in range(2_500)]
    with connected.transaction():
        ensure_partition(connected, "eventlog", "event", 0)
        archive_events(connected, 1, repeat(0), EventColumns.of(events))
    assert first_difference(connected, 1, events) is None
    events[2_400] = events[2_400]._replace(value=b"x")
    assert first_difference(connected, 1, events) == 2_400


def test_the_tail_starts_this_many_events_before_the_end(archive: Connection) -> None:
    assert [tail_start(archive, 1, events) for events in (1, 2, 3, 5, 1_000)] == [FAR, 5, 4, 0, 0]
    assert tail_start(archive, 2, 1_000) == 2
    assert tail_start(archive, 3, 1_000) == 0
