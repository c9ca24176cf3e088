"""Which topics can be followed."""

import pytest

from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.topic import Topic, check
from eventlog.source import StreamRefused
from tests.fixtures.kafka_topics import LASTING, Topics


def test_a_compacted_topic_is_well(admin: KafkaAdmin, coordinator_topic: str) -> None:
    assert check(admin.topic(coordinator_topic)) == ""


def test_a_topic_that_is_deleted_from_is_refused(admin: KafkaAdmin, topics: Topics, job_name: str) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1", {"cleanup.policy": "delete"})
    with pytest.raises(StreamRefused, match=f"{name} cannot be followed: its cleanup.policy is delete") as refused:
        admin.describe(name)
    assert refused.value.stream_name == name


def test_several_partitions_are_taken_only_where_it_is_asked_for() -> None:
    topic = Topic("t", None, 2, {"cleanup.policy": "compact,delete"})
    with pytest.raises(StreamRefused, match="it has 2 partitions"):
        check(topic)
    assert check(topic, any_partitions=True).startswith("t has 2 partitions, of which only partition 0 is read and")
    assert "; t has cleanup.policy compact,delete" in check(topic, any_partitions=True)


def test_several_partitions_are_refused(admin: KafkaAdmin, topics: Topics, job_name: str) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1", LASTING, partitions=3)
    with pytest.raises(StreamRefused, match=r"it has 3 partitions\. Create it with one"):
        admin.describe(name)


@pytest.mark.parametrize("policy", ["compact,delete", "delete,compact"])
def test_a_topic_that_is_compacted_and_deleted_is_warned_of(
    admin: KafkaAdmin, topics: Topics, job_name: str, policy: str
) -> None:
    name = topics.create(f"__samza_coordinator_{job_name}_1", {"cleanup.policy": policy})
    assert admin.describe(name).warning.startswith(f"{name} has cleanup.policy compact,delete: records older than")


def test_settings_that_may_not_be_read_are_warned_of() -> None:
    hidden = Topic("t", "id", 1, {})
    assert "no permission to read whether it is compacted" in check(hidden)
    assert (hidden.delete_retention_ms, hidden.max_message_bytes) == (None, None)
