"""Makes a job's coordinator stream."""

from collections.abc import Mapping

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.streams import StreamIdentity
from managers.stream_creation import create_coordinator_stream


class Maker:
    """Notes what it is asked to make."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int]] = []

    def create_stream(
        self, stream: StreamIdentity, *, replication_factor: int = -1, settings: Mapping[str, str]
    ) -> None:
        self.asked.append((stream.stream_name, replication_factor, int(settings["segment.bytes"])))


def test_settings_of_the_system_count_after_those_of_the_stream() -> None:
    of_system = "systems.kafka.default.stream"
    config = {"job.name": "a_b", "job.default.system": "kafka", f"{of_system}.replication.factor": "3"}
    maker = Maker()
    for more in (
        {f"{of_system}.segment.bytes": "1000"},
        {"job.coordinator.replication.factor": "2"},
        {"job.coordinator.system": "other"},
    ):
        create_coordinator_stream(maker, {**config, **more})
    name = "__samza_coordinator_a-b_1"
    assert maker.asked == [(name, 3, 1000), (name, 2, 26_214_400), (name, -1, 26_214_400)]


@pytest.mark.scenario("CFG-11")
def test_a_log_in_postgres_is_made_once_and_keeps_its_events(database_url: str) -> None:
    config = {"job.name": "a_b", "job.coordinator.replication.factor": "3"}
    admin = PostgresAdmin(database_url)
    stream = create_coordinator_stream(admin, config)
    with PostgresEventLog(database_url, stream.stream_name) as log:
        log.append([NewEvent(b"k", b"v")])
        assert create_coordinator_stream(admin, {**config, "job.coordinator.segment.bytes": "5"}) == stream
        assert [(event.key, event.value) for event in log.read()] == [(b"k", b"v")]
