"""Metadata of job coordinators: this library and Samza 1.8.0 read each other's, on a real broker."""

import itertools
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import pytest

from eventlog.errors import ConfigError
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.streams import identify
from managers.job_models.job_coordinator_metadata import (
    NON_YARN,
    YARN,
    JobCoordinatorMetadata,
    JobCoordinatorMetadataManager,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_models.job_model_json import from_json, to_json
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import clock
from tests.fixtures import samza_metadata as asked
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza
from tests.system.managers.generated_starts import life

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

ENVIRONMENT: Final = {
    "CONTAINER_ID": "container_1606797336059_0010_01_000001",
    "SAMZA_EPOCH_ID": "epoch \u0436 \U0001f680",
}
AUTOSIZED: Final = [
    {},
    {"job.autosizing.enabled": "true", "job.name": "counts not"},
    {"job.autosizingX": "\u0436 \U0001f680", "job.autosizing.container.count": "2"},
]
FIRST: Final = JobCoordinatorMetadata("1606797336059_0010", "0", "-1")
AWKWARD: Final = JobCoordinatorMetadata('e "\u0436" \\ \U0001f680', "-2147483648", "{}")
WRITTEN: Final = [(YARN, AWKWARD), (YARN, FIRST), (NON_YARN, AWKWARD)]


@pytest.fixture
def log(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[KafkaEventLog]:
    with KafkaEventLog(kafka_options, identify(coordinator_topic)) as opened:
        yield opened


def memory_log() -> EventLog:
    return MemoryEventLog(identify("__samza_coordinator_a_1"), clock=clock)


def models() -> Iterator[JobModel]:
    chance = random.Random(11)
    for _ in range(80):
        start = next(life(chance))
        with suppress(ConfigError):
            yield build_job_model(start.config, {stream: range(count) for stream, count in start.counts.items()}, {})


def test_both_compute_the_same_ids(samza: Samza) -> None:
    served = [(to_json(model), config) for model, config in zip(models(), itertools.cycle(AUTOSIZED), strict=False)]
    calls = [asked.generate(cluster, *each) for cluster in (YARN, NON_YARN) for each in served]
    theirs = samza.ask(asked.PROGRAM, {}, calls, ENVIRONMENT)
    with CoordinatorStreamStore(memory_log()) as store:
        ours = [
            JobCoordinatorMetadataManager(store, cluster, environment=ENVIRONMENT).generate_job_coordinator_metadata(
                from_json(model), config
            )
            for cluster in (YARN, NON_YARN)
            for model, config in served
        ]
    assert ours == theirs
    assert len({each.job_model_id for each in ours}) > 30
    assert len({each.config_id for each in ours}) == 3


def test_samza_reads_what_we_write(samza: Samza, log: KafkaEventLog, job_name: str) -> None:
    with CoordinatorStreamStore(log) as store:
        for cluster, metadata in WRITTEN:
            JobCoordinatorMetadataManager(store, cluster).write_job_coordinator_metadata(metadata)
    reads = [asked.read(YARN), asked.read(NON_YARN)]
    assert samza.ask(asked.PROGRAM, samza.config(job_name), reads) == [FIRST, AWKWARD]


def test_we_read_what_samza_writes_and_write_the_same(
    samza: Samza, log: KafkaEventLog, topics: Topics, job_name: str
) -> None:
    calls = [asked.read(YARN), *(asked.write(*each) for each in WRITTEN)]
    assert samza.ask(asked.PROGRAM, samza.config(job_name), calls) == [None] * len(calls)
    theirs = [(each.key, signed_by_nobody(each.value)) for each in topics.kept(log.stream_name)]
    with CoordinatorStreamStore(log) as store:
        assert JobCoordinatorMetadataManager(store).read_job_coordinator_metadata() == FIRST
        assert JobCoordinatorMetadataManager(store, NON_YARN).read_job_coordinator_metadata() == AWKWARD
    ours = memory_log()
    with CoordinatorStreamStore(ours) as store:
        for cluster, metadata in WRITTEN:
            JobCoordinatorMetadataManager(store, cluster).write_job_coordinator_metadata(metadata)
    assert [(each.key, signed_by_nobody(each.value)) for each in ours.read()] == theirs


def signed_by_nobody(value: bytes | None) -> list[tuple[str, Any]]:
    """A value's fields in order, without the envelope, which must be complete."""
    fields = json.loads(value or b"").items()
    return [(name, field if name == "values" else type(field)) for name, field in fields]
