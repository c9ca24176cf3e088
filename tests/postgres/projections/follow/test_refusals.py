"""Streams that cannot be followed at present: the reason is shown, and they are retried."""

from typing import Any, Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from projections.follow import follow_run, follower, session
from projections.follow.follow_run import FollowPlan
from tests.builders import config_set
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import (
    COUNTS,
    ORDERS,
    Running,
    config,
    following,
    position,
    run,
    say,
    wait_for_position,
)
from tests.fixtures.properties.importing import import_events
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

REASON: Final = "it has 2 partitions"
MESSAGE: Final = f"{ORDERS} cannot be followed: {REASON}."
NEVER_READ: Final = ("orders", "1", "coordinator", 1, 0, None, None, "refused", MESSAGE)
SHOWN: Final = """
select job_name, job_id, stream_kind, incarnation, next_offset, end_offset, lag, state, state_detail
from coordinator.log_position where stream_name = %s order by incarnation
"""


LOCK: Final = """
select from projection.position p join projection.job_log j using (log_id) where j.stream_name = %s for update of p
"""


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits before retries and heartbeats."""
    monkeypatch.setattr(follow_run, "RETRY_FIRST_SECONDS", 0.05)
    monkeypatch.setattr(follow_run, "RETRY_LONGEST_SECONDS", 0.1)
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)


def shown(connection: Connection, stream_name: str = ORDERS) -> list[tuple[Any, ...]]:
    return connection.execute(SHOWN, (stream_name,)).fetchall()


def wait_for_state(connection: Connection, state: str, detail: str | None, stream_name: str = ORDERS) -> None:
    def is_shown() -> bool:
        return [row[-2:] for row in shown(connection, stream_name)] == [(state, detail)]

    wait_until(is_shown, what=f"{state}: {detail}")


def test_a_stream_refused_from_the_first_has_a_row_and_is_followed_later(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    cluster.refused[ORDERS] = REASON
    say(cluster, a="1")
    beat = "select heartbeat_at, now() - heartbeat_at < interval '1 minute' from coordinator.log_position"
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        assert running.wait_for(ORDERS) == MESSAGE
        wait_until(lambda: shown(connected) == [NEVER_READ], what="the row")
        first = connected.execute(beat.encode()).fetchone()
        assert first is not None
        assert first[1]
        wait_until(lambda: (connected.execute(beat.encode()).fetchone() or first)[0] > first[0], what="a heartbeat")
        assert connected.execute("select count(*) from coordinator.job").fetchone() == (0,)
        cluster.refused.clear()
        wait_for_position(connected, ORDERS, 1)
        wait_for_state(connected, "live", None)
    assert running.messages == [MESSAGE, f"{ORDERS} can be followed again: continuing at offset 1."]
    assert len(shown(connected)) == 1


def test_a_known_stream_is_followed_again_once_the_cause_is_fixed(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    cluster.create(COUNTS)
    with following(database_url, cluster, FollowPlan((ORDERS, COUNTS))) as running:
        say(cluster, a="1")
        wait_for_state(connected, "live", None)
        wait_for_state(connected, "live", None, COUNTS)
        cluster.refused[ORDERS] = REASON
        cluster.is_away = True
        cluster.tell()
        away = "the brokers do not answer; retrying"
        wait_for_state(connected, "waiting", away, COUNTS)
        cluster.is_away = False
        wait_for_state(connected, "refused", MESSAGE)
        wait_for_state(connected, "live", None, COUNTS)
        say(cluster, b="2")
        cluster.refused.clear()
        wait_for_state(connected, "live", None)
        wait_for_position(connected, ORDERS, 2)
    assert [message for message in running.messages if ORDERS in message] == [
        MESSAGE,
        f"{ORDERS} can be followed again: continuing at offset 2.",
    ]


def test_a_deleted_topic_is_refused_until_it_is_recreated(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        say(cluster, a="1")
        wait_for_state(connected, "live", None)
        del cluster.topics[ORDERS]
        cluster.tell()
        gone = running.wait_for("has no stream")
        wait_for_state(connected, "refused", gone)
        cluster.create(ORDERS)
        say(cluster, b="2")
        wait_until(lambda: config(connected) == [("orders", "b", "2")], what="the new topic")
        wait_until(lambda: [row[-2] for row in shown(connected)] == ["stopped", "live"], what="live")


@pytest.mark.parametrize("is_known", [True, False])
def test_with_once_a_refusal_ends_the_follower_and_stays_recorded(
    database_url: str, connected: Connection, cluster: MemorySource, is_known: bool
) -> None:
    if is_known:
        run(database_url, cluster, FollowPlan((ORDERS,), once=True))
    cluster.refused[ORDERS] = REASON
    assert run(database_url, cluster, FollowPlan((ORDERS,), once=True)).failures == {ORDERS: MESSAGE}
    assert shown(connected) == [NEVER_READ]
    cluster.refused.clear()
    assert run(database_url, cluster, FollowPlan((ORDERS,), once=True)).failures == {}
    wait_for_state(connected, "stopped", None)


def test_a_recording_that_a_follower_of_postgres_cannot_follow_stays_complete(
    database_url: str, connected: Connection, cluster: MemorySource, source: PostgresSource
) -> None:
    say(cluster, a="1")
    import_events(connected, ORDERS, cluster.topics.pop(ORDERS).events)
    assert list(run(database_url, source, FollowPlan((ORDERS,), once=True)).failures) == [ORDERS]
    assert position(connected, ORDERS) == (1, 1, "stopped", 1)
    run(database_url, cluster, FollowPlan((ORDERS,), once=True))
    assert position(connected, ORDERS) == (1, None, "refused", 1)  # its topic is asked for, and missing


def test_a_name_without_a_stream_leaves_no_row(
    database_url: str, connected: Connection, source: PostgresSource
) -> None:
    assert list(run(database_url, source, FollowPlan((ORDERS,), once=True)).failures) == [ORDERS]
    assert shown(connected) == []
    with following(database_url, source, FollowPlan((ORDERS,))) as running:
        message = running.wait_for("has no stream")
        wait_for_state(connected, "refused", message)
    assert shown(connected) == []


def test_streams_of_a_follower_of_all_are_shown_until_it_stops(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.create(COUNTS)
    seen, read = [], cluster.describe

    def stop_at_the_first(name: str) -> Any:
        seen.extend([*shown(connected), *shown(connected, COUNTS)])
        running.follower.stop()
        return read(name)

    monkeypatch.setattr(cluster, "describe", stop_at_the_first)
    with following(database_url, cluster, FollowPlan(follows_all=True)) as running:
        wait_until(lambda: running.outcomes, what="the end")
    assert [row[-2:] for row in seen] == [("catching-up", None)] * 2
    assert connected.execute("select state from coordinator.log_position").fetchall() == [("stopped",)]


def refused(running: Running) -> int:
    return sum(stream.is_refused for stream in running.follower._run.streams.values())


def test_refused_streams_do_not_delay_others(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow_run, "RETRY_FIRST_SECONDS", 0.0)
    names = [f"__samza_coordinator_refused-{number}_1" for number in range(30)]
    for name in names:
        cluster.create(name)
        cluster.refused[name] = REASON
    tries = [0]
    describe, poll = MemorySource.describe, MemorySource.poll

    def counted(self: MemorySource, stream_name: str) -> Any:
        tries[-1] += 1
        return describe(self, stream_name)

    def polled(self: MemorySource, timeout: float) -> Any:
        tries.append(0)
        return poll(self, timeout)

    with following(database_url, cluster, FollowPlan((*names, ORDERS))) as running:
        wait_until(lambda: refused(running) == len(names), what="all refusals")
        wait_for_state(connected, "live", None)
        monkeypatch.setattr(MemorySource, "poll", polled)
        monkeypatch.setattr(MemorySource, "describe", counted)
        for offset in range(5):
            say(cluster, a=str(offset))
            wait_for_position(connected, ORDERS, offset + 1)
        wait_until(lambda: sum(tries) > len(names), what="retries of all")
    assert max(tries[1:]) == 1
    assert len(running.messages) == len(names)


def test_a_refusal_of_a_log_that_is_locked_does_not_delay_others(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_LOCK_TIMEOUT", "set lock_timeout = '50ms'")
    cluster.create(COUNTS)
    with following(database_url, cluster, FollowPlan((ORDERS, COUNTS))) as running:
        say(cluster, a="1")
        wait_for_position(connected, ORDERS, 1)
        with connect(database_url) as other, other.transaction():
            other.execute(LOCK, (ORDERS,))
            del cluster.topics[ORDERS]
            cluster.tell()
            running.wait_for(f"has no stream {ORDERS}")
            cluster.topics[COUNTS].append(config_set("b").key, None)
            cluster.tell()
            wait_for_position(connected, COUNTS, 1)
        wait_until(lambda: [row[-2] for row in shown(connected)] == ["refused"], what="the refusal")


def test_another_follower_can_read_a_refused_stream(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    cluster.refused[ORDERS] = REASON
    say(cluster, a="1")
    with MemorySource() as allowed, following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        allowed.topics = cluster.topics
        wait_for_state(connected, "refused", running.wait_for(ORDERS))
        wait_until(lambda: refused(running) == 1, what="the refusal in the activity")
        with following(database_url, allowed, FollowPlan((ORDERS,))):
            wait_for_position(connected, ORDERS, 1)
            wait_for_state(connected, "live", None)
            running.wait_for("This follower waits")
            wait_until(lambda: refused(running) == 0, what="the wait in the activity")
            wait_for_state(connected, "live", None)
