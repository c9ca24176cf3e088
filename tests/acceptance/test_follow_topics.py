"""Topics that are followed from the start: empty, empty with a start above zero, and created later."""

from collections.abc import Iterator

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import coordinator_stream_name
from projections.follow import followed_stream, session
from projections.follow.follow_run import FollowPlan
from tests.builders import config_set
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics
from tests.fixtures.waiting import wait_until
from tests.projections.follow.running import following, position, run, wait_for_position


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


@pytest.fixture
def source(kafka_options: KafkaOptions) -> Iterator[KafkaSource]:
    with KafkaSource(kafka_options) as opened:
        yield opened


def config(connection: Connection) -> list[tuple[str, str]]:
    return connection.execute("select config_key, config_value from coordinator.config order by 1").fetchall()


def test_an_empty_topic_whose_log_starts_above_zero(
    database_url: str, connected: Connection, source: KafkaSource, topics: Topics, job_name: str
) -> None:
    stream = topics.create(coordinator_stream_name(job_name), COMPACTED_AND_DELETED)
    topics.write(stream, [config_set("a", str(value)) for value in range(3)])
    topics.delete_before(stream, 3)
    assert run(database_url, source, FollowPlan((stream,), once=True)).failures == {}
    assert position(connected, stream) == (3, None, "stopped", 1)
    with following(database_url, source, FollowPlan((stream,))) as running:
        wait_until(lambda: position(connected, stream) == (3, 3, "live", 1), what="live")
        topics.write(stream, [config_set("b", "2")])
        wait_for_position(connected, stream, 4)
    assert config(connected) == [("b", "2")]
    assert [message for message in running.messages if "delete" not in message] == []


def test_a_topic_that_is_created_later(
    database_url: str,
    connected: Connection,
    source: KafkaSource,
    topics: Topics,
    job_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(followed_stream, "RETRY_FIRST_SECONDS", 0.1)
    stream = coordinator_stream_name(job_name)
    with following(database_url, source, FollowPlan((stream,))) as running:
        running.wait_for(f"has no stream {stream}. Create it")
        topics.create(stream)
        wait_until(lambda: position(connected, stream) == (0, 0, "live", 1), what="live")
        topics.write(stream, [config_set("a", "1")])
        wait_for_position(connected, stream, 1)
    assert config(connected) == [("a", "1")]
    assert len(running.messages) == 2


def test_all_follows_topics_that_are_created_later(
    database_url: str,
    connected: Connection,
    source: KafkaSource,
    topics: Topics,
    job_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "LISTING_SECONDS", 0.1)
    with following(database_url, source, FollowPlan(follows_all=True)):
        stream = topics.create(coordinator_stream_name(job_name))
        topics.write(stream, [config_set("a", "1")])
        wait_for_position(connected, stream, 1)
        topics.write(stream, [config_set("a", "2")])
        wait_for_position(connected, stream, 2)
    assert ("a", "2") in config(connected)
