"""Which coordinator gets the lock of a job, in this process."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial

import psycopg
import pytest

from coordstream.cli import coordinator as command
from coordstream.cli.coordinator import take
from coordstream.coordinator.job_lock import CoordinatorRunning, JobLock
from eventlog.postgres.connection import connect

MakeLock = Callable[[], JobLock]


@pytest.fixture
def make_lock(database_url: str) -> Iterator[MakeLock]:
    with ExitStack() as opened:

        def make() -> JobLock:
            lock = JobLock(partial(connect, database_url), "orders", "__samza_coordinator_orders_1")
            return opened.enter_context(closing(lock))

        yield make


def test_a_silent_holder_is_ended(make_lock: MakeLock, capsys: pytest.CaptureFixture[str]) -> None:
    silent, successor = make_lock(), make_lock()
    assert silent.take()
    with pytest.raises(CoordinatorRunning):
        take("orders", successor, wait=False, take_over_after=60)
    take("orders", successor, wait=False, take_over_after=0)
    assert capsys.readouterr().err.startswith("Ended a silent coordinator: ")
    with pytest.raises(CoordinatorRunning):
        silent.require()


def test_a_database_that_is_away_is_waited_for(
    make_lock: MakeLock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "WAIT_SECONDS", 0)
    lock, answers = make_lock(), [psycopg.OperationalError(), psycopg.OperationalError()]
    connect_again = lock._connect

    def connect_later() -> psycopg.Connection[tuple[object, ...]]:
        if answers:
            raise answers.pop()
        return connect_again()

    monkeypatch.setattr(lock, "_connect", connect_later)
    take("orders", lock, wait=True, take_over_after=None)
    assert not lock.require()
    assert capsys.readouterr().err == "Waiting until the current coordinator ends: its database does not answer.\n"
