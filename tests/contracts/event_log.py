"""What every event log must do; a backend subclasses it, and says how its log is made and opened again.

What a backend cannot do it says as data (`capabilities`, `holds`), and then it must refuse it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import ClassVar, Final

import pytest

from eventlog.events import CREATE_TIME, NewEvent
from eventlog.log import AppendConflict, AppendRefused, Capabilities, Clock, EventLog
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


def clock() -> datetime:
    """A clock that stands still."""
    return NOW


def new_events(count: int, prefix: str = "k") -> list[NewEvent]:
    """Events that differ from each other, all with a time."""
    return [NewEvent(f"{prefix}{number}".encode(), b"v%d" % number, number) for number in range(count)]


class EventLogContract(ABC):
    """Each test gets an empty log. Subclass one of the two below, which differ in appends under a condition."""

    capabilities = Capabilities(can_append=True, keeps_superseded_events=True, conditional_append=True)
    stream: StreamIdentity = STREAM
    is_conditional: ClassVar[bool]

    @abstractmethod
    def make_log(self, clock: Clock) -> EventLog:
        """Make the log of `stream`, and open it."""

    @abstractmethod
    def open_again(self, log: EventLog) -> EventLog:
        """Open the same log as another program would."""

    def holds(self, event: NewEvent) -> bool:
        """Whether the backend can keep such an event; if not, it must refuse it."""
        del event
        return True

    @pytest.fixture
    def log(self) -> Iterator[EventLog]:
        with self.make_log(clock) as log:
            yield log

    def test_it_knows_its_stream(self, log: EventLog) -> None:
        assert (log.stream_name, log.stream_kind) == (self.stream.stream_name, "coordinator")

    def test_it_tells_what_it_can_do(self, log: EventLog) -> None:
        assert log.capabilities == self.capabilities
        assert self.capabilities.conditional_append == self.is_conditional

    def test_an_empty_log_begins_and_ends_at_zero(self, log: EventLog) -> None:
        assert (log.start_offset(), log.end_offset(), list(log.read())) == (0, 0, [])

    def test_offsets_are_given_in_order(self, log: EventLog) -> None:
        assert log.append(new_events(3)) == range(3)
        assert log.append(new_events(2)) == range(3, 5)
        assert [event.offset for event in log.read()] == [0, 1, 2, 3, 4]
        assert (log.start_offset(), log.end_offset()) == (0, 5)

    def test_no_events_take_no_offset(self, log: EventLog) -> None:
        log.append(new_events(2))
        assert log.append([]) == range(2, 2)
        assert log.end_offset() == 2

    def test_an_event_comes_back_as_it_was_given(self, log: EventLog) -> None:
        given = list(filter(self.holds, UNUSUAL))
        log.append(given)
        assert [NewEvent(event.key, event.value, event.timestamp, event.headers) for event in log.read()] == given

    def test_an_event_that_it_cannot_hold_is_refused_and_nothing_appended(self, log: EventLog) -> None:
        for event in filter(lambda event: not self.holds(event), UNUSUAL):
            with pytest.raises(AppendRefused, match=f"nothing can be appended to {log.stream_name}: "):
                log.append([*new_events(1), event])
        assert log.end_offset() == 0

    def test_superseded_events_stay_where_it_says_so(self, log: EventLog) -> None:
        log.append([NewEvent(b"k", b"old", 1), NewEvent(b"k", b"new", 2), NewEvent(b"k", None, 3)])
        kept = [event.value for event in log.read()]
        assert kept == [b"old", b"new", None] if log.capabilities.keeps_superseded_events else kept[-1:] == [None]

    @pytest.mark.parametrize("timestamp", [-(2**63), -1, 0, 1, 1_700_000_000_001, 2**63 - 1])
    def test_a_given_time_is_kept_exactly_or_refused(self, log: EventLog, timestamp: int) -> None:
        event = NewEvent(b"k", b"v", timestamp)
        if self.holds(event):
            log.append([event])
        else:
            with pytest.raises(AppendRefused, match="give a later one"):
                log.append([*new_events(1), event])
        kept = [(event.timestamp, event.timestamp_type) for event in log.read()]
        assert kept == [(timestamp, CREATE_TIME)] * self.holds(event)

    @pytest.mark.parametrize("timestamp", [2**63, -(2**63) - 1])
    def test_a_time_beyond_64_bits_is_refused_and_nothing_appended(self, log: EventLog, timestamp: int) -> None:
        with pytest.raises(ValueError, match="64 bits"):
            log.append([NewEvent(b"k", b"v", 1), NewEvent(b"k", b"v", timestamp)])
        assert log.end_offset() == 0
        assert list(log.read()) == []

    def test_a_missing_time_is_the_clocks(self, log: EventLog) -> None:
        log.append([NewEvent(b"k", b"v"), NewEvent(b"k", b"v", 5), NewEvent(b"l", None)])
        assert [event.timestamp for event in log.read()] == [NOW_MS, 5, NOW_MS]

    @pytest.mark.parametrize(
        ("first", "until", "offsets"),
        [
            (0, None, range(5)),
            (2, None, range(2, 5)),
            (1, 3, range(1, 3)),
            (4, 4, range(0)),
            (4, 2, range(0)),
            (5, None, range(0)),
            (9, 99, range(0)),
            (3, 99, range(3, 5)),
            (-3, 2, range(2)),
            (-3, -1, range(0)),
            (2**70, None, range(0)),
            (-(2**70), 2**70, range(5)),
        ],
    )
    def test_a_range_is_read(self, log: EventLog, first: int, until: int | None, offsets: range) -> None:
        log.append(new_events(5))
        assert [event.offset for event in log.read(first, until)] == list(offsets)

    @pytest.mark.parametrize("until", [None, 9])
    def test_a_read_ends_where_the_log_ended_when_it_was_called(self, log: EventLog, until: int | None) -> None:
        log.append(new_events(2))
        reading = log.read(0, until)
        first = next(reading)
        log.append(new_events(3))
        assert [event.offset for event in (first, *reading)] == [0, 1]

    def test_opened_again_it_goes_on(self, log: EventLog) -> None:
        log.append(new_events(2))
        with self.open_again(log) as again:
            assert list(again.read()) == list(log.read())
            assert again.append(new_events(1)) == range(2, 3)
        assert [event.offset for event in log.read()] == [0, 1, 2]

    def test_writers_at_once_lose_nothing_and_leave_no_hole(self, log: EventLog) -> None:
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
    """Of a log that appends under a condition if it is asked to."""

    is_conditional = True

    def test_an_append_at_the_expected_offset_is_taken(self, log: EventLog) -> None:
        assert log.append(new_events(1), expected_offset=0) == range(1)
        assert log.append(new_events(1), expected_offset=1) == range(1, 2)

    @pytest.mark.parametrize("expected", [-1, 0, 1, 3, 2**70])
    @pytest.mark.parametrize("count", [0, 1])
    def test_another_end_than_expected_is_a_conflict(self, log: EventLog, expected: int, count: int) -> None:
        log.append(new_events(2))
        with pytest.raises(AppendConflict, match=rf"ends at offset 2, not at {expected}: read") as conflict:
            log.append(new_events(count), expected_offset=expected)
        told = (conflict.value.stream_name, conflict.value.expected_offset, conflict.value.end_offset)
        assert told == (log.stream_name, expected, 2)
        assert log.end_offset() == 2
        assert log.append(new_events(1), expected_offset=2) == range(2, 3)

    def test_of_two_racers_one_wins(self, log: EventLog) -> None:
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
    """Of a log that can't."""

    is_conditional = False

    @pytest.mark.parametrize("expected", [0, 2, 3])
    def test_a_condition_is_refused_and_nothing_appended(self, log: EventLog, expected: int) -> None:
        log.append(new_events(2))
        with pytest.raises(AppendRefused, match="leave expected_offset out"):
            log.append(new_events(1), expected_offset=expected)
        assert log.end_offset() == 2
