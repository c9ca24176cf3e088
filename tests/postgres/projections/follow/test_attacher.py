"""Attaching: streams that another follower holds, new incarnations, resyncs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.source import PostgresSource
from projections.follow import session
from projections.follow.follow_run import FollowPlan
from projections.follow.session import HEARTBEAT_STREAMS
from projections.stream_lock import StreamLocks
from tests.builders import config_set
from tests.fixtures.memory_source import DAY_MS, MemorySource
from tests.fixtures.projections.follow.running import (
    ORDERS,
    MakeLog,
    config,
    following,
    let_pass,
    now,
    position,
    run,
    say,
    seem_old,
    set_lost_after,
    wait_for_position,
)
from tests.fixtures.properties.importing import always_copying, import_events
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow


@contextmanager
def held(url: str, stream_name: str) -> Iterator[int]:
    """Hold a stream's lock in another session, and yield its backend's process id."""
    with connect(url, application_name="the holder") as connection:
        assert StreamLocks(connection).take(stream_name)
        yield connection.info.backend_pid


def test_a_silent_holder_is_reported_with_how_to_end_it(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    set_lost_after(connected, 0.1)
    make_log(ORDERS, a="1")
    with held(database_url, ORDERS) as backend, following(database_url, source, FollowPlan((ORDERS,))) as second:
        waits = second.wait_for("silent since")
        ends = f"end its process, or its session with `select pg_terminate_backend({backend})`. This follower waits."
        assert waits.endswith(ends)


@pytest.mark.parametrize("unread", [0, 3])
def test_with_once_a_topic_that_was_recreated_behind_its_holder_is_read_to_its_end(
    database_url: str, connected: Connection, cluster: MemorySource, unread: int
) -> None:
    """The holder has read none of the new topic, which is shorter or longer than the old one."""
    say(cluster, a="1", b="2", c="3")
    run(database_url, cluster, FollowPlan((ORDERS,), once=True))
    say(cluster, **dict.fromkeys("abc"[:unread], "4"))
    if not unread:
        cluster.create(ORDERS)
        say(cluster, a="5")
    with (
        held(database_url, ORDERS) as backend,
        following(database_url, cluster, FollowPlan((ORDERS,), once=True)) as once,
    ):
        once.wait_for(f"{ORDERS} is read by the holder")
        wait_until(lambda: once.follower._run.streams[ORDERS].planned, what="the end to be planned")
        if unread:
            cluster.create(ORDERS)
            say(cluster, **dict.fromkeys("abcdefghij", "5"))
        connected.execute("select pg_terminate_backend(%s)", (backend,))
        wait_until(lambda: once.outcomes, what="the end")
    expected = 10 if unread else 1
    assert once.outcomes[0].events == expected
    assert position(connected, ORDERS) == (expected, None, "stopped", 2)


def test_a_recreated_topic_is_followed_as_a_new_incarnation(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        say(cluster, a="1", b="2")
        wait_until(lambda: position(connected, ORDERS) == (2, 2, "live", 1), what="live")
        cluster.create(ORDERS)
        say(cluster, c="3")
        running.wait_for("as incarnation 2")
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 2), what="the new one live")
        say(cluster, c="4")
        wait_for_position(connected, ORDERS, 2)
        assert config(connected) == [("orders", "c", "4")]
    history = connected.execute("select incarnation, count(*) from coordinator.config_history group by 1 order by 1")
    assert history.fetchall() == [(1, 2), (2, 2)]


@pytest.mark.parametrize("delete_retention_ms", [DAY_MS, None])
def test_a_long_absence_ends_in_a_resync(
    database_url: str, connected: Connection, cluster: MemorySource, delete_retention_ms: int | None
) -> None:
    cluster.topics[ORDERS].delete_retention_ms = delete_retention_ms
    with following(database_url, cluster, FollowPlan((ORDERS,))):
        say(cluster, a="1", b="2")
        wait_until(lambda: position(connected, ORDERS) == (2, 2, "live", 1), what="live")
    topic = cluster.topics[ORDERS]
    topic.append(config_set("a").key, None, int(now().timestamp() * 1_000))
    say(cluster, c="3")
    topic.compact()
    let_pass(connected, timedelta(days=1))
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        wait_until(lambda: position(connected, ORDERS) == (4, 4, "live", 1), what="live")
        assert config(connected) == [("orders", "b", "2"), ("orders", "c", "3")]
    assert len(running.messages) == 2
    assert running.outcomes[0].events == 1


@pytest.mark.parametrize("written", [0, 1])
def test_a_recording_is_read_again_where_it_meets_its_topic(
    database_url: str, connected: Connection, cluster: MemorySource, written: int
) -> None:
    """The tombstone was removed before the second part was recorded."""
    say(cluster, a="1", b="2")
    topic = cluster.topics[ORDERS]
    import_events(connected, ORDERS, list(topic.events))
    topic.append(config_set("a").key, None)
    say(cluster, c="3")
    topic.compact()
    import_events(connected, ORDERS, list(topic.events))
    assert position(connected, ORDERS) == (4, 4, "stopped", 1)
    say(cluster, **{"d": "4"} if written else {})
    assert run(database_url, cluster, FollowPlan((ORDERS,), once=True)).events == written
    expected = [("orders", "b", "2"), ("orders", "c", "3"), ("orders", "d", "4")]
    assert config(connected) == expected[: 2 + written]


@pytest.fixture
def before_reads(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> list[Callable[[], None]]:
    """What is called before each read of a stream that was followed a day ago, and has a new event since."""
    with following(database_url, cluster, FollowPlan((ORDERS,))):
        say(cluster, a="1", b="2")
        wait_until(lambda: position(connected, ORDERS) == (2, 2, "live", 1), what="live")
    say(cluster, c="3")
    let_pass(connected, timedelta(days=1))
    calls, read = list[Callable[[], None]](), MemorySource.read

    def call_and_read(self: MemorySource, stream_name: str, first: int, until: int) -> Iterator[object]:
        for call in calls:
            call()
        return read(self, stream_name, first, until)

    monkeypatch.setattr(MemorySource, "read", call_and_read)
    return calls


def test_a_resync_can_be_stopped(
    database_url: str, connected: Connection, cluster: MemorySource, before_reads: list[Callable[[], None]]
) -> None:
    with following(database_url, cluster, FollowPlan((ORDERS,))) as running:
        before_reads.append(running.follower.stop)
        wait_until(lambda: running.outcomes, what="the end")
    assert position(connected, ORDERS) in [(2, None, "stopped", 1), (3, None, "stopped", 1)]


def test_heartbeats_continue_during_a_resync(
    database_url: str, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch, before_reads: list[Callable[[], None]]
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.0)
    beats: list[tuple[object, ...] | None] = []

    def beat() -> None:
        with connect(database_url) as observer:
            beats.append(observer.execute("select heartbeat_at, state from projection.position").fetchone())

    before_reads.append(beat)
    plan = FollowPlan((ORDERS,), once=True)
    with following(database_url, cluster, plan, make_projector=always_copying(lambda _: beat())) as running:
        wait_until(lambda: running.outcomes, what="the end")
    at_the_read, at_the_last_batch = beats[-5], beats[-4]
    assert at_the_read is not None
    assert at_the_last_batch is not None
    assert at_the_read < at_the_last_batch
    assert at_the_last_batch[1] == "catching-up"


def test_a_follower_that_waits_notices_the_end_of_an_outage(
    database_url: str, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LISTING_SECONDS", 0.05)
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.05)
    with held(database_url, ORDERS), following(database_url, cluster, FollowPlan((), follows_all=True)) as second:
        second.wait_for("This follower waits")
        cluster.is_away = True
        wait_until(lambda: second.follower._run.outage, what="the outage")
        cluster.is_away = False
        second.wait_for("Connections are restored")
        wait_until(lambda: not second.follower._run.streams[ORDERS].has("outage"), what="the end of the outage")
        assert second.follower._run.outage == ""


def test_streams_that_are_taken_over_are_not_lost_before_they_are_attached(
    database_url: str, connected: Connection, cluster: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    seem_old(connected)
    names = [f"__samza_coordinator_job-{number}_1" for number in range(HEARTBEAT_STREAMS - 1)]
    for name in names:
        cluster.create(name)
    run(database_url, cluster, FollowPlan((ORDERS, *names), once=True))
    connected.execute("update projection.position set state = 'live', heartbeat_at = heartbeat_at - interval '1 hour'")
    lost = "select count(*) from projection.log_status where state = 'lost'"
    assert connected.execute(lost).fetchall() == [(len(names) + 1,)]
    attached = Event()
    describe = cluster.describe
    monkeypatch.setattr(cluster, "describe", lambda name: describe(name) if attached.wait(PATIENCE) else None)
    with following(database_url, cluster, FollowPlan((ORDERS, *names))):
        try:
            wait_until(lambda: connected.execute(lost).fetchall() == [(0,)], what="heartbeats of all")
        finally:
            attached.set()


def test_heartbeats_that_a_stopped_server_could_not_store_make_no_log_lost(
    database_url: str, connected: Connection, cluster: MemorySource
) -> None:
    run(database_url, cluster, FollowPlan((ORDERS,), once=True))
    set_lost_after(connected, 86_400)
    shown = "select state from projection.log_status"
    with connected.transaction():  # a monitor's transaction may have begun before the heartbeat was due
        connected.execute("update projection.position set state = 'live', heartbeat_at = now() - interval '1 day'")
        assert connected.execute(shown).fetchall() == [("live",)]
        seem_old(connected)
        assert connected.execute(shown).fetchall() == [("lost",)]
