"""A stream that is attached: gathered, applied, and where it stands."""

from collections.abc import Sequence

import psycopg
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.source import Read
from eventlog.streams import identify
from projections.follow.tail import CONFLICT_TRIES, Tail
from projections.projector import Projector
from projections.tracked_logs import TrackedLog, register_log
from tests.builders import config_set, recorded
from tests.projections.follow.following import ORDERS
from tests.properties.importing import ARCHIVED_AT, SETTINGS

EVENTS = recorded([config_set("a", str(value)) for value in range(5)])


def registered(connection: Connection, incarnation: int = 1) -> TrackedLog:
    with connection.transaction():
        return register_log(connection, identify(ORDERS), incarnation, "kafka", SETTINGS, ARCHIVED_AT)


def tail(connection: Connection, target: int, until: int | None = None, *, incarnation: int = 1) -> Tail:
    log = registered(connection, incarnation)
    return Tail(log, Projector(connection, log, SETTINGS, lambda: ARCHIVED_AT), target, until)


def read(events: Sequence[RecordedEvent], next_offset: int) -> Read:
    return Read(ORDERS, events, next_offset)


def test_it_is_live_when_it_has_what_was_there_at_the_start(connected: Connection) -> None:
    followed = tail(connected, 3)
    states = [followed.state]
    for until in (2, 3, 5):
        followed.add(read(EVENTS[followed.position : until], until), 0.0)
        followed.apply()
        states.append(followed.state)
    assert states == ["catching-up", "catching-up", "live", "live"]
    assert (followed.position, followed.is_live, followed.has_replaced) == (5, True, False)


def test_an_empty_stream_is_live_at_once(connected: Connection) -> None:
    assert tail(connected, 0).state == "live"


def test_what_was_applied_is_told(connected: Connection) -> None:
    followed = tail(connected, 9)
    followed.add(read(EVENTS[:2], 2), 0.0)
    followed.add(read(EVENTS[2:4], 7), 0.0)
    assert followed.apply() == (ORDERS, "catching-up", 4, 0, 7, 9, EVENTS[3].timestamp)
    followed.add(read([], 9), 0.0)
    assert followed.apply() == (ORDERS, "live", 0, 7, 9, 9, None)


def test_nothing_is_taken_beyond_the_limit(connected: Connection) -> None:
    followed = tail(connected, 5, until=2)
    followed.add(read(EVENTS[:2], 2), 0.0)
    followed.apply()
    assert not followed.is_at_limit
    followed.add(read(EVENTS[2:], 5), 0.0)
    assert followed.apply().next_offset == 3
    assert followed.is_at_limit


def test_a_limit_where_no_event_is_left_is_passed(connected: Connection) -> None:
    followed = tail(connected, 5, until=2)
    followed.add(read([EVENTS[0], EVENTS[4]], 5), 0.0)
    assert (followed.apply().events, followed.position, followed.is_at_limit) == (1, 3, True)


def test_a_new_incarnation_replaces_until_it_is_complete(connected: Connection) -> None:
    registered(connected)
    followed = tail(connected, 1, incarnation=2)
    assert (followed.state, followed.has_replaced) == ("replacing", False)
    followed.add(read(EVENTS[:1], 1), 0.0)
    followed.apply()
    assert (followed.state, followed.has_replaced, followed.is_live) == ("replacing", True, False)


class Failing:
    """A step that fails so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, step: str) -> None:
        if step == "merged" and self.left:
            self.left -= 1
            raise psycopg.errors.DeadlockDetected


@pytest.mark.parametrize(("conflicts", "position"), [(CONFLICT_TRIES, 5), (CONFLICT_TRIES + 1, 0)])
def test_conflicts_are_tried_again_a_few_times(connected: Connection, conflicts: int, position: int) -> None:
    log, failing = registered(connected), Failing(conflicts)
    followed = Tail(log, Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT, on_step=failing), 5)
    followed.add(read(EVENTS, 5), 0.0)
    try:
        followed.apply()
    except psycopg.errors.DeadlockDetected:
        assert position == 0
    assert (followed.position, failing.left) == (position, 0)
