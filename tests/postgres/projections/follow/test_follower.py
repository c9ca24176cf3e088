"""The follower: to the ends, live, and through outages."""

from typing import Any

import pytest
from psycopg.conninfo import make_conninfo

from eventlog.postgres.connection import Connection
from eventlog.postgres.source import PostgresSource
from projections.follow.follow_run import FollowPlan
from projections.projector import Projector
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import (
    COUNTS,
    ORDERS,
    MakeLog,
    append,
    config,
    following,
    position,
    run,
    wait_for_position,
)
from tests.fixtures.properties.importing import always_copying
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow


def test_once_reads_to_the_ends(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    make_log(ORDERS, a="1", b="2")
    make_log(COUNTS, c="3")
    outcome = run(database_url, source, FollowPlan((ORDERS, COUNTS), once=True))
    assert (outcome.events, outcome.failures) == (3, {})
    assert config(connected) == [("counts", "c", "3"), ("orders", "a", "1"), ("orders", "b", "2")]
    assert position(connected, ORDERS) == (2, 2, "stopped", 1)
    again = run(database_url, source, FollowPlan((ORDERS, COUNTS), once=True))
    assert (again.events, again.failures) == (0, {})


def test_once_ignores_later_events(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    log = make_log(ORDERS, a="1")

    def append_more(step: str) -> None:
        if step == "merged":
            append(log, b="2")

    plan, make_projector = FollowPlan((ORDERS,), once=True), always_copying(append_more)
    with following(database_url, source, plan, make_projector=make_projector) as running:
        wait_until(lambda: running.outcomes, what="the end")
    assert running.outcomes[0].events == 1
    assert position(connected, ORDERS) == (1, 1, "stopped", 1)


def test_all_once_ends_without_streams(database_url: str, source: PostgresSource, make_log: MakeLog) -> None:
    assert run(database_url, source, FollowPlan(follows_all=True, once=True)).failures == {}
    make_log(ORDERS, a="1")
    assert run(database_url, source, FollowPlan(follows_all=True, once=True)).events == 1


def test_appended_events_are_applied_while_live(
    database_url: str, connected: Connection, source: PostgresSource, make_log: MakeLog
) -> None:
    with make_log(ORDERS, a="1") as log, following(database_url, source, FollowPlan((ORDERS,))) as running:
        wait_until(lambda: position(connected, ORDERS) == (1, 1, "live", 1), what="live")
        for value in "234":
            append(log, a=value)
            wait_for_position(connected, ORDERS, int(value))
            assert config(connected) == [("orders", "a", value)]
    assert position(connected, ORDERS) == (4, 4, "stopped", 1)
    applied = [(batch.first_offset, batch.next_offset, batch.events) for batch in running.applied]
    assert applied == [(at, at + 1, 1) for at in range(4)]
    assert all(batch.timestamp is not None for batch in running.applied)
    assert running.messages == []


def test_logs_are_folded_without_waiting_for_the_disk(
    database_url: str, source: PostgresSource, make_log: MakeLog
) -> None:
    make_log(ORDERS, a="1")
    cluster = MemorySource()
    cluster.create(COUNTS)
    seen = []

    def make_projector(connection: Connection, *given: Any, **options: Any) -> Projector:
        seen.extend(connection.execute("select current_setting('synchronous_commit')").fetchall())
        return Projector(connection, *given, **options)

    url = make_conninfo(database_url, options="-c synchronous_commit=on")
    for followed, stream in ((source, ORDERS), (cluster, COUNTS)):
        with following(url, followed, FollowPlan((stream,), once=True), make_projector=make_projector) as running:
            wait_until(lambda: running.outcomes, what="the end")
    assert seen == [("off",), ("off",)]


def test_the_follower_can_be_stopped_during_an_outage(source: PostgresSource) -> None:
    with following("postgresql://u:secret@127.0.0.1:1/d", source, FollowPlan((ORDERS,))) as running:
        assert "secret" not in running.wait_for("is unavailable")
    assert running.outcomes[0].events == 0
