"""A stream that a follower was told to follow."""

import pytest

from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from projections.follow.followed_stream import FollowedStream
from projections.follow.heartbeat import Beat
from projections.follow.tail import Tail
from projections.follow.timetable import AT_ONCE
from projections.projector import Projector
from projections.tracked_logs import register_log
from tests.projections.follow.following import ORDERS
from tests.properties.importing import ARCHIVED_AT, SETTINGS


@pytest.fixture
def tail(connected: Connection) -> Tail:
    with connected.transaction():
        log = register_log(connected, identify(ORDERS), 1, "kafka", SETTINGS, ARCHIVED_AT)
    return Tail(log, Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT), 7)


def test_at_first_it_is_to_be_attached_and_gives_no_sign_of_life() -> None:
    stream = FollowedStream(ORDERS)
    assert (stream.is_to_attach, stream.due_at, stream.beat(7)) == (True, AT_ONCE, None)


def test_attached_it_says_how_it_stands(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    assert not stream.is_to_attach
    assert stream.beat(9) == Beat(tail.log.log_id, "catching-up", 9)


def test_without_its_source_its_end_is_unknown(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    stream.detach(12.0)
    assert (stream.is_to_attach, stream.due_at) == (True, 12.0)
    assert stream.beat(9) == Beat(tail.log.log_id, "catching-up", None)


def test_without_its_session_it_has_no_lock_and_nothing_to_say(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    stream.lose_session()
    assert (stream.has_lock, stream.due_at, stream.beat(9)) == (False, AT_ONCE, None)


def test_what_is_over_is_not_attached_again() -> None:
    assert not FollowedStream(ORDERS, is_over=True).is_to_attach
