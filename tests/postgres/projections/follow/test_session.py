"""A session: errors of single streams, outages and heartbeats."""

from datetime import timedelta
from functools import partial
from secrets import token_hex
from threading import Event
from typing import Any, Final

import psycopg
import pytest

from eventlog.postgres.connection import Connection
from eventlog.postgres.source import PostgresSource
from eventlog.source import Read, SourceUnavailable, StreamUnavailable
from eventlog.streams import coordinator_stream_name
from projections.follow import attacher, session, tail
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Outcome
from projections.follow.heartbeat import server_now
from projections.follow.resync import LiveKeys
from projections.projector import OnStep, Projector
from tests.builders import config_set, recorded
from tests.fixtures.memory_source import DAY_MS, MemorySource, MemoryTopic
from tests.fixtures.projections.follow.running import (
    COUNTS,
    ORDERS,
    MakeLog,
    append,
    config,
    following,
    let_pass,
    now,
    position,
    run,
    server_time,
    wait_for_position,
)
from tests.fixtures.properties.importing import always_copying
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow


class ReadMeanwhile(MemorySource):
    """A cluster in memory that notes its polls and the steps of batches. ``error``: of the first poll in a batch."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.page_events = 2
        self.error = error
        self.calls: list[str] = []

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`."""
        self.calls.append("poll")
        if self.error is not None and "archived" in self.calls:
            error, self.error = self.error, None
            raise error
        return super().poll(timeout)


def write_configs(cluster: MemorySource, events: int) -> MemoryTopic:
    """A new topic with that many events."""
    topic = cluster.create(ORDERS)
    for number in range(events):
        topic.append(b'[1,"set-config","k"]', b'{"values":{"value":"%d"}}' % number)
    return topic


def follow_copying(database_url: str, cluster: ReadMeanwhile, events: int, on_step: OnStep = lambda _: None) -> Outcome:
    """Follow a topic with that many events to its end, and send all of them by COPY."""
    write_configs(cluster, events)

    def note(step: str) -> None:
        cluster.calls.append(step)
        on_step(step)

    make_projector = always_copying(note)
    plan = FollowPlan((ORDERS,), once=True)
    with following(database_url, cluster, plan, make_projector=make_projector) as running:
        wait_until(lambda: running.outcomes, what="the end")
    return running.outcomes[0]


def test_the_next_events_are_read_while_the_server_stores_a_batch(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", 5)
    cluster = ReadMeanwhile()
    assert follow_copying(database_url, cluster, 20).events == 20
    steps = cluster.calls[cluster.calls.index("archived") :]
    assert steps[:3] == ["archived", "folded", "poll"]
    assert [step for step in steps if step != "poll"] == ["archived", "folded"] * 4 + ["merged", "committed"]
    assert offsets(connected) == list(range(20))


def offsets(connection: Connection) -> list[int]:
    return [offset for (offset,) in connection.execute("select log_offset from coordinator.config_history order by 1")]


def test_a_transaction_takes_further_batches_for_a_limited_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", 5)
    monkeypatch.setattr(tail, "TRANSACTION_SECONDS", 0.0)
    cluster = ReadMeanwhile()
    assert follow_copying(database_url, cluster, 20).events == 20
    assert cluster.calls.count("committed") == 4


def test_a_conflict_in_a_transaction_of_several_batches_loses_no_event(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", 5)
    monkeypatch.setattr(attacher, "LOST_OFFSET_SECONDS", 0.01)
    conflicts = iter([psycopg.errors.DeadlockDetected()])

    def fail_once(step: str) -> None:
        if step == "merged" and (conflict := next(conflicts, None)):
            raise conflict

    assert follow_copying(database_url, ReadMeanwhile(), 20, fail_once).events == 20
    assert offsets(connected) == list(range(20))


def test_a_stream_that_catches_up_commits_each_batch_while_another_is_live(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", 5)
    cluster = ReadMeanwhile()
    cluster.create(COUNTS)  # it is live at once
    topic = write_configs(cluster, 20)
    make_projector = always_copying(cluster.calls.append)
    with following(database_url, cluster, FollowPlan((COUNTS, ORDERS)), make_projector=make_projector):
        wait_for_position(connected, ORDERS, topic.end_offset)
    steps = [step for step in cluster.calls if step != "poll"]
    assert steps == ["archived", "folded", "merged", "committed"] * 4


@pytest.mark.parametrize(
    "error", [SourceUnavailable("the brokers do not answer"), psycopg.OperationalError("the server is gone")]
)
def test_an_error_of_reading_ahead_does_not_undo_the_batch(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(tail, "BATCH_EVENTS", 5)
    cluster = ReadMeanwhile(error)
    outcome = follow_copying(database_url, cluster, 20)
    assert (outcome.events, outcome.failures) == (20, {})
    steps = cluster.calls[cluster.calls.index("archived") :]
    assert steps[:5] == ["archived", "folded", "poll", "merged", "committed"]
    assert connected.execute("select count(*) from coordinator.config_history").fetchone() == (20,)


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(seconds=-45)], ids=["ahead", "behind"])
def test_heartbeats_have_the_servers_time(
    database_url: str,
    connected: Connection,
    source: PostgresSource,
    make_log: MakeLog,
    monkeypatch: pytest.MonkeyPatch,
    ahead: timedelta,
) -> None:
    """With a slow clock a follower would look lost; a fast one would hide that it has ended."""
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

        def has_beaten() -> bool:
            seen.update(connected.execute(written.encode()).fetchall())
            return len(seen) > 3

        wait_until(has_beaten, what="heartbeats")
    seen.update(connected.execute(written.encode()).fetchall())
    ended = server_now(connected)
    assert {began <= time <= ended for heartbeat_at, read_at, _ in seen for time in (heartbeat_at, read_at)} == {True}


def test_a_row_that_is_too_large_for_an_index_refuses_only_its_stream(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    connected.execute("create index too_small on projection.event_key (message_key)")
    append(make_log(ORDERS), **{token_hex(5_000): "1"})
    make_log(COUNTS, b="1")
    with following(database_url, source, FollowPlan((ORDERS, COUNTS))) as running:
        wait_until(lambda: position(connected, COUNTS) == (1, 1, "live", 1), what="the other stream")
        wait_until(lambda: (position(connected, ORDERS) or "")[2] == "refused", what="the refusal")
    start = f"{ORDERS} cannot be followed: the database rejected its rows (index row "
    assert [message for message in running.messages if not message.startswith(start)] == []


def test_a_stream_whose_rows_the_disk_has_no_room_for_waits(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    is_full, seen = True, []

    def fill(step: str) -> None:
        if step == "folded" and is_full:
            seen.extend(connected.execute("select state, state_detail from coordinator.log_position").fetchall())
            raise psycopg.errors.DiskFull("no space left")

    make_log(ORDERS, a="1")
    with following(database_url, source, FollowPlan((ORDERS,)), make_projector=partial(Projector, on_step=fill)):
        wait_until(lambda: len(seen) > 2, what="three sessions")
        is_full = False
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 1), what="the end of the reason")
    assert seen[1:3] == [("waiting", "the disk of the database is full (no space left)")] * 2


def test_giving_up_a_stream_does_not_stop_others(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    make_log(COUNTS, b="1")
    make_log(ORDERS, a="1")
    run(database_url, source, FollowPlan((ORDERS,), once=True))
    connected.execute("update projection.position set fold_version = 'other'")
    with following(database_url, source, FollowPlan((ORDERS, COUNTS))) as running:
        running.wait_for("have fold version other")
        wait_until(lambda: position(connected, COUNTS) == (1, 1, "live", 1), what="the other stream")
        assert running.outcomes == []
    assert list(running.outcomes[0].failures) == [ORDERS]


class Muted(MemorySource):
    """A cluster in memory without answers for ``muted`` streams."""

    muted: tuple[str, ...] = ()

    def _topic(self, stream_name: str) -> MemoryTopic:
        if stream_name in self.muted:
            raise StreamUnavailable(self.muted, "The cluster")
        return super()._topic(stream_name)


def test_streams_that_cannot_be_read_wait_and_do_not_stop_others(database_url: str, connected: Connection) -> None:
    cluster, muted = Muted(), (ORDERS, coordinator_stream_name("other"))
    for name in (COUNTS, *muted):
        cluster.create(name).append(*config_set("a")[:2])
    with following(database_url, cluster, FollowPlan((COUNTS, *muted))) as running:
        wait_until(lambda: {position(connected, name) for name in cluster.topics} == {(1, 1, "live", 1)}, what="live")
        cluster.muted = muted
        cluster.topics[COUNTS].append(*config_set("b")[:2])
        wait_until(lambda: {position(connected, name) for name in muted} == {(1, None, "waiting", 1)}, what="both")
        wait_for_position(connected, COUNTS, 2)
        cluster.muted = ()
        for name in muted:
            running.wait_for(f"The cluster has no leader for {name}. Check")
            running.wait_for(f"{name} is available again: continuing at offset 1.")


RETENTIONS: Final = {ORDERS: DAY_MS, COUNTS: 7 * DAY_MS}


class Suspended(MemorySource):
    """A cluster in memory whose poll does not return while ``goes_on`` is not set."""

    def __init__(self) -> None:
        super().__init__()
        self.goes_on, self.is_waiting = Event(), Event()
        self.goes_on.set()

    def poll(self, timeout: float) -> list[Read]:
        """See `EventSource.poll`."""
        self.wait()
        return super().poll(timeout)

    def wait(self) -> bool:
        """Wait until it goes on."""
        if not self.goes_on.is_set():
            self.is_waiting.set()
        return self.goes_on.wait()


@pytest.mark.parametrize("in_resync", [False, True], ids=["live", "in a resync"])
def test_after_a_suspension_longer_than_tombstones_live_a_log_is_read_again(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch, in_resync: bool
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.0)
    cluster = Suspended()
    topics = {name: cluster.create(name, delete_retention_ms=each) for name, each in RETENTIONS.items()}
    for topic in topics.values():
        topic.extend(recorded([config_set("a"), config_set("b")]))
    if in_resync:
        run(database_url, cluster, FollowPlan(tuple(topics), once=True))
        let_pass(connected, timedelta(days=1))
        discard: Any = LiveKeys.discard
        monkeypatch.setattr(LiveKeys, "discard", lambda *found: cluster.wait() and discard(*found))
        cluster.goes_on.clear()
    with following(database_url, cluster, FollowPlan(tuple(topics))) as running:
        if not in_resync:
            wait_until(lambda: {position(connected, name) for name in topics} == {(2, 2, "live", 1)}, what="live")
            cluster.goes_on.clear()
        cluster.is_waiting.wait()
        for topic in topics.values():
            topic.append(config_set("a").key, None)
            topic.append(*config_set("c")[:2])
            topic.compact()
        with server_time(now() + timedelta(days=1)):
            cluster.goes_on.set()
            running.wait_for("found 1 deleted key")
            wait_until(lambda: {position(connected, name) for name in topics} == {(4, 4, "live", 1)}, what="live again")
    assert [key for job, key, _ in config(connected) if job == "orders"] == ["b", "c"]
    assert all(message.startswith(ORDERS) for message in running.messages)
