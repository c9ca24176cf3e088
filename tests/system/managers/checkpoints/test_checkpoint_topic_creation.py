"""Making a job's checkpoint topic, and what Kafka alone does with it."""

import logging
from typing import TYPE_CHECKING

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.errors import ConfigError
from eventlog.log import MemoryEventLog, StreamExists
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable, StreamRefused
from eventlog.streams import identify
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.stream_creation import VALIDATION, checkpoint_topic_settings
from tests.builders import checkpoint_v1
from tests.fixtures.managers.noted_topics import NotedTopics
from tests.fixtures.managers.watched_log import Opened

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from eventlog.kafka.options import KafkaOptions
    from tests.fixtures.kafka_topics import Topics

TOPIC = "__samza_checkpoint_ver_1_for_orders_1"
CONFIG = {"job.name": "orders"}


def create(admin: NotedTopics, **config: str) -> list[str]:
    log = MemoryEventLog(identify(TOPIC))
    KafkaCheckpointManager(log, config={**CONFIG, **config}, open_admin=lambda: admin).create_resources()
    return admin.calls


@pytest.mark.scenario("KCM-22")
def test_a_topic_is_made_and_looked_at_if_validation_is_on() -> None:
    made = f"create {TOPIC}: 1 partitions, -1 copies, compact"
    assert create(NotedTopics()) == [made, f"describe {TOPIC}", "close"]
    assert create(NotedTopics(), **{VALIDATION: "false"}) == [made, "close"]
    assert create(NotedTopics({"create": StreamExists(TOPIC, "Kafka")})) == [made, f"describe {TOPIC}", "close"]


@pytest.mark.parametrize("call", ["create", "describe"])
@pytest.mark.scenario("KCM-22")
def test_the_admin_is_closed_whatever_fails(call: str) -> None:
    admin = NotedTopics({call: SourceUnavailable()})
    with pytest.raises(SourceUnavailable):
        create(admin)
    assert admin.calls[-1] == "close"


@pytest.mark.scenario("KCM-23")
def test_the_topic_of_a_batch_job_is_deleted_too() -> None:
    sizes = {"segment.bytes": "26214400", "max.message.bytes": "1000012"}
    assert checkpoint_topic_settings({}) == {"cleanup.policy": "compact", **sizes}
    assert checkpoint_topic_settings({"app.mode": "BATCH"}) == {
        "cleanup.policy": "compact,delete",
        "retention.ms": "86400000",
        **sizes,
    }
    given = {"task.checkpoint.segment.bytes": "1000", "task.checkpoint.max.message.bytes": "2000"}
    assert checkpoint_topic_settings(given)["segment.bytes"] == "1000"
    assert checkpoint_topic_settings(given)["max.message.bytes"] == "2000"
    with pytest.raises(ConfigError, match=r"segment\.bytes"):
        checkpoint_topic_settings({"task.checkpoint.segment.bytes": "many"})


@pytest.mark.scenario("KCM-22")
def test_settings_of_the_system_count_after_those_of_the_topic() -> None:
    config = {"job.default.system": "kafka"}
    config |= {f"systems.kafka.default.stream.{name}": "7" for name in ("segment.bytes", "max.message.bytes")}
    config["systems.kafka.default.stream.replication.factor"] = "3"
    admin = NotedTopics()
    assert create(admin, **config)[0] == f"create {TOPIC}: 1 partitions, 3 copies, compact"
    assert admin.settings == {"cleanup.policy": "compact", "segment.bytes": "7", "max.message.bytes": "7"}
    own = {f"task.checkpoint.{name}": "2" for name in ("replication.factor", "segment.bytes", "max.message.bytes")}
    assert create(NotedTopics(), **config, **own)[0] == f"create {TOPIC}: 1 partitions, 2 copies, compact"
    assert checkpoint_topic_settings({**config, **own})["segment.bytes"] == "2"
    other = {**config, "task.checkpoint.system": "other"}
    assert checkpoint_topic_settings(other) == checkpoint_topic_settings({})


@pytest.mark.scenario("HRD-21")
def test_without_validation_the_first_of_several_partitions_is_used(
    topics: "Topics", kafka_options: "KafkaOptions", job_name: str, caplog: pytest.LogCaptureFixture
) -> None:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

    name = topics.create(f"__samza_checkpoint_ver_1_for_{job_name}_1", partitions=2)
    topics.write(name, [checkpoint_v1("t", {"kafka.in.0": "other"})], partition=1)
    manager = KafkaCheckpointManager(
        lambda: KafkaEventLog(kafka_options, identify(name), any_partitions=True),
        config={"job.name": job_name, VALIDATION: "false"},
        open_admin=lambda: KafkaAdmin(kafka_options),
    )
    manager.create_resources()
    manager.register("t")
    written = CheckpointV1({SystemStreamPartition("kafka", "in", 0): "1"})
    with caplog.at_level(logging.WARNING), manager:
        assert manager.read_last_checkpoint("t") is None
        manager.write_checkpoint("t", written)
    assert f"{name} has 2 partitions, of which only partition 0 is read and written" in caplog.text
    assert [kept.offset for kept in topics.kept(name)] == [0]
    with manager:
        assert manager.read_last_checkpoint("t") == written


@pytest.mark.scenario("KCM-22", "HRD-21")
def test_a_topic_of_several_partitions_is_refused(
    topics: "Topics", kafka_options: "KafkaOptions", job_name: str
) -> None:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

    name = topics.create(f"__samza_checkpoint_ver_1_for_{job_name}_1", partitions=2)
    log = MemoryEventLog(identify(name))
    config = {"job.name": job_name}
    with pytest.raises(StreamRefused, match="2 partitions"):
        KafkaCheckpointManager(log, config=config, open_admin=lambda: KafkaAdmin(kafka_options)).create_resources()
    manager = KafkaCheckpointManager(lambda: KafkaEventLog(kafka_options, identify(name)), config=config)
    with pytest.raises(StreamRefused, match="2 partitions"):
        manager.start()


@pytest.mark.scenario("KCM-21")
def test_reading_starts_at_the_oldest_offset(topics: "Topics", job_name: str, kafka_options: "KafkaOptions") -> None:
    from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415
    from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED  # noqa: PLC0415

    checkpoint_topic = topics.create(f"__samza_checkpoint_ver_1_for_{job_name}_1", COMPACTED_AND_DELETED)
    with KafkaEventLog(kafka_options, identify(checkpoint_topic)) as log:
        log.append([checkpoint_v1("gone"), *(checkpoint_v1("t", {"kafka.in.0": offset}) for offset in ("1", "2"))])
        topics.delete_before(checkpoint_topic, 1)
        opened = Opened(log)
        manager = KafkaCheckpointManager(opened)
        manager.register("t")
        with manager:
            assert manager.read_last_checkpoint("t") == CheckpointV1({SystemStreamPartition("kafka", "in", 0): "2"})
        assert opened.logs[0].reads == [(1, 3)]
