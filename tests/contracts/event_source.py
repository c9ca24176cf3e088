"""What every event source must do; a backend subclasses it, and says how its streams are made and written to.

A source reads what any program appends: nothing here goes by way of the source but reading.
"""

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import pytest

from eventlog.events import NewEvent
from eventlog.source import EventSource, StreamMissing
from tests.contracts.event_log import new_events
from tests.contracts.followed import Followed, offsets
from tests.fixtures.waiting import PATIENCE, wait_until


class EventSourceContract(ABC):
    """Each test gets a source that has been asked nothing."""

    backend: str

    @abstractmethod
    def make_source(self) -> EventSource:
        """Open the source."""

    @abstractmethod
    def make_stream(self) -> str:
        """Make an empty stream that no other test has, a coordinator stream by its name."""

    @abstractmethod
    def append(self, stream_name: str, events: Sequence[NewEvent]) -> None:
        """Append events, as another program would."""

    @pytest.fixture
    def source(self) -> Iterator[EventSource]:
        source = self.make_source()
        try:
            yield source
        finally:
            source.close()

    def make_filled(self, count: int, prefix: str = "k") -> str:
        """Create a stream with a number of events."""
        name = self.make_stream()
        self.append(name, new_events(count, prefix))
        return name

    def test_it_names_all_streams_in_order(self, source: EventSource) -> None:
        made = [self.make_stream() for _ in range(3)]
        names = source.stream_names()
        assert names == sorted(names)
        assert set(made) <= set(names)
        assert self.make_stream() in set(source.stream_names()) - set(names)

    def test_a_stream_is_described_afresh_and_stays_itself(self, source: EventSource) -> None:
        assert (source.backend, source.cluster_id) == (self.backend, source.cluster_id)
        name = self.make_stream()
        empty = source.describe(name)
        assert (empty.stream_name, empty.start_offset, empty.end_offset, empty.warning) == (name, 0, 0, "")
        self.append(name, new_events(3))
        assert source.describe(name) == empty._replace(end_offset=3)

    def test_a_missing_stream_is_reported(self, source: EventSource) -> None:
        with pytest.raises(StreamMissing, match=r"has no stream __samza_coordinator_nowhere_1\. Create it") as missing:
            source.describe("__samza_coordinator_nowhere_1")
        assert missing.value.stream_name == "__samza_coordinator_nowhere_1"

    def test_the_ends_of_several_streams_are_one_question(self, source: EventSource) -> None:
        first, second = self.make_filled(2), self.make_filled(1)
        assert source.end_offsets([first, "__samza_coordinator_nowhere_1", second]) == {first: 2, second: 1}
        assert source.end_offsets([]) == {}

    def test_ranges_are_read_again_and_at_once(self, source: EventSource) -> None:
        name = self.make_filled(4)
        once, again = source.read(name, 0, 4), source.read(name, 2, 4)
        assert [next(once).offset, next(again).offset, next(once).offset] == [0, 2, 1]
        del again  # an abandoned read has no effect
        assert offsets([*once]) == [2, 3]
        assert offsets([*source.read(name, 1, 3)]) == [1, 2]
        assert list(source.read(name, 3, 3)) == []

    def test_events_come_as_they_were_appended(self, source: EventSource) -> None:
        name = self.make_stream()
        given = [
            NewEvent(b"key", None, 0),
            NewEvent(b"", b"", 1),
            NewEvent(b"\x00\xff", b"\xfe\x00", 1_700_000_000_001, (("a", b"\x00"), ("a", b""), ("\u00fc", b"x"))),
            NewEvent(b"k" * 3000, bytes(range(256)) * 3800, 5),
        ]
        self.append(name, given)
        source.assign({name: 0})
        followed = Followed(source).until(name, 4)
        assert followed == list(source.read(name, 0, 4))
        assert [NewEvent(event.key, event.value, event.timestamp, event.headers) for event in followed] == given
        assert [event.timestamp_type for event in followed] == [0, 0, 0, 0]

    def test_a_stream_is_followed_from_an_offset_on(self, source: EventSource) -> None:
        name = self.make_filled(5)
        source.assign({name: 3})
        followed = Followed(source)
        assert offsets(followed.until(name, 5)) == [3, 4]
        self.append(name, new_events(2))
        assert offsets(followed.until(name, 7)) == [3, 4, 5, 6]
        assert followed.nothing_more()

    def test_a_poll_ends_at_its_timeout(self, source: EventSource) -> None:
        source.assign({self.make_stream(): 0})
        source.poll(0)
        began = time.monotonic()
        assert source.poll(0.5) == []
        assert 0.45 < time.monotonic() - began < PATIENCE / 2

    def test_a_waiting_poll_gives_what_comes(self, source: EventSource) -> None:
        name = self.make_stream()
        source.assign({name: 0})
        assert Followed(source).nothing_more()
        writer = threading.Timer(0.2, self.append, (name, new_events(1)))
        writer.start()
        reads = source.poll(PATIENCE)
        writer.join()
        assert [(read.stream_name, offsets(read.events), read.next_offset) for read in reads] == [(name, [0], 1)]

    def test_a_long_stream_does_not_keep_others_waiting(self, source: EventSource) -> None:
        long, short = self.make_filled(60_000), self.make_filled(1)
        source.assign({long: 0, short: 0})
        followed = Followed(source)
        followed.until(short, 1)
        assert followed.positions.get(long, 0) < 60_000
        assert len(followed.until(long, 60_000)) == 60_000

    def test_a_stream_that_is_no_longer_assigned_is_not_read(self, source: EventSource) -> None:
        left, kept = self.make_filled(1), self.make_filled(1)
        source.assign({left: 0, kept: 0})
        followed = Followed(source)
        followed.until(left, 1)
        followed.until(kept, 1)
        source.assign({kept: 1})
        self.append(left, new_events(1))
        self.append(kept, new_events(1))
        assert offsets(followed.until(kept, 2)) == [0, 1]
        assert followed.nothing_more()
        assert followed.positions == {left: 1, kept: 2}

    def test_a_stream_added_leaves_the_others_where_they_are(self, source: EventSource) -> None:
        first = self.make_filled(30_000)
        source.assign({first: 0})
        followed = Followed(source)
        wait_until(followed.poll, what="the first events")
        second = self.make_filled(2)
        source.assign({first: followed.positions[first], second: 1})
        assert offsets(followed.until(second, 2)) == [1]
        assert offsets(followed.until(first, 30_000)) == list(range(30_000))

    def test_reassigning_a_stream_starts_at_the_given_offset(self, source: EventSource) -> None:
        name = self.make_filled(5)
        source.assign({name: 0})
        Followed(source).until(name, 5)
        source.assign({})
        assert source.poll(0) == []
        source.assign({name: 0})
        assert offsets(Followed(source).until(name, 5)) == [0, 1, 2, 3, 4]

    def test_a_range_is_read_apart_from_what_is_followed(self, source: EventSource) -> None:
        name = self.make_filled(4)
        source.assign({name: 2})
        assert offsets(list(source.read(name, 0, 4))) == [0, 1, 2, 3]
        assert offsets(Followed(source).until(name, 4)) == [2, 3]

    @pytest.mark.parametrize("waker", ["thread", "signal", "earlier call"])
    def test_a_waiting_poll_is_woken(self, source: EventSource, waker: str) -> None:
        name = self.make_stream()
        source.assign({name: 0})
        source.poll(0)
        before = signal.signal(signal.SIGALRM, lambda *_: source.wake())
        thread = threading.Timer(0.2, source.wake)
        began = time.monotonic()
        try:
            if waker == "thread":
                thread.start()
            elif waker == "signal":
                signal.setitimer(signal.ITIMER_REAL, 0.2)
            else:
                source.wake()
            assert source.poll(PATIENCE) == []
        finally:
            signal.signal(signal.SIGALRM, before)
            thread.cancel()
        assert time.monotonic() - began < PATIENCE / 2
        self.append(name, new_events(1))
        assert offsets(Followed(source).until(name, 1)) == [0]

    def test_many_streams_are_followed_at_once(self, source: EventSource) -> None:
        names = [self.make_stream() for _ in range(12)]
        source.assign(dict.fromkeys(names, 0))
        followed = Followed(source)
        assert followed.nothing_more()
        for number, name in enumerate(names):
            self.append(name, new_events(2, f"s{number}."))
        for number, name in enumerate(names):
            assert [event.key for event in followed.until(name, 2)] == [b"s%d.0" % number, b"s%d.1" % number]
