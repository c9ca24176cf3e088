"""What waits for a batch, and which batches are applied."""

from dataclasses import dataclass, field

import pytest

from eventlog.events import RecordedEvent
from eventlog.source import Read
from projections.follow import gathering
from projections.follow.gathering import BATCH_BYTES, PATIENCE_SECONDS, Gathering, due_batches
from projections.projector import BATCH_EVENTS


def read(stream_name: str, first: int, count: int = 1, *, size: int = 1, beyond: int = 0) -> Read:
    events = [RecordedEvent(first + n, 0, 0, b"", bytes(size)) for n in range(count)]
    return Read(stream_name, events, first + count + beyond)


@dataclass
class Stream:
    """A stream as far as gathering goes."""

    stream_name: str
    is_live: bool = False
    gathering: Gathering = field(default_factory=lambda: Gathering(0))


def test_a_batch_is_what_several_polls_brought() -> None:
    gathered = Gathering(5)
    gathered.add(read("a", 5, 2), 1.0)
    gathered.add(read("a", 7, 1, beyond=3), 2.0)
    assert (bool(gathered), gathered.since, gathered.bytes) == (True, 1.0, 3)
    batch = gathered.take()
    assert ([event.offset for event in batch.events], batch.next_offset) == ([5, 6, 7], 11)
    assert (bool(gathered), gathered.bytes, gathered.next_offset) == (False, 0, 11)


def test_a_position_that_moved_without_events_is_worth_a_batch() -> None:
    gathered = Gathering(5)
    gathered.add(read("a", 5, 0, beyond=2), 0.0)
    assert bool(gathered)
    assert gathered.take() == ([], 7)


def test_what_is_more_than_a_batch_stays_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "BATCH_EVENTS", 4)
    gathered = Gathering(0)
    gathered.add(read("a", 0, 6, beyond=1), 0.0)
    first = gathered.take()
    assert ([event.offset for event in first.events], first.next_offset) == ([0, 1, 2, 3], 4)
    assert (bool(gathered), gathered.is_full, gathered.bytes, gathered.next_offset) == (True, False, 2, 7)
    assert [event.offset for event in gathered.take().events] == [4, 5]
    assert not gathered


def test_a_batch_is_full_by_number_or_by_size() -> None:
    many, large = Gathering(0), Gathering(0)
    many.add(read("a", 0, BATCH_EVENTS - 1), 0.0)
    large.add(read("a", 0, size=BATCH_BYTES - 1), 0.0)
    assert (many.is_full, large.is_full) == (False, False)
    many.add(read("a", BATCH_EVENTS - 1), 0.0)
    large.add(Read("a", [RecordedEvent(1, 0, 0, b"k", None)], 2), 0.0)
    assert (many.is_full, large.is_full) == (True, True)


def due(*streams: Stream, brought: set[str], now: float = 0.0) -> list[str]:
    return due_batches(streams, brought, now)


def test_live_streams_are_applied_at_once_and_others_gather() -> None:
    live, catching_up, idle = Stream("live", is_live=True), Stream("catching-up"), Stream("idle", is_live=True)
    live.gathering.add(read("live", 0), 0.0)
    catching_up.gathering.add(read("catching-up", 0), 0.0)
    assert due(live, catching_up, idle, brought={"live", "catching-up"}) == ["live"]


def test_a_full_batch_is_applied() -> None:
    stream = Stream("a")
    stream.gathering.add(read("a", 0, BATCH_EVENTS), 0.0)
    assert due(stream, brought={"a"}) == ["a"]


def test_all_are_applied_when_nothing_more_comes() -> None:
    streams = [Stream(name) for name in "ab"]
    for stream in streams:
        stream.gathering.add(read(stream.stream_name, 0), 0.0)
    assert due(*streams, brought=set()) == ["a", "b"]


def test_a_busy_stream_does_not_make_others_wait_for_ever() -> None:
    quiet = Stream("quiet")
    quiet.gathering.add(read("quiet", 0), 1.0)
    assert due(quiet, brought={"busy"}, now=1.0 + PATIENCE_SECONDS / 2) == []
    assert due(quiet, brought={"busy"}, now=1.0 + PATIENCE_SECONDS) == ["quiet"]


def test_the_largest_is_applied_when_all_together_hold_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "GATHERED_BYTES", 100)
    streams = [Stream(name) for name in "abc"]
    for stream, size in zip(streams, (30, 40, 30), strict=True):
        stream.gathering.add(read(stream.stream_name, 0, size=size), 0.0)
    assert due(*streams, brought=set("abc")) == []
    streams[0].gathering.add(read("a", 1, size=1), 0.0)
    assert due(*streams, brought=set("abc")) == ["b"]
