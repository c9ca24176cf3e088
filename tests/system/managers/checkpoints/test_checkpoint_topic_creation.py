"""Making a job's checkpoint topic."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.errors import ConfigError
from eventlog.log import MemoryEventLog, StreamExists
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable, StreamFacts, StreamRefused
from eventlog.streams import StreamIdentity, identify
from managers.checkpoints.checkpoint_manager import VALIDATION, KafkaCheckpointManager, checkpoint_topic_settings
from tests.builders import checkpoint_v1

if TYPE_CHECKING:  # a run without a broker does not wait for it
    from eventlog.kafka.options import KafkaOptions
    from tests.fixtures.kafka_topics import Topics

TOPIC = "__samza_checkpoint_ver_1_for_orders_1"
CONFIG = {"job.name": "orders"}


class NotingAdmin:
    """Notes what it is asked; a refusal it is given is raised."""

    def __init__(self, *, refusals: Mapping[str, Exception] | None = None) -> None:
        self.calls: list[str] = []
        self.settings: Mapping[str, str] = {}
        self._refusals = refusals or {}

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = -1, settings: Mapping[str, str]
    ) -> None:
        self._note(f"create {stream.stream_name} {replication_factor}", "create")
        self.settings = settings

    def describe(self, stream_name: str) -> StreamFacts:
        self._note(f"describe {stream_name}", "describe")
        return StreamFacts(stream_name, None, 0, 0)

    def close(self) -> None:
        self.calls.append("close")

    def _note(self, call: str, name: str) -> None:
        self.calls.append(call)
        if name in self._refusals:
            raise self._refusals[name]


def create(admin: NotingAdmin, **config: str) -> list[str]:
    log = MemoryEventLog(identify(TOPIC))
    KafkaCheckpointManager(log, config={**CONFIG, **config}, open_admin=lambda: admin).create_resources()
    return admin.calls


@pytest.mark.scenario("KCM-22")
def test_a_topic_is_made_and_looked_at_if_validation_is_on() -> None:
    assert create(NotingAdmin()) == [f"create {TOPIC} -1", f"describe {TOPIC}", "close"]
    assert create(NotingAdmin(), **{VALIDATION: "false"}) == [f"create {TOPIC} -1", "close"]
    is_there = NotingAdmin(refusals={"create": StreamExists("s", "Kafka")})
    assert create(is_there) == [f"create {TOPIC} -1", f"describe {TOPIC}", "close"]
    copies = {"task.checkpoint.replication.factor": "3"}
    assert create(NotingAdmin(), **copies)[0] == f"create {TOPIC} 3"


@pytest.mark.parametrize("call", ["create", "describe"])
@pytest.mark.scenario("KCM-22")
def test_the_admin_is_closed_whatever_fails(call: str) -> None:
    admin = NotingAdmin(refusals={call: SourceUnavailable()})
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
    admin = NotingAdmin()
    assert create(admin, **config)[0] == f"create {TOPIC} 3"
    assert admin.settings == {"cleanup.policy": "compact", "segment.bytes": "7", "max.message.bytes": "7"}
    own = {f"task.checkpoint.{name}": "2" for name in ("replication.factor", "segment.bytes", "max.message.bytes")}
    assert create(NotingAdmin(), **config, **own)[0] == f"create {TOPIC} 2"
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
