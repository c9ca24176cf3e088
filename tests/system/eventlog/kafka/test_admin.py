"""Which topics can be followed, what the cluster says of them, and creating them."""

from typing import Any

import pytest
from kafka import TopicPartition
from kafka.errors import (
    KafkaError,
    KafkaStorageError,
    LeaderNotAvailableError,
    NoError,
    UnknownError,
    UnknownTopicOrPartitionError,
)

from eventlog.errors import EventLogError
from eventlog.kafka.admin import KafkaAdmin, Topic, check
from eventlog.kafka.options import KafkaOptions
from eventlog.log import StreamExists
from eventlog.source import SourceUnavailable, StreamMissing, StreamRefused
from eventlog.streams import identify
from tests.contracts.event_log import new_events
from tests.fixtures.kafka_topics import Topics


def test_a_topic_that_is_deleted_from_is_refused(admin: KafkaAdmin, topics: Topics, job_name: str) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1", {"cleanup.policy": "delete"})
    with pytest.raises(StreamRefused, match=f"{name} cannot be followed: its cleanup.policy is delete") as refused:
        admin.describe(name)
    assert refused.value.stream_name == name


def test_several_partitions_are_taken_only_where_it_is_asked_for() -> None:
    topic = Topic("t", None, 2, frozenset({"compact", "delete"}))
    with pytest.raises(StreamRefused, match="it has 2 partitions"):
        check(topic)
    assert check(topic, any_partitions=True).startswith("t has 2 partitions, of which only partition 0 is read and")
    assert "; t has cleanup.policy compact,delete" in check(topic, any_partitions=True)


@pytest.mark.parametrize("policy", ["compact,delete", "delete,compact"])
def test_a_topic_that_is_compacted_and_deleted_is_warned_of(
    admin: KafkaAdmin, topics: Topics, job_name: str, policy: str
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1", {"cleanup.policy": policy})
    assert admin.describe(name).warning.startswith(f"{name} has cleanup.policy compact,delete: records older than")


def answer_first(admin: KafkaAdmin, error: type[KafkaError], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the cluster know only an error of a topic, the first time that it is asked."""
    client, errors = admin._client, iter([error])
    ask, describe = admin._metadata, client.describe_topics

    def answer(names: list[str], *node_id: int) -> Any:
        answer = ask(names, *node_id)
        for topic in answer.topics:
            topic.error_code = next(errors, NoError).errno
        return answer

    def described(*names: Any, **named: Any) -> list[dict[str, Any]]:
        return [topic | {"error_code": next(errors, NoError).errno} for topic in describe(*names, **named)]

    monkeypatch.setattr(admin, "_metadata", answer)
    monkeypatch.setattr(client, "describe_topics", described)


class TestCreation:
    @pytest.fixture
    def made(self, topics: Topics, job_name: str) -> str:
        """The name of a coordinator stream that the test makes."""
        name = f"__samza_coordinator_{job_name}_1"
        topics.will_be_made(name)
        return name

    def test_a_coordinator_stream_is_as_samza_makes_it(self, admin: KafkaAdmin, topics: Topics, made: str) -> None:
        admin.create_stream(identify(made))
        topic = admin.topic(made)
        assert (topic.partitions, topic.cleanup_policy) == (1, frozenset({"compact"}))
        assert topic.delete_retention_ms == 86_400_000
        assert topics.settings_of(made) == {"cleanup.policy": "compact", "segment.bytes": "26214400"}

    def test_a_checkpoint_topic_takes_smaller_batches(self, admin: KafkaAdmin, topics: Topics, job_name: str) -> None:
        name = f"__samza_checkpoint_ver_1_for_{job_name}_1"
        topics.will_be_made(name)
        admin.create_stream(identify(name), replication_factor=1, settings={"segment.bytes": "1048576"})
        assert topics.settings_of(name) == {
            "cleanup.policy": "compact",
            "segment.bytes": "1048576",
            "max.message.bytes": "1000012",
        }

    def test_a_topic_that_is_there_is_left_as_it_is(self, admin: KafkaAdmin, topics: Topics, made: str) -> None:
        topics.create(made, {"cleanup.policy": "delete"})
        with pytest.raises(StreamExists, match=f"already has a topic {made}. Use it") as exists:
            admin.create_stream(identify(made))
        assert exists.value.stream_name == made
        assert topics.settings_of(made) == {"cleanup.policy": "delete"}

    @pytest.mark.scenario("HRD-24")
    def test_one_that_another_has_just_made_is_known_afterwards(
        self, admin: KafkaAdmin, topics: Topics, made: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        topics.create(made)
        answer_first(admin, UnknownTopicOrPartitionError, monkeypatch)
        with pytest.raises(StreamExists):
            admin.create_stream(identify(made))
        assert admin.describe(made).stream_name == made

    @pytest.mark.parametrize("error", [LeaderNotAvailableError, KafkaStorageError, UnknownError])
    def test_an_error_that_passes_is_no_answer(
        self, admin: KafkaAdmin, coordinator_topic: str, error: type[KafkaError], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answer_first(admin, error, monkeypatch)
        assert admin.partition_count(coordinator_topic) == 1

    def test_too_few_brokers_are_reported(self, admin: KafkaAdmin, made: str) -> None:
        with pytest.raises(EventLogError, match=f"{made} with replication factor 3000 .InvalidReplicationFactor"):
            admin.create_stream(identify(made), replication_factor=3000)
        assert made not in admin.stream_names()


class TestQuestions:
    def test_a_missing_topic_is_reported(self, admin: KafkaAdmin, kafka_options: KafkaOptions) -> None:
        place = f"Kafka at {kafka_options.bootstrap_servers} has no stream"
        for name in ("__samza_coordinator_nowhere_1", "no name for a topic"):
            for question in (admin.topic, admin.bounds):
                with pytest.raises(StreamMissing, match=f"{place} {name}. Create it"):
                    question(name)

    def test_topics_have_ids(self, admin: KafkaAdmin, topics: Topics, coordinator_topic: str) -> None:
        assert admin.topic_ids([coordinator_topic, "__samza_coordinator_nowhere_1"]) == {
            coordinator_topic: topics.topic_id(coordinator_topic)
        }
        assert admin.topic_ids([]) == {}

    def test_bounds_are_those_of_the_topic_with_the_id(
        self, admin: KafkaAdmin, topics: Topics, coordinator_topic: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        topics.write(coordinator_topic, new_events(2))
        made_again = iter([lambda: topics.create_again(coordinator_topic)])
        bounds = admin.bounds
        monkeypatch.setattr(admin, "bounds", lambda name: next(made_again, bool)() or bounds(name))
        facts = admin.describe(coordinator_topic)
        assert (facts.topic_id, facts.end_offset) == (topics.topic_id(coordinator_topic), 0)

    @pytest.mark.parametrize("leader", [999, -1], ids=["another broker", "none"])
    def test_a_leader_that_is_wrong_is_requested(self, admin: KafkaAdmin, coordinator_topic: str, leader: int) -> None:
        admin._client.leaders[TopicPartition(coordinator_topic, 0)] = leader
        assert admin.end_offsets([coordinator_topic]) == {coordinator_topic: 0}

    def test_it_connects_again_after_a_close(self, admin: KafkaAdmin) -> None:
        cluster_id = admin.cluster_id
        admin.close()
        assert admin.cluster_id == cluster_id


def test_an_address_without_a_broker_is_reported_within_ten_seconds() -> None:
    with (
        KafkaAdmin(KafkaOptions.parse("127.0.0.1:1")) as admin,
        pytest.raises(SourceUnavailable, match=r"Kafka at 127.0.0.1:1 does not answer .*\. Check that its brokers run"),
    ):
        admin.stream_names()
