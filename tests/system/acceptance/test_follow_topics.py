"""Hundreds of topics at once."""

import time
from typing import Final

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import connect
from eventlog.streams import coordinator_stream_name
from projections.follow import session
from projections.follow.follow_run import FollowPlan
from tests.builders import config_set
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import following, wait_for_position
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow


TOPICS: Final = scaled(40, 300)
LIVE: Final = "select count(*) from coordinator.log_position where state = 'live' and lag = 0"
BEATS: Final = "select count(*) from projection.position where heartbeat_at > %s"
CONNECTIONS: Final = "select count(*) from pg_stat_activity where application_name like 'coordstream follow%'"


@pytest.mark.torture
def test_hundreds_of_topics(
    database_url: str, topics: Topics, kafka_options: KafkaOptions, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.5)
    names = tuple(coordinator_stream_name(f"{job_name}-{number}") for number in range(TOPICS))
    topics.create_all(names)
    with (
        connect(database_url) as connection,
        KafkaSource(kafka_options) as source,
        following(database_url, source, FollowPlan(names)) as running,
    ):
        began = time.monotonic()
        wait_until(lambda: connection.execute(LIVE.encode()).fetchone() == (TOPICS,), what="all of them live")
        ready = time.monotonic() - began
        assert connection.execute(CONNECTIONS.encode()).fetchone() == (2,)
        for number, name in enumerate(names[:: TOPICS // 10]):
            topics.write(name, [config_set("a", str(number))])
            wait_for_position(connection, name, 1)
        row = connection.execute("select now()").fetchone()
        assert row is not None
        wait_until(lambda: connection.execute(BEATS.encode(), row).fetchone() == (TOPICS,), what="all heartbeats")
    assert running.messages == []
    print(f"\n{TOPICS} topics were live after {ready:.1f} s")
