"""Appending more than a log takes at once."""

from eventlog.events import NewEvent
from managers.appending_in_parts import PART_BYTES, PART_EVENTS, append_in_parts, parts
from tests.managers.noting_log import NotingLog


def sizes(events: list[NewEvent]) -> list[int]:
    return [len(part) for part in parts(events)]


def test_a_part_has_so_many_bytes_and_events_at_most() -> None:
    half = NewEvent(b"k", b"x" * (PART_BYTES // 2 - 100))
    large = NewEvent(b"k", b"x" * (3 * PART_BYTES))
    assert sizes([]) == []
    assert sizes([half, half, half]) == [2, 1]
    assert sizes([half, large, half]) == [1, 1, 1]
    assert sizes([NewEvent(b"k", None)] * (PART_EVENTS + 1)) == [PART_EVENTS, 1]


def test_parts_are_appended_in_order() -> None:
    log = NotingLog()
    events = [NewEvent(b"%d" % number, None) for number in range(PART_EVENTS + 1)]
    assert append_in_parts(log, events) == [range(PART_EVENTS), range(PART_EVENTS, PART_EVENTS + 1)]
    assert [event.key for event in log.read()] == [event.key for event in events]
