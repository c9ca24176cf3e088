"""A topic without a leader, because the only broker with its events is down, does not keep others from being read."""

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

import pytest

from coordstream.queries.broker_ends import TopicIdentity, broker_ends
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.connection import connect
from projections.follow import session
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower
from tests.fixtures.kafka import BrokerMaker
from tests.fixtures.kafka_broker import KafkaBroker, SecondNode
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import COUNTS, ORDERS, following, now, position, wait_for_position
from tests.fixtures.properties.importing import SETTINGS
from tests.fixtures.waiting import wait_until
from tests.system.acceptance.followed import config

pytestmark = [pytest.mark.slow]

NO_LEADER: Final = f"has no leader for {COUNTS}. Check that the brokers with the replicas run"


class Cluster(NamedTuple):
    """Two nodes: orders is on the first one, counts on the other."""

    options: KafkaOptions
    topics: Topics
    other: KafkaBroker


@pytest.fixture(scope="module")
def cluster(start_broker: BrokerMaker) -> Iterator[Cluster]:
    with (
        start_broker() as first,
        start_broker(make=partial(SecondNode, first)) as other,
        Topics(first.bootstrap_servers) as topics,
    ):
        for name, node in ((ORDERS, 1), (COUNTS, 2)):
            topics.create(name, node=node)
            topics.write(name, config(a="1"))
        yield Cluster(KafkaOptions.parse(first.bootstrap_servers), topics, other)


def lose_leader(cluster: Cluster) -> None:
    """Kill the second node if it is running, and wait until the cluster knows."""
    cluster.topics._forget_producer()
    cluster.other.kill()
    wait_until(lambda: not cluster.topics.has_leaders(COUNTS), what="the leader to be gone")


def test_other_topics_are_followed_and_the_topic_again_when_it_has_a_leader(
    database_url: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 0.2)
    topics = cluster.topics
    with (
        KafkaSource(cluster.options) as source,
        connect(database_url) as connection,
        following(database_url, source, FollowPlan((COUNTS, ORDERS))) as running,
    ):
        live = (1, 1, "live", 1)
        wait_until(lambda: position(connection, ORDERS) == position(connection, COUNTS) == live, what="both live")
        lose_leader(cluster)
        running.wait_for(NO_LEADER)
        topics.write(ORDERS, config(a="2"))
        wait_until(lambda: position(connection, ORDERS) == (2, 2, "live", 1), what="orders live")
        assert position(connection, COUNTS) == (1, None, "waiting", 1)
        detail = "select state_detail from coordinator.log_position where stream_name = %s"
        assert NO_LEADER in str(connection.execute(detail, (COUNTS,)).fetchone())
        cluster.other.start()
        running.wait_for(f"{COUNTS} is available again: continuing at offset 1.")
        topics.write(COUNTS, config(a="2"))
        wait_for_position(connection, COUNTS, 2)


def test_status_knows_the_ends_of_the_others(cluster: Cluster) -> None:
    lose_leader(cluster)
    ends = broker_ends(cluster.options, [TopicIdentity(name, None, None) for name in (COUNTS, ORDERS)])
    assert ends.offsets == {ORDERS: cluster.topics.end_offset(ORDERS)}
    assert NO_LEADER in ends.sentence


def test_once_reads_the_others_to_their_ends_and_gives_up_the_topic_as_an_outage(
    database_url: str, cluster: Cluster
) -> None:
    lose_leader(cluster)
    with KafkaSource(cluster.options) as source:
        plan = FollowPlan((COUNTS, ORDERS), once=True)
        outcome = Follower(database_url, source, SETTINGS, now, plan, outage_timeout=1.0).run()
    assert (outcome.events, outcome.is_complete, outcome.failures) == (cluster.topics.end_offset(ORDERS), False, {})
    assert NO_LEADER in outcome.outage
    assert [(stream.stream_name, stream.is_over) for stream in outcome.streams] == [(COUNTS, False), (ORDERS, True)]
