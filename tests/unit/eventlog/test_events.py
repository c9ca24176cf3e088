"""Events in batches, and blocks without the garbage collector."""

import gc
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from eventlog.events import NewEvent, RecordedEvent, batches, no_collections
from tests.fixtures.waiting import PATIENCE


def test_batches_are_limited_in_number_and_in_bytes() -> None:
    events = [RecordedEvent(offset, 0, 0, b"k", b"v" * 9) for offset in range(5)]
    assert [event for batch in batches(events, 2, 1000) for event in batch] == events
    assert [len(batch) for batch in batches(events, 2, 1000)] == [2, 2, 1]
    assert [len(batch) for batch in batches(events, 100, 20)] == [2, 2, 1]
    assert [len(batch) for batch in batches(events, 100, 19)] == [1] * 5
    assert [len(batch) for batch in batches(iter(events), 100, 1)] == [1] * 5
    assert list(batches([NewEvent(None, None)], 2, 1)) == [[NewEvent(None, None)]]
    assert list(batches(events[:0], 2, 1000)) == []
    assert len(list(batches([NewEvent(b"", b"", headers=(("a", b"b"),))] * 20, 100, 1000))) > 1


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector is enabled before and after each test."""
    gc.enable()
    yield
    gc.enable()


def test_the_collector_is_disabled_until_the_outer_block_ends() -> None:
    with no_collections():
        with no_collections():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    with no_collections():
        pass
    assert not gc.isenabled()


def test_the_collector_is_disabled_until_the_block_of_the_last_thread_ends() -> None:
    entered, may_end = Event(), Event()

    def hold() -> None:
        with no_collections():
            entered.set()
            may_end.wait(PATIENCE)

    with no_collections():
        thread = Thread(target=hold)
        thread.start()
        assert entered.wait(PATIENCE)
    was_enabled = gc.isenabled()
    may_end.set()
    thread.join(PATIENCE)
    assert (was_enabled, gc.isenabled()) == (False, True)
