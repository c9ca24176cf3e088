"""Logs around other logs: opened again when a session has ended, and fenced."""

from collections.abc import Callable
from functools import partial

import pytest

from eventlog.events import NewEvent
from eventlog.log import Clock, EventLog, MemoryEventLog
from eventlog.postgres.log import PostgresEventLog
from managers.wrapped_logs import DelegatingLog, FencedLog
from tests.contracts.event_log import STREAM, ConditionalAppendContract
from tests.fixtures.managers.watched_log import unconditional


class TestDelegatingLog(ConditionalAppendContract):
    @pytest.fixture(autouse=True)
    def _database(self, database_url: str) -> None:
        self.url = database_url

    def make_log(self, clock: Clock) -> EventLog:
        PostgresEventLog.create(self.url, STREAM).close()
        return DelegatingLog(partial(PostgresEventLog, self.url, STREAM.stream_name, clock=clock))

    def open_again(self, log: EventLog) -> EventLog:
        return PostgresEventLog(self.url, log.stream_name)


class LockTaken(Exception):
    """Another process has the lock."""


def event(text: str) -> NewEvent:
    return NewEvent(text.encode(), b"")


def written(log: EventLog) -> list[bytes | None]:
    return [each.key for each in log.read()]


def in_turn(*checks: Callable[[], object]) -> Callable[[], object]:
    """A check of the lock that does each of these things in turn."""
    left = iter(checks)

    def check() -> None:
        next(left)()

    return check


def taken() -> None:
    raise LockTaken


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog(STREAM)


def test_an_append_after_a_takeover_is_refused(log: MemoryEventLog) -> None:
    suspended = in_turn(lambda: log.append([event("successor")]), taken)
    with pytest.raises(LockTaken):
        FencedLog(log, suspended).append([event("zombie")])
    assert written(log) == [b"successor"]


def test_writes_of_containers_do_not_stop_the_coordinator(log: MemoryEventLog) -> None:
    held = in_turn(lambda: log.append([event("container")]), lambda: None)
    assert FencedLog(log, held).append([event("coordinator")]) == range(1, 2)
    assert written(log) == [b"container", b"coordinator"]


def test_without_conditional_appends_the_lock_is_checked_before(log: MemoryEventLog) -> None:
    fenced = FencedLog(unconditional(log), in_turn(lambda: None, taken))
    fenced.append([event("coordinator")])
    with pytest.raises(LockTaken):
        fenced.append([event("zombie")])
    assert written(log) == [b"coordinator"]
