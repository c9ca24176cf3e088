"""Makes a job's coordinator stream."""

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.options import KafkaOptions
from eventlog.log import LogExists
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.streams import StreamIdentity, coordinator_stream_name
from managers.streams.stream_creation import create_coordinator_stream
from tests.fixtures.kafka_topics import Topics

DAY_MS = 86_400_000


class Maker:
    """Notes what it is asked to make, and makes a stream once."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int]] = []

    def create_stream(self, stream: StreamIdentity, *, replication_factor: int, segment_bytes: int) -> None:
        is_there = stream.stream_name in [name for name, *_ in self.asked]
        self.asked.append((stream.stream_name, replication_factor, segment_bytes))
        if is_there:
            raise LogExists


def test_a_stream_that_is_there_is_left() -> None:
    maker = Maker()
    config = {"job.name": "a_b", "job.coordinator.replication.factor": "3", "job.coordinator.segment.bytes": "1000000"}
    for _ in range(2):
        assert create_coordinator_stream(maker, config).stream_name == "__samza_coordinator_a-b_1"
    assert maker.asked == [("__samza_coordinator_a-b_1", 3, 1_000_000)] * 2


@pytest.mark.scenario("CFG-11")
def test_a_log_in_postgres_is_made_once_and_keeps_its_events(database_url: str) -> None:
    config = {"job.name": "a_b", "job.coordinator.replication.factor": "3"}
    admin = PostgresAdmin(database_url)
    stream = create_coordinator_stream(admin, config)
    with PostgresEventLog(database_url, stream.stream_name) as log:
        log.append([NewEvent(b"k", b"v")])
        assert create_coordinator_stream(admin, {**config, "job.coordinator.segment.bytes": "5"}) == stream
        assert [(event.key, event.value) for event in log.read()] == [(b"k", b"v")]


@pytest.mark.scenario("CFG-11")
def test_a_topic_is_made_once_as_samza_makes_it(kafka_options: KafkaOptions, topics: Topics, job_name: str) -> None:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415

    topics.will_be_made(coordinator_stream_name(job_name))
    config = {"job.name": job_name, "job.coordinator.replication.factor": "1"}
    with KafkaAdmin(kafka_options) as admin:
        name = create_coordinator_stream(admin, config).stream_name
        made = admin.topic(name)
        assert create_coordinator_stream(admin, {**config, "job.coordinator.segment.bytes": "5"}).stream_name == name
        assert admin.topic(name) == made
    assert (made.partitions, made.delete_retention_ms) == (1, DAY_MS)
    assert topics.settings_of(name) == {"cleanup.policy": "compact", "segment.bytes": "26214400"}
