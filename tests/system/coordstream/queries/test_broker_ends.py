import pytest

from coordstream.queries.broker_ends import Ends, TopicIdentity, broker_ends, is_meant
from eventlog.events import NewEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from tests.fixtures.kafka_topics import Topics


@pytest.mark.parametrize(
    ("topic", "meant"),
    [
        (TopicIdentity("s", "c", "i"), True),
        (TopicIdentity("s", None, None), True),
        (TopicIdentity("s", "c", None), True),
        (TopicIdentity("s", "other", "i"), False),
        (TopicIdentity("s", "c", "other"), False),
        (TopicIdentity("gone", "c", "i"), False),
    ],
)
def test_a_topic_is_more_than_its_name(topic: TopicIdentity, meant: bool) -> None:
    assert is_meant(topic, "c", {"s": "i"}) is meant


def test_only_ends_of_the_same_topics_are_returned(
    kafka_options: KafkaOptions, topics: Topics, coordinator_topic: str, job_name: str
) -> None:
    topics.write(coordinator_topic, [NewEvent(b"k", b"v")] * 3)
    with KafkaAdmin(kafka_options) as admin:
        cluster_id = admin.cluster_id
    meant = TopicIdentity(coordinator_topic, cluster_id, topics.topic_id(coordinator_topic))
    gone = TopicIdentity(f"__samza_coordinator_{job_name}_gone", cluster_id, None)
    expected = Ends({coordinator_topic: 3}, missing=frozenset({gone.stream_name}))
    assert broker_ends(kafka_options, [meant, gone]) == expected
    topics.create_again(coordinator_topic)
    assert broker_ends(kafka_options, [meant]) == Ends({})
    assert broker_ends(kafka_options, [meant._replace(topic_id=None)]) == Ends({coordinator_topic: 0})
