"""A session: its streams one by one, their troubles, and its signs of life."""

from datetime import timedelta

import psycopg
import pytest

from eventlog.postgres.connection import Connection
from eventlog.postgres.source import PostgresSource
from projections.follow import followed_stream, session
from projections.follow.plan import FollowPlan
from projections.server_clock import server_now
from projections.stream_lock import StreamLocks
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.waiting import wait_until
from tests.projections.follow.following import (
    COUNTS,
    ORDERS,
    MakeLog,
    NoLocks,
    append,
    following,
    now,
    position,
    run,
    say,
    wait_for_position,
)

pytestmark = pytest.mark.slow


def test_a_missing_stream_is_followed_when_it_comes(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_stream, "RETRY_FIRST_SECONDS", 0.05)
    make_log(COUNTS, b="1")
    with following(database_url, source, FollowPlan((ORDERS, COUNTS))) as running:
        assert running.wait_for(ORDERS) == (
            f"the database has no stream {ORDERS}: create it, or look at its name again"
        )
        wait_for_position(connected, COUNTS, 1)
        make_log(ORDERS, a="1")
        wait_for_position(connected, ORDERS, 1)
        running.wait_for("can be followed")
    assert running.said[1:] == [f"{ORDERS} can be followed: this follower goes on at offset 1"]


def test_with_once_a_missing_stream_is_a_failure(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    make_log(COUNTS, b="1")
    said: list[str] = []
    outcome = run(database_url, source, FollowPlan((ORDERS, COUNTS), once=True), said)
    assert outcome.events == 1
    assert list(outcome.failures) == [ORDERS]
    assert said == [outcome.failures[ORDERS]]


def test_heartbeats_go_on_without_events(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)
    make_log(ORDERS, a="1")
    beat = "select heartbeat_at, read_at from projection.position"
    with following(database_url, source, FollowPlan((ORDERS,))):
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 1), what="live")
        first = connected.execute(beat.encode()).fetchone()
        assert first is not None

        def later() -> bool:
            row = connected.execute(beat.encode()).fetchone()
            return row is not None and row[0] > first[0] and row[1] > (first[1] or first[0])

        wait_until(later, what="a later heartbeat")


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(seconds=-45)], ids=["ahead", "behind"])
def test_signs_of_life_go_by_the_servers_clock(
    database_url: str,
    connected: Connection,
    source: PostgresSource,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    ahead: timedelta,
) -> None:
    """A clock that is behind made a follower look lost, and one that is ahead hid that it had ended."""
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)
    written = "select distinct heartbeat_at, read_at, xmin::text from projection.position"
    began = server_now(connected)
    seen = set()
    with (
        make_log(ORDERS, a="1") as log,
        following(database_url, source, FollowPlan((ORDERS,)), clock=lambda: now() + ahead),
    ):
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 1), what="live")
        append(log, a="2")
        wait_for_position(connected, ORDERS, 2)

        def is_beaten() -> bool:
            seen.update(connected.execute(written.encode()).fetchall())
            return len(seen) > 3

        wait_until(is_beaten, what="heartbeats")
    seen.update(connected.execute(written.encode()).fetchall())
    ended = server_now(connected)
    assert {began <= time <= ended for heartbeat_at, read_at, _ in seen for time in (heartbeat_at, read_at)} == {True}


def test_of_two_that_are_past_the_lock_one_stops(
    database_url: str,
    connected: Connection,
    source: PostgresSource,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.1)
    plan, log = FollowPlan((ORDERS,)), make_log(ORDERS)
    with (
        PostgresSource(database_url) as other_source,
        following(database_url, source, plan, locks=NoLocks) as one,
    ):
        wait_until(lambda: one.is_attached(ORDERS), what="the first")
        with following(database_url, other_source, plan, locks=NoLocks) as other:
            wait_until(lambda: other.is_attached(ORDERS), what="the second")
            append(log, a="1")
            wait_until(lambda: one.outcomes or other.outcomes, what="one to stop")
            append(log, a="2")
            wait_until(lambda: position(connected, ORDERS) == (2, 2, "live", 1), what="the other to go on")
            (ended,) = [running for running in (one, other) if running.outcomes]
    assert list(ended.outcomes[0].failures) == [ORDERS]
    assert ended.said == [f"the position of {ORDERS} is no longer 0: another projector has moved it, so this one stops"]
    history = connected.execute("select log_offset from coordinator.config_history order by 1")
    assert history.fetchall() == [(0,), (1,)]


class Once:
    """Raises an error at the first time of a step."""

    def __init__(self, step: str, error: Exception) -> None:
        self._step, self._error, self.is_raised = step, error, False

    def __call__(self, step: str) -> None:
        if step == self._step and not self.is_raised:
            self.is_raised = True
            raise self._error


@pytest.mark.parametrize("error", [psycopg.errors.DeadlockDetected(), psycopg.errors.SerializationFailure()])
def test_a_conflict_is_tried_again_without_a_word(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog, error: psycopg.Error
) -> None:
    make_log(ORDERS, a="1")
    fails = Once("merged", error)
    with following(database_url, source, FollowPlan((ORDERS,)), on_step=fails) as running:
        wait_for_position(connected, ORDERS, 1)
    assert fails.is_raised
    assert running.said == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (psycopg.errors.DiskFull(), "the database does not take events (DiskFull); waiting, and trying again"),
        (psycopg.errors.CheckViolation(), f"{ORDERS} cannot be followed on: the database refuses (CheckViolation)"),
    ],
)
def test_a_batch_that_failed_is_committed_later(
    database_url: str,
    connected: Connection,
    source: PostgresSource,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    error: psycopg.Error,
    sentence: str,
) -> None:
    monkeypatch.setattr(followed_stream, "RETRY_FIRST_SECONDS", 0.05)
    make_log(ORDERS, a="1")
    with following(database_url, source, FollowPlan((ORDERS,)), on_step=Once("merged", error)) as running:
        wait_for_position(connected, ORDERS, 1)
    assert running.said[0] == sentence
    assert connected.execute("select count(*) from projection.quarantine").fetchone() == (0,)


def test_a_stream_that_is_given_up_stops_no_other(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    make_log(COUNTS, b="1")
    make_log(ORDERS, a="1")
    run(database_url, source, FollowPlan((ORDERS,), once=True))
    connected.execute("update projection.position set fold_version = 'other'")
    with following(database_url, source, FollowPlan((ORDERS, COUNTS))) as running:
        running.wait_for("was folded as other")
        wait_until(lambda: position(connected, COUNTS) == (1, 1, "live", 1), what="the other stream")
        assert running.outcomes == []
    assert list(running.outcomes[0].failures) == [ORDERS]


def test_while_brokers_are_away_the_lag_is_unknown(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)
    beat = "select heartbeat_at from projection.position"
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        say(cluster, a="1")
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 1), what="live")
        cluster.is_away = True
        assert running.wait_for("do not answer") == "the brokers do not answer; waiting, and trying again"
        wait_until(lambda: (position(connected, ORDERS) or "")[1] is None, what="an unknown end")
        before = connected.execute(beat.encode()).fetchone()
        wait_until(lambda: connected.execute(beat.encode()).fetchone() != before, what="a heartbeat all the same")
        assert StreamLocks(connected).holder(ORDERS) is not None
        cluster.is_away = False
        say(cluster, a="2")
        wait_for_position(connected, ORDERS, 2)
        running.wait_for("going on")
        wait_until(lambda: position(connected, ORDERS) == (2, 2, "live", 1), what="live again")
    assert len(running.said) == 2
    assert position(connected, ORDERS) == (2, None, "stopped", 1)


def test_offsets_without_events_are_passed(database_url: str, connected: Connection, cluster: MemorySource) -> None:
    with following(database_url, cluster, FollowPlan((ORDERS,))):
        say(cluster, a="1")
        cluster.topics[ORDERS].skip(2)
        cluster.tell()
        wait_until(lambda: position(connected, ORDERS) == (3, 3, "live", 1), what="the position behind them")
