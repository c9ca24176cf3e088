"""Startpoints on real Kafka, from an order to what a task then reads (TestStartpoint of Samza)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointMaker
from eventlog.streams import identify
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.kafka_topics import Topics

EVENTS: Final = 200
LATER: Final = 20
FIRST_MS: Final = 1_700_000_000_000
TASK: Final = "Partition 0"

ReadAfter = Callable[[Startpoint], list[Any]]


def now_ms() -> int:
    """When orders are given and followed."""
    return FIRST_MS + 3_600_000


def time_of(number: int) -> int:
    """The time of an event."""
    return FIRST_MS + number * 1_000


MAKE: Final = StartpointMaker(now_ms)


@pytest.fixture
def read_after(kafka_options: KafkaOptions, topics: Topics, job_name: str, coordinator_topic: str) -> ReadAfter:
    """What a job without a checkpoint reads when it is started after an order: operator, coordinator and container are
    programs of their own, and more is written once it runs."""
    stream_name = topics.create(f"{job_name}-input", {"cleanup.policy": "delete", "retention.ms": "-1"})
    partition = SystemStreamPartition("input", stream_name, 0)

    @contextmanager
    def program() -> Iterator[StartpointManager]:
        with (
            KafkaEventLog(kafka_options, identify(coordinator_topic)) as log,
            StartpointManager(CoordinatorStreamStore(log), clock=now_ms) as manager,
        ):
            yield manager

    def write(numbers: range) -> None:
        topics.write(stream_name, [NewEvent(None, b"%d" % number, time_of(number)) for number in numbers])

    def read(order: Startpoint) -> list[Any]:
        write(range(EVENTS))
        with program() as operator:
            operator.write_startpoint(partition, order)
        with program() as coordinator:
            assert coordinator.fan_out({TASK: {partition}}) == {TASK: {partition: order}}
        with program() as container, KafkaSystemAdmin(kafka_options) as admin:
            offset = admin.resolve_startpoint_to_offset(partition, container.get_fan_out_for_task(TASK)[partition])
        assert offset is not None
        write(range(EVENTS, EVENTS + LATER))
        return topics.records(stream_name, int(offset))

    return read


@pytest.mark.scenario("SPR-05")
@pytest.mark.parametrize(
    ("order", "first"),
    [
        (MAKE.specific("100"), 100),
        (MAKE.timestamp(time_of(150)), 150),
        (MAKE.oldest(), 0),
        (MAKE.upcoming(), EVENTS),
    ],
    ids=["a specific offset", "a time", "the oldest", "the upcoming"],
)
def test_a_job_reads_from_its_startpoint_on(read_after: ReadAfter, order: Startpoint, first: int) -> None:
    assert [int(record.value) for record in read_after(order)] == list(range(first, EVENTS + LATER))
