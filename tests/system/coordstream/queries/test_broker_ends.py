from coordstream.queries.broker_ends import Ends, TopicIdentity, broker_ends
from eventlog.events import NewEvent
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import KafkaOptions
from tests.fixtures.kafka_topics import Topics


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
    assert broker_ends(kafka_options, [meant._replace(cluster_id="other"), meant]) == Ends(
        {coordinator_topic: 3},
        f"The brokers are those of the Kafka cluster {cluster_id}, but the database has logs of other. Correct "
        "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS.",
    )
    topics.create_again(coordinator_topic)
    assert broker_ends(kafka_options, [meant]) == Ends({})
    assert broker_ends(kafka_options, [meant._replace(topic_id=None)]) == Ends({coordinator_topic: 0})
