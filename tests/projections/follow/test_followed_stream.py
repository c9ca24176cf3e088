"""The state of a stream that a follower follows."""

import pytest

from eventlog.postgres.connection import Connection
from eventlog.streams import identify
from projections.follow.followed_stream import FollowedStream
from projections.follow.heartbeat import AT_ONCE, Beat
from projections.follow.tail import Tail
from projections.projector import Projector
from projections.tracked_logs import register_log
from tests.projections.follow.running import ORDERS
from tests.properties.importing import ARCHIVED_AT, SETTINGS


@pytest.fixture
def tail(connected: Connection) -> Tail:
    with connected.transaction():
        log = register_log(connected, identify(ORDERS), 1, "kafka", SETTINGS, ARCHIVED_AT)
    return Tail(log, Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT), 7)


def test_a_new_stream_is_to_be_attached_and_has_no_heartbeat() -> None:
    stream = FollowedStream(ORDERS)
    assert (stream.is_to_attach, stream.due_at, stream.beat(7)) == (True, AT_ONCE, None)


def test_the_heartbeat_of_an_attached_stream_has_its_state(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    assert not stream.is_to_attach
    assert stream.beat(9) == Beat(tail.log.log_id, "catching-up", 9)


def test_the_end_of_a_detached_stream_is_unknown(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    stream.seen_end = 7
    assert stream.activity().lag == 7
    stream.detach(12.0)
    assert stream.activity().lag is None
    assert (stream.is_to_attach, stream.due_at) == (True, 12.0)
    assert stream.beat(9) == Beat(tail.log.log_id, "catching-up", None)


def test_a_stream_without_its_session_has_no_lock_and_no_heartbeat(tail: Tail) -> None:
    stream = FollowedStream(ORDERS, has_lock=True)
    stream.attach(tail)
    stream.lose_session()
    assert (stream.has_lock, stream.due_at, stream.beat(9)) == (False, AT_ONCE, None)


def test_a_stream_that_is_over_is_not_attached() -> None:
    assert not FollowedStream(ORDERS, is_over=True).is_to_attach
