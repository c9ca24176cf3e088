"""A job's life on real Kafka: what its managers do at each step, and what the relations say of it then."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.events import NewEvent
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.log import EventLog
from eventlog.messages import SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.config.job_config import read_config, set_config, write_config
from managers.errors import NotReady
from managers.offsets.offset_manager import OffsetManager
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.coordinator_streams import CoordinatorStreamProducer
from tests.fixtures.kafka_topics import Topics
from tests.system.acceptance.followed import follow_once, shown

pytestmark = pytest.mark.slow

TASK: Final = "Partition 0"
EVENTS: Final = 10
FIRST_MS: Final = 1_700_000_000_000

CHECKPOINTS: Final = "select partition_id, input_offset from coordinator.checkpoint order by 1"
REQUESTED: Final = "select partition_id, startpoint_type, startpoint_value from coordinator.startpoint order by 1"
FANNED_OUT: Final = "select partition_id, task_name, startpoint_type from coordinator.startpoint_fan_out order by 1"
STARTS: Final = """
select partition_id, decided_by, startpoint_type, starting_offset from coordinator.starting_offset order by 1
"""
STEPS: Final = """
select partition_id, status from coordinator.startpoint_history order by log_offset, partition_id
"""
CHANGES: Final = """
select config_key, previous_value, config_value from coordinator.config_change
where previous_value is not null order by log_offset
"""

Rows = list[tuple[Any, ...]]


def views(*numbers: int) -> list[NewEvent]:
    """Events of the input, one a second."""
    return [NewEvent(None, b"%d" % number, FIRST_MS + number * 1_000) for number in numbers]


@dataclass
class World:
    """A cluster with a job's two streams and its input, and a database that follows them."""

    options: KafkaOptions
    source: KafkaSource
    opened: ExitStack
    database_url: str
    coordinator_topic: str
    checkpoint_topic: str
    stream: str

    @property
    def partitions(self) -> list[SystemStreamPartition]:
        """Of the input: the first one is busy, the second quiet."""
        return [SystemStreamPartition("kafka", self.stream, number) for number in range(2)]

    def log(self, name: str) -> EventLog:
        """A stream, opened by one more program."""
        return self.opened.enter_context(KafkaEventLog(self.options, identify(name)))

    def store(self) -> CoordinatorStreamStore:
        """The coordinator stream's store, of one more program."""
        return self.opened.enter_context(CoordinatorStreamStore(self.log(self.coordinator_topic)))

    def startpoints(self) -> StartpointManager:
        """A startpoint manager of one more program, not started."""
        return StartpointManager(self.store())

    def container(self) -> OffsetManager:
        """A restarted container of the job; the previous one may have died."""
        config = read_config(self.store())
        manager = OffsetManager(
            config,
            system_admins={"kafka": self.opened.enter_context(KafkaSystemAdmin(self.options))},
            checkpoint_manager=KafkaCheckpointManager(self.log(self.checkpoint_topic), config=config),
            startpoint_manager=self.startpoints(),
        )
        manager.register(TASK, self.partitions)
        manager.start()
        return manager

    def coordinate(self) -> dict[SystemStreamPartition, Any]:
        """Start a job coordinator, and return what it fans out to the task."""
        with self.startpoints() as startpoints:
            return dict(startpoints.fan_out({TASK: self.partitions}).get(TASK, {}))

    def follow(self) -> None:
        """Let the database follow both streams to their ends."""
        followed = follow_once(self.database_url, self.source, self.coordinator_topic, self.checkpoint_topic)
        assert followed.failures == {}

    def shows(self, query: str) -> Rows:
        """A relation's rows as of the last `follow`."""
        return shown(self.database_url, query)


@pytest.fixture
def world(
    kafka_options: KafkaOptions, topics: Topics, job_name: str, coordinator_topic: str, database_url: str
) -> Iterator[World]:
    checkpoint_topic = topics.create(checkpoint_stream_name(job_name))
    settings = {"cleanup.policy": "delete", "retention.ms": "-1"}
    stream = topics.create(f"{job_name}-views", settings, partitions=2)
    for partition in range(2):
        topics.write(stream, views(*range(EVENTS)), partition=partition)
    with ExitStack() as opened:
        source = opened.enter_context(KafkaSource(kafka_options))
        yield World(kafka_options, source, opened, database_url, coordinator_topic, checkpoint_topic, stream)


def deployed(world: World, job_name: str) -> dict[str, str]:
    """What a deployment writes: the config, and who reads what."""
    config = {
        "job.name": job_name,
        "job.id": "1",
        "task.inputs": f"kafka.{world.stream}",
        "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
        "systems.kafka.samza.offset.default": "oldest",
        "task.opts": "-Xmx1g",
    }
    write_config(world.store(), config)
    with CoordinatorStreamProducer(world.log(world.coordinator_topic)) as producer:
        producer.register("Job-coordinator")
        for partition in world.partitions:
            producer.send(SetTaskPartitionMapping(partition=partition, task_names=(TASK,)))
    return config


def starts(world: World, manager: OffsetManager) -> list[str | None]:
    return [manager.get_starting_offset(TASK, partition) for partition in world.partitions]


def commit(world: World, manager: OffsetManager, *processed: tuple[int, str]) -> None:
    """Process events of these partitions, up to these offsets, and commit both versions."""
    for number, offset in processed:
        manager.update(TASK, world.partitions[number], offset)
    said = manager.build_checkpoint(TASK)
    manager.write_checkpoint(TASK, said, CheckpointV2(CheckpointId.create(nano_time=7), said.offsets, {}))


def test_a_jobs_life(world: World, job_name: str) -> None:
    busy, quiet = world.partitions

    # a first start, from nothing
    deployed(world, job_name)
    assert world.coordinate() == {}
    world.follow()
    assert world.shows(STARTS) == [(0, "default", "oldest", None), (1, "default", "oldest", None)]
    first = world.container()
    assert starts(world, first) == ["0", "0"]
    world.follow()
    assert world.shows(CHECKPOINTS) == []

    # checkpoints
    commit(world, first, (0, "3"), (1, "2"))
    world.follow()
    assert world.shows(CHECKPOINTS) == [(0, "3"), (1, "2")]
    assert world.shows(STARTS) == [(0, "checkpoint", None, "4"), (1, "checkpoint", None, "3")]

    # a config change
    set_config(world.store(), "task.opts", "-Xmx2g")
    world.follow()
    assert world.shows(CHANGES) == [("task.opts", "-Xmx1g", "-Xmx2g")]
    assert world.shows(STARTS) == [(0, "checkpoint", None, "4"), (1, "checkpoint", None, "3")]

    # startpoints are written while it runs, and it runs on as before
    with world.startpoints() as operator:
        operator.write_startpoint(busy, StartpointSpecific("1"))
        operator.write_startpoint(quiet, StartpointOldest())
    commit(world, first, (0, "5"))
    world.follow()
    assert world.shows(REQUESTED) == [(0, "specific", "1"), (1, "oldest", None)]
    assert world.shows(CHECKPOINTS) == [(0, "5"), (1, "2")]
    by_startpoint = [(0, "startpoint", "specific", "1"), (1, "startpoint", "oldest", None)]
    assert world.shows(STARTS) == by_startpoint

    # a restart: the coordinator fans out the requests
    first.stop()
    assert set(world.coordinate()) == {busy, quiet}
    world.follow()
    assert world.shows(REQUESTED) == []
    assert world.shows(FANNED_OUT) == [(0, TASK, "specific"), (1, TASK, "oldest")]
    assert world.shows(STARTS) == by_startpoint

    # and the task begins there; a commit before anything was read takes nothing away
    second = world.container()
    assert starts(world, second) == ["1", "0"]
    assert second.refused_startpoints == ()
    commit(world, second)
    world.follow()
    assert world.shows(FANNED_OUT) == [(0, TASK, "specific"), (1, TASK, "oldest")]

    # the first commit after a partition moved takes its startpoint away, and the quiet one's stays
    commit(world, second, (0, "1"))
    world.follow()
    assert world.shows(FANNED_OUT) == [(1, TASK, "oldest")]
    assert world.shows(CHECKPOINTS) == [(0, "1"), (1, "2")]
    assert world.shows(STARTS) == [(0, "checkpoint", None, "2"), (1, "startpoint", "oldest", None)]

    # a second restart, after a crash
    assert world.coordinate() == {}
    third = world.container()
    assert starts(world, third) == ["2", "0"]
    commit(world, third, (1, "0"))
    world.follow()
    assert world.shows(FANNED_OUT) == []
    assert world.shows(STARTS) == [(0, "checkpoint", None, "2"), (1, "checkpoint", None, "1")]
    third.stop()
    with pytest.raises(NotReady):
        commit(world, third)
    assert starts(world, world.container()) == ["2", "1"]
    world.follow()
    assert world.shows(STEPS) == [
        (0, "requested"),
        (1, "requested"),
        (0, "fanned_out"),
        (1, "fanned_out"),
        (0, "consumed"),
        (1, "consumed"),
    ]


@pytest.mark.scenario("SPR-05")
@pytest.mark.parametrize(
    ("order", "first"),
    [
        (StartpointSpecific("4"), 4),
        (StartpointTimestamp(FIRST_MS + 6_500), 7),
        (StartpointOldest(), 0),
        (StartpointUpcoming(), EVENTS),
    ],
    ids=["a specific offset", "a time", "the oldest", "the upcoming"],
)
def test_a_job_without_a_checkpoint_reads_from_its_startpoint_on(
    world: World, topics: Topics, job_name: str, order: Startpoint, first: int
) -> None:
    """As TestStartpoint of Samza; more is written once the job runs."""
    busy, _ = world.partitions
    deployed(world, job_name)
    with world.startpoints() as operator:
        operator.write_startpoint(busy, order)
    assert world.coordinate() == {busy: order}
    offset, _ = starts(world, world.container())
    topics.write(world.stream, views(EVENTS, EVENTS + 1), partition=0)
    assert offset is not None
    read = topics.records(world.stream, int(offset))
    assert [int(record.value) for record in read] == list(range(first, EVENTS + 2))
