"""The tail of a log: what it buffers, which batches are due, and what applying them does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import psycopg
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.source import Read
from eventlog.streams import identify
from projections.follow import tail as module
from projections.follow.tail import BUFFER_SECONDS, EventBuffer, Tail, due_tails
from projections.projector import BATCH_BYTES, BATCH_EVENTS, CONFLICT_TRIES, Projector
from projections.tracked_logs import TrackedLog, register_log
from tests.builders import config_set, recorded
from tests.fixtures.projections.follow.running import ORDERS
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, always_copying

EVENTS = recorded([config_set("a", str(value)) for value in range(5)])


def registered(connection: Connection, incarnation: int = 1) -> TrackedLog:
    with connection.transaction():
        return register_log(connection, identify(ORDERS), incarnation, "kafka", SETTINGS, ARCHIVED_AT)


def tail(connection: Connection, target: int, *, incarnation: int = 1) -> Tail:
    log = registered(connection, incarnation)
    return Tail(log, Projector(connection, log, SETTINGS, lambda: ARCHIVED_AT), target)


def read(events: Sequence[RecordedEvent], next_offset: int) -> Read:
    return Read(ORDERS, events, next_offset)


def test_it_is_due_once_it_was_read_to_its_target(connected: Connection) -> None:
    followed = tail(connected, 3)
    followed.add(read(EVENTS[:2], 2), 0.0)
    assert (due_tails([followed], {ORDERS}, 0.0), followed.is_read_to_target) == ([], False)
    followed.add(read(EVENTS[2:], 5), 0.0)
    assert due_tails([followed], {ORDERS}, 0.0) == [followed]
    followed.apply()
    assert followed.is_live


class Failing:
    """A step that fails ``times`` times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, step: str) -> None:
        if step == "merged" and self.left:
            self.left -= 1
            raise psycopg.errors.DeadlockDetected


@pytest.mark.parametrize(("conflicts", "position"), [(CONFLICT_TRIES, 5), (CONFLICT_TRIES + 1, 0)])
def test_conflicts_are_retried_a_few_times(connected: Connection, conflicts: int, position: int) -> None:
    log, failing = registered(connected), Failing(conflicts)
    followed = Tail(log, always_copying(failing)(connected, log, SETTINGS, lambda: ARCHIVED_AT), 5)
    followed.add(read(EVENTS, 5), 0.0)
    try:
        followed.apply()
    except psycopg.errors.DeadlockDetected:
        assert position == 0
    assert (followed.position, failing.left) == (position, 0)


def numbered(stream_name: str, first: int, count: int = 1, *, size: int = 1, beyond: int = 0) -> Read:
    events = [RecordedEvent(first + n, 0, 0, b"", bytes(size)) for n in range(count)]
    return Read(stream_name, events, first + count + beyond)


@dataclass
class BufferedStream:
    """What `due_tails` needs of a tail."""

    stream_name: str
    is_read_to_target: bool = False
    buffer: EventBuffer = field(default_factory=lambda: EventBuffer(0))


def test_events_beyond_the_largest_batch_stay_buffered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_EVENTS", 4)
    buffered = EventBuffer(0)
    buffered.add(numbered("a", 0, 6, beyond=1), 0.0)
    events, next_offset = buffered.pop_batch()
    assert ([event.offset for event in events], next_offset) == ([0, 1, 2, 3], 4)
    assert (bool(buffered), buffered.is_full, buffered.bytes, buffered.next_offset) == (True, False, 2, 7)
    assert [event.offset for event in buffered.pop_batch()[0]] == [4, 5]
    assert not buffered


def test_a_buffer_is_full_by_number_or_bytes() -> None:
    many, large = EventBuffer(0), EventBuffer(0)
    many.add(numbered("a", 0, BATCH_EVENTS - 1), 0.0)
    large.add(numbered("a", 0, size=BATCH_BYTES - 1), 0.0)
    assert (many.is_full, large.is_full) == (False, False)
    many.add(numbered("a", BATCH_EVENTS - 1), 0.0)
    large.add(Read("a", [RecordedEvent(1, 0, 0, b"k", None)], 2), 0.0)
    assert (many.is_full, large.is_full) == (True, True)


def due(*streams: BufferedStream, returned: set[str], now: float = 0.0) -> list[str]:
    return [tail.stream_name for tail in due_tails(cast("Sequence[Tail]", streams), returned, now)]


def test_streams_that_were_read_to_their_target_are_due_at_once_and_others_are_buffered() -> None:
    live, idle = BufferedStream("live", is_read_to_target=True), BufferedStream("idle", is_read_to_target=True)
    catching_up = BufferedStream("catching-up")
    live.buffer.add(numbered("live", 0), 0.0)
    catching_up.buffer.add(numbered("catching-up", 0), 0.0)
    assert due(live, catching_up, idle, returned={"live", "catching-up"}) == ["live"]


def test_all_are_due_when_a_poll_returns_nothing() -> None:
    streams = [BufferedStream(name) for name in "ab"]
    for stream in streams:
        stream.buffer.add(numbered(stream.stream_name, 0), 0.0)
    assert due(*streams, returned=set()) == ["a", "b"]


def test_a_stream_is_due_after_a_while_although_another_is_busy() -> None:
    quiet = BufferedStream("quiet")
    quiet.buffer.add(numbered("quiet", 0), 1.0)
    assert due(quiet, returned={"busy"}, now=1.0 + BUFFER_SECONDS / 2) == []
    assert due(quiet, returned={"busy"}, now=1.0 + BUFFER_SECONDS) == ["quiet"]


def test_the_largest_is_due_when_all_together_buffer_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUFFERED_BYTES", 100)
    streams = [BufferedStream(name) for name in "abc"]
    for stream, size in zip(streams, (30, 40, 30), strict=True):
        stream.buffer.add(numbered(stream.stream_name, 0, size=size), 0.0)
    assert due(*streams, returned=set("abc")) == []
    streams[0].buffer.add(numbered("a", 1, size=1), 0.0)
    assert due(*streams, returned=set("abc")) == ["b"]
