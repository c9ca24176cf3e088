"""Tests that every event log passes. A subclass for each backend makes its log and opens it again.

A backend says what it does not support (`has_conditional_append`, `can_keep`); the tests then expect it to refuse that.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import product
from threading import Barrier
from typing import ClassVar, Final, cast

import pytest

from eventlog.events import CREATE_TIME, NewEvent
from eventlog.log import AppendConflict, AppendRefused, Clock, EventLog
from eventlog.streams import StreamIdentity, identify
from tests.fixtures.waiting import PATIENCE

STREAM: Final = identify("__samza_coordinator_orders_1")
NOW: Final = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)
NOW_MS: Final = 1_772_600_767_089
UNUSUAL: Final = (
    NewEvent(None, None, 1),
    NewEvent(None, b"value", 2),
    NewEvent(b"key", None, 3),
    NewEvent(b"", b"", 4),
    NewEvent(b"\x00\xff", b"\xfe\x00", 5, (("a", b"\x00"), ("a", b""), ("", b""), ("n\0\u00fc", b"x"))),
    NewEvent(b"no value", b"v", 6, (("a", None),)),
    NewEvent(b"no text", b"v", 7, (("\ud800", b"x"),)),
    NewEvent(b"k" * 3000, bytes(range(256)) * 4096, 8),
)
TIMESTAMPS: Final = (-(2**63), -1, 0, 1, 1_700_000_000_001, 2**63 - 1)
RANGES: Final[dict[tuple[int, int | None], range]] = {
    (0, None): range(5),
    (2, None): range(2, 5),
    (1, 3): range(1, 3),
    (4, 4): range(0),
    (4, 2): range(0),
    (5, None): range(0),
    (9, 99): range(0),
    (3, 99): range(3, 5),
    (-3, 2): range(2),
    (-3, -1): range(0),
    (2**70, None): range(0),
    (-(2**70), 2**70): range(5),
}
"""By first offset and end, the offsets that are read of a log with five events."""


def clock() -> datetime:
    """A clock that always gives the same time."""
    return NOW


def new_events(count: int, prefix: str = "k") -> list[NewEvent]:
    """Events with different keys and a timestamp each."""
    return [NewEvent(f"{prefix}{number}".encode(), b"v%d" % number, number) for number in range(count)]


class EventLogContract(ABC):
    """Each test gets an empty log. Subclass one of the two below: for logs with or without conditional append."""

    keeps_superseded_events = True
    stream: StreamIdentity = STREAM
    has_conditional_append: ClassVar[bool]

    @abstractmethod
    def make_log(self, clock: Clock) -> EventLog:
        """Create the log of `stream` and open it."""

    @abstractmethod
    def open_again(self, log: EventLog) -> EventLog:
        """Open the same log as another program would."""

    def can_keep(self, event: NewEvent) -> bool:
        """Whether the backend can keep this event; otherwise it must refuse it."""
        del event
        return True

    @pytest.fixture
    def log(self) -> Iterator[EventLog]:
        with self.make_log(clock) as log:
            yield log

    def test_a_log_says_what_it_is(self, log: EventLog) -> None:
        assert (log.stream_name, log.stream_kind) == (self.stream.stream_name, "coordinator")
        assert log.has_conditional_append == self.has_conditional_append

    def test_offsets_are_assigned_in_order(self, log: EventLog) -> None:
        assert (log.start_offset(), log.end_offset(), list(log.read())) == (0, 0, [])
        assert log.append(new_events(3)) == range(3)
        assert log.append([]) == range(3, 3)
        assert log.append(new_events(2)) == range(3, 5)
        assert [event.offset for event in log.read()] == [0, 1, 2, 3, 4]
        assert (log.start_offset(), log.end_offset()) == (0, 5)

    def test_each_unusual_event_is_read_back_unchanged_or_refused(self, log: EventLog) -> None:
        for event in UNUSUAL:
            self._append_or_expect_refusal(log, event, f"^Cannot append to {log.stream_name}: ")
        read = [NewEvent(event.key, event.value, event.timestamp, event.headers) for event in log.read()]
        assert read == list(filter(self.can_keep, UNUSUAL))

    def _append_or_expect_refusal(self, log: EventLog, event: NewEvent, reason: str) -> None:
        """Append an event if the log can keep it; otherwise expect it to refuse the event and all appended with it."""
        end = log.end_offset()
        if self.can_keep(event):
            assert log.append([event]) == range(end, end + 1)
        else:
            with pytest.raises(AppendRefused, match=reason):
                log.append([*new_events(1), event])
            assert log.end_offset() == end

    def test_superseded_events_are_kept_except_in_compacted_topics(self, log: EventLog) -> None:
        log.append([NewEvent(b"k", b"old", 1), NewEvent(b"k", b"new", 2), NewEvent(b"k", None, 3)])
        kept = [event.value for event in log.read()]
        assert kept == [b"old", b"new", None] if self.keeps_superseded_events else kept[-1:] == [None]

    def test_a_timestamp_is_kept_exactly_or_refused(self, log: EventLog) -> None:
        given = [NewEvent(b"k%d" % number, b"v", timestamp) for number, timestamp in enumerate(TIMESTAMPS)]
        for event in given:
            self._append_or_expect_refusal(log, event, "Use a later one")
        kept = [(event.timestamp, event.timestamp_type) for event in log.read()]
        assert kept == [(event.timestamp, CREATE_TIME) for event in given if self.can_keep(event)]

    def test_a_timestamp_that_is_no_integer_of_64_bits_is_refused_and_nothing_appended(self, log: EventLog) -> None:
        for timestamp in (2**63, -(2**63) - 1, 1.5, "1"):
            with pytest.raises(ValueError, match=f"^Invalid timestamp {timestamp!r}. Expected .* 64 bits"):
                log.append([NewEvent(b"k", b"v", 1), NewEvent(b"k", b"v", cast("int", timestamp))])
        for wrong in (iter(new_events(1)), [NewEvent(b"k", cast("bytes", "v"))], [NewEvent(cast("bytes", 5), b"v")]):
            with pytest.raises(TypeError, match=r"must be (a list|bytes or None), not "):
                log.append(cast("list[NewEvent]", wrong))
        assert log.end_offset() == 0
        assert list(log.read()) == []

    def test_an_event_without_a_timestamp_gets_the_time_of_the_clock(self, log: EventLog) -> None:
        log.append([NewEvent(b"k", b"v"), NewEvent(b"k", b"v", 5), NewEvent(b"l", None)])
        assert [event.timestamp for event in log.read()] == [NOW_MS, 5, NOW_MS]

    def test_a_range_of_offsets_is_read(self, log: EventLog) -> None:
        log.append(new_events(5))
        read = {(first, until): [event.offset for event in log.read(first, until)] for first, until in RANGES}
        assert read == {limits: list(offsets) for limits, offsets in RANGES.items()}

    def test_a_read_ends_where_the_log_ended_at_the_call(self, log: EventLog) -> None:
        log.append(new_events(2))
        readings = [log.read(0, until) for until in (None, 9)]
        first = [next(reading) for reading in readings]
        log.append(new_events(3))
        assert [[event.offset, *(one.offset for one in rest)] for event, rest in zip(first, readings, strict=True)] == [
            [0, 1],
            [0, 1],
        ]

    def test_a_log_that_is_opened_again_continues(self, log: EventLog) -> None:
        log.append(new_events(2))
        with self.open_again(log) as again:
            assert list(again.read()) == list(log.read())
            assert again.append(new_events(1)) == range(2, 3)
        assert [event.offset for event in log.read()] == [0, 1, 2]

    def test_concurrent_writers_lose_no_event_and_leave_no_gap(self, log: EventLog) -> None:
        def write(writer: int) -> None:
            with self.open_again(log) as mine:
                for turn in range(10):
                    mine.append(new_events(3, f"{writer}.{turn}."))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))
        events = list(log.read())
        assert [event.offset for event in events] == list(range(120))
        batches = [[(event.key or b"").rpartition(b".") for event in events[at : at + 3]] for at in range(0, 120, 3)]
        assert all([number for *_, number in batch] == [b"0", b"1", b"2"] for batch in batches)
        assert all(len({prefix for prefix, *_ in batch}) == 1 for batch in batches)
        assert len({batch[0][0] for batch in batches}) == 40


class ConditionalAppendContract(EventLogContract):
    """For logs with conditional append."""

    has_conditional_append = True

    def test_an_append_at_the_expected_offset_succeeds(self, log: EventLog) -> None:
        assert log.append(new_events(1), expected_offset=0) == range(1)
        assert log.append(new_events(1), expected_offset=1) == range(1, 2)

    def test_an_append_at_another_offset_than_the_end_is_a_conflict(self, log: EventLog) -> None:
        log.append(new_events(2))
        for expected, count in product((-1, 0, 1, 3, 2**70), (0, 1)):
            with pytest.raises(AppendConflict, match=rf"ends at offset 2, not at {expected}\. Read") as raised:
                log.append(new_events(count), expected_offset=expected)
            error = raised.value
            assert (error.stream_name, error.expected_offset, error.end_offset) == (log.stream_name, expected, 2)
            assert log.end_offset() == 2
        assert log.append(new_events(1), expected_offset=2) == range(2, 3)

    def test_an_expected_offset_that_is_no_integer_is_refused(self, log: EventLog) -> None:
        for expected in ("0", 0.0):
            with pytest.raises(ValueError, match=f"^Invalid expected_offset {expected!r}"):
                log.append(new_events(1), expected_offset=cast("int", expected))
        assert log.end_offset() == 0

    def test_of_two_concurrent_conditional_appends_one_succeeds(self, log: EventLog) -> None:
        rounds = 20
        barrier = Barrier(2)

        def race(racer: int) -> int:
            wins = 0
            with self.open_again(log) as mine:
                for turn in range(rounds):
                    barrier.wait(timeout=PATIENCE)
                    try:
                        mine.append([NewEvent(b"%d" % racer, b"")], expected_offset=turn)
                        wins += 1
                    except AppendConflict:
                        pass
            return wins

        with ThreadPoolExecutor(2) as pool:
            assert sum(pool.map(race, range(2))) == rounds
        assert [event.offset for event in log.read()] == list(range(rounds))


class UnconditionalAppendContract(EventLogContract):
    """For logs without conditional append."""

    has_conditional_append = False

    def test_a_conditional_append_is_refused_and_nothing_appended(self, log: EventLog) -> None:
        log.append(new_events(2))
        for expected in (0, 2, 3):
            with pytest.raises(AppendRefused, match="Leave expected_offset out"):
                log.append(new_events(1), expected_offset=expected)
        assert log.end_offset() == 2
