"""While another session blocks the projectors of a log, its follower writes heartbeats and reads other streams."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from eventlog.streams import identify
from projections.follow import attacher, follower, session
from projections.follow.error_policy import BLOCKED
from projections.follow.follow_run import FollowPlan
from projections.rebuild import rebuild_log
from projections.tracked_logs import block_projectors, lock_job, logs_of
from tests.fixtures.projections.follow.running import (
    COUNTS,
    ORDERS,
    MakeLog,
    append,
    config,
    following,
    wait_for_position,
)
from tests.fixtures.properties.importing import SETTINGS
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

POSITION = """
select next_offset, end_offset, state_detail, heartbeat_at from coordinator.log_position where stream_name = %s
"""


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "_LOCK_TIMEOUT", "set lock_timeout = '50ms'")
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(attacher, "BLOCKED_SECONDS", 0.05)


@contextmanager
def blocked(database_url: str, stream_name: str) -> Iterator[Connection]:
    """Block the projectors of a stream's log during the block."""
    with connect(database_url) as other, other.transaction():
        block_projectors(other, logs_of(other, stream_name))
        yield other


def row(connection: Connection, stream_name: str) -> tuple[Any, ...]:
    return connection.execute(POSITION, (stream_name,)).fetchone() or ()


def test_heartbeats_and_other_streams_do_not_wait(
    database_url: str, source: PostgresSource, make_log: MakeLog, connected: Connection
) -> None:
    orders, counts = make_log(ORDERS, a="1"), make_log(COUNTS, b="1")
    with following(database_url, source, FollowPlan((ORDERS, COUNTS))) as running:
        wait_for_position(connected, ORDERS, 1)
        with blocked(database_url, ORDERS):
            append(orders, a="2")
            running.wait_for(f"{ORDERS} waits: {BLOCKED}.")
            wait_until(lambda: row(connected, ORDERS)[:3] == (1, 2, BLOCKED), what="the reason")
            last = row(connected, ORDERS)[3]
            append(counts, b="2")
            wait_for_position(connected, COUNTS, 2)
            append(orders, a="3")
            wait_until(lambda: row(connected, ORDERS)[1] == 3 and row(connected, ORDERS)[3] > last, what="a heartbeat")
        wait_for_position(connected, ORDERS, 3)
        wait_until(lambda: row(connected, ORDERS)[2] is None, what="the end of the reason")
        assert ("orders", "a", "3") in config(connected)
        assert not running.errors


def test_a_blocked_log_is_loaded_again_if_it_was_rebuilt(
    database_url: str, source: PostgresSource, make_log: MakeLog, connected: Connection
) -> None:
    orders = make_log(ORDERS, a="1")
    with following(database_url, source, FollowPlan((ORDERS,))) as running:
        wait_for_position(connected, ORDERS, 1)
        with blocked(database_url, ORDERS) as other:
            append(orders, a="2", b="1")
            running.wait_for(f"{ORDERS} waits: {BLOCKED}.")
            rebuild_log(other, logs_of(other, ORDERS)[0], SETTINGS)
        wait_for_position(connected, ORDERS, 3)
        assert ("orders", "b", "1") in config(connected)
        assert not running.errors


def test_a_log_that_is_locked_when_it_is_attached_delays_no_other(
    database_url: str, source: PostgresSource, make_log: MakeLog, connected: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "ATTACHING_SECONDS", 0.04)  # less than the wait for the lock
    monkeypatch.setattr(attacher, "BLOCKED_SECONDS", 0.0)
    make_log(ORDERS, a="1")
    make_log(COUNTS, b="1")
    plan = FollowPlan((ORDERS, COUNTS))
    with connect(database_url) as other, other.transaction():
        lock_job(other, identify(ORDERS))
        with following(database_url, source, plan) as running:
            wait_for_position(connected, COUNTS, 1)
            assert not running.has_message("unavailable")
