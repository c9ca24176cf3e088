"""Blocks without the garbage collector."""

import gc
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from eventlog.garbage_collection import no_collections
from tests.fixtures.waiting import PATIENCE


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
