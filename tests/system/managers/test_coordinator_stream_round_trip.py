"""Samza 1.8.0 reads what our managers write on the coordinator stream, and the other way round, on a real broker."""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import pytest

from eventlog.errors import ConfigError
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.streams import identify
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import (
    ContainerLocality,
    ExecutionContainerIdManager,
    LocalityManager,
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
)
from managers.job_models.job_coordinator_metadata import (
    NON_YARN,
    YARN,
    JobCoordinatorMetadata,
    JobCoordinatorMetadataManager,
)
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_building import build_job_model
from managers.job_models.job_model_json import job_model_from_json, job_model_to_json
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import STREAM, clock
from tests.fixtures import samza_assignments, samza_metadata, samza_startpoints
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Call, Samza, signed_by_nobody
from tests.system.managers.generated_starts import life

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

TASK: Final = 'task "\u0436" \U0001f680'
STANDBY: Final = "Standby-Partition 0-0"
IN_0: Final = SystemStreamPartition("kafka", "in", 0)
DOTTED: Final = SystemStreamPartition("kafka", "in.2024.5", 3)
SHARE: Final = SystemStreamPartition("kafka", "in", 0, 1)
ENDED: Final = SystemStreamPartition("kafka", "ended", 9)

CHANGELOGS: Final = {"Partition 0": 0, TASK: 2147483647, STANDBY: 0, "ended": 3}
HOSTS: Final = {"0": "host-0.example.com", "1": "", 'c "\u0436"': "\U0001f680"}
EXECUTION_IDS: Final = {"0": "container_1606797336059_0010_01_000002", "1": ""}
CONTAINERS: Final = {
    "0": {"Partition 0": "Active", "ended": "Active"},
    'c "\u0436"': {TASK: "Active", STANDBY: "Standby"},
}
PARTITIONS: Final = {IN_0: ["Partition 0", STANDBY], DOTTED: [TASK], SHARE: ["Partition 0"], ENDED: ["ended"]}
#: Of the same keys, written before.
EARLIER: Final = {"0": {"Partition 0": "Standby"}, "7": {TASK: "Active"}}

#: What both read in the end, in the order of `samza_assignments.READS`.
EXPECTED: Final = [
    {"Partition 0": 0, TASK: 2147483647, STANDBY: 0},
    {container: ContainerLocality(container, host, "", "") for container, host in HOSTS.items()},
    EXECUTION_IDS,
    {"Partition 0": "0", TASK: 'c "\u0436"', STANDBY: 'c "\u0436"'},
    {"Partition 0": "Active", TASK: "Active", STANDBY: "Standby"},
    {IN_0: ("Partition 0", STANDBY), DOTTED: (TASK,), SHARE: ("Partition 0",)},
]
WRITE_ALL: Final = [
    samza_assignments.write_changelogs(CHANGELOGS),
    samza_assignments.write_changelogs({"ended": None}),
    samza_assignments.write_localities({"0": "before"}),
    samza_assignments.write_localities(HOSTS),
    samza_assignments.write_execution_ids(EXECUTION_IDS),
    samza_assignments.write_containers(EARLIER),
    samza_assignments.write_containers(CONTAINERS),
    samza_assignments.delete_containers(["ended"]),
    samza_assignments.write_partitions({IN_0: [TASK]}),
    samza_assignments.write_partitions(PARTITIONS),
    samza_assignments.delete_partitions([ENDED]),
]


def write_assignments(store: CoordinatorStreamStore) -> None:
    changelogs = ChangelogPartitionManager(store)
    changelogs.write_partition_mapping(CHANGELOGS)
    changelogs.write_partition_mapping({"ended": None})
    localities = LocalityManager(store)
    for container, host in [("0", "before"), *HOSTS.items()]:
        localities.write_container_to_host_mapping(container, host)
    for container, execution_id in EXECUTION_IDS.items():
        ExecutionContainerIdManager(store).write_execution_environment_container_id_mapping(container, execution_id)
    tasks = TaskAssignmentManager(store)
    tasks.write_task_container_mappings(EARLIER)
    tasks.write_task_container_mappings(CONTAINERS)
    tasks.delete_task_container_mappings(["ended"])
    partitions = TaskPartitionAssignmentManager(store)
    partitions.write_task_partition_assignments({IN_0: [TASK]})
    partitions.write_task_partition_assignments(PARTITIONS)
    partitions.delete([ENDED])


def read_assignments(store: CoordinatorStreamStore) -> list[object]:
    tasks = TaskAssignmentManager(store)
    return [
        ChangelogPartitionManager(store).read_partition_mapping(),
        LocalityManager(store).read_locality(),
        ExecutionContainerIdManager(store).read_execution_environment_container_id_mapping(),
        tasks.read_task_assignment(),
        tasks.read_task_modes(),
        TaskPartitionAssignmentManager(store).read_task_partition_assignments(),
    ]


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
METADATA: Final = [(YARN, AWKWARD), (YARN, FIRST), (NON_YARN, AWKWARD)]


def write_metadata(store: CoordinatorStreamStore) -> None:
    for cluster, metadata in METADATA:
        JobCoordinatorMetadataManager(store, cluster).write_job_coordinator_metadata(metadata)


def read_metadata(store: CoordinatorStreamStore) -> list[object]:
    return [JobCoordinatorMetadataManager(store, each).read_job_coordinator_metadata() for each in (YARN, NON_YARN)]


NOW_MS: Final = time.time_ns() // 1_000_000
REQUESTS: Final[list[tuple[SystemStreamPartition, Startpoint, str | None]]] = [
    (IN_0, StartpointSpecific('a:\u2713 \U0001f680 "\\', NOW_MS), None),
    (IN_0, StartpointTimestamp(-1, NOW_MS), TASK),
    (ENDED, StartpointUpcoming(NOW_MS), None),
    (ENDED, StartpointOldest(NOW_MS), "deleted"),
]


def write_startpoints(store: CoordinatorStreamStore) -> None:
    with StartpointManager(store, clock=lambda: NOW_MS) as manager:
        for partition, startpoint, task in REQUESTS:
            manager.write_startpoint(partition, startpoint, task_name=task)
        manager.delete_startpoint(ENDED, task_name="deleted")


def read_startpoints(store: CoordinatorStreamStore) -> list[object]:
    with StartpointManager(store, clock=lambda: NOW_MS) as manager:
        return [manager.read_startpoint(partition, task_name=task) for partition, _, task in REQUESTS]


class Subject(NamedTuple):
    """What is written and read, by us and by a program of Samza; and what both read in the end."""

    write: Callable[[CoordinatorStreamStore], None]
    read: Callable[[CoordinatorStreamStore], list[object]]
    program: str
    writes: list[Call]
    reads: list[Call]
    expected: list[object]


SUBJECTS: Final = {
    "assignments": Subject(
        write_assignments,
        read_assignments,
        samza_assignments.PROGRAM,
        WRITE_ALL,
        [*samza_assignments.READS],
        [*EXPECTED],
    ),
    "metadata": Subject(
        write_metadata,
        read_metadata,
        samza_metadata.PROGRAM,
        [samza_metadata.read(YARN), *(samza_metadata.write(*each) for each in METADATA)],
        [samza_metadata.read(YARN), samza_metadata.read(NON_YARN)],
        [FIRST, AWKWARD],
    ),
    "startpoints": Subject(
        write_startpoints,
        read_startpoints,
        samza_startpoints.PROGRAM,
        [*(samza_startpoints.write(*each) for each in REQUESTS), samza_startpoints.delete(ENDED, "deleted")],
        [samza_startpoints.read(partition, task) for partition, _, task in REQUESTS],
        [*(startpoint for _, startpoint, _ in REQUESTS[:-1]), None],
    ),
}


@pytest.fixture
def log(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[KafkaEventLog]:
    with KafkaEventLog(kafka_options, identify(coordinator_topic)) as opened:
        yield opened


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_samza_reads_what_we_write(samza: Samza, log: KafkaEventLog, job_name: str, subject: Subject) -> None:
    with CoordinatorStreamStore(log) as store:
        subject.write(store)
        found = samza.ask(subject.program, samza.config(job_name), subject.reads)
        assert found == subject.expected == subject.read(store)


@pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)
def test_we_read_what_samza_writes_and_write_the_same(
    samza: Samza, log: KafkaEventLog, topics: Topics, job_name: str, subject: Subject
) -> None:
    config = samza.config(job_name)
    assert samza.ask(subject.program, config, subject.writes) == [None] * len(subject.writes)
    theirs = [(each.key, signed_by_nobody(each.value)) for each in topics.kept(log.stream_name)]
    with CoordinatorStreamStore(log) as store:
        found = samza.ask(subject.program, config, subject.reads)  # its own writes it reads late
        assert found == subject.expected == subject.read(store)
    ours = MemoryEventLog(STREAM, clock=clock)
    with CoordinatorStreamStore(ours) as store:
        subject.write(store)
    written = [(each.key, signed_by_nobody(each.value)) for each in ours.read()]
    assert sorted(theirs, key=repr) == sorted(written, key=repr)


def models() -> Iterator[JobModel]:
    chance = random.Random(11)
    for _ in range(80):
        start = next(life(chance))
        with suppress(ConfigError):
            yield build_job_model(start.config, {stream: range(count) for stream, count in start.counts.items()}, {})


def test_both_compute_the_same_ids(samza: Samza) -> None:
    served = [
        (job_model_to_json(model), config) for model, config in zip(models(), itertools.cycle(AUTOSIZED), strict=False)
    ]
    calls = [samza_metadata.generate(cluster, *each) for cluster in (YARN, NON_YARN) for each in served]
    theirs = samza.ask(samza_metadata.PROGRAM, {}, calls, ENVIRONMENT)
    with CoordinatorStreamStore(MemoryEventLog(STREAM)) as store:
        ours = [
            JobCoordinatorMetadataManager(store, cluster, environment=ENVIRONMENT).generate_job_coordinator_metadata(
                job_model_from_json(model), config
            )
            for cluster in (YARN, NON_YARN)
            for model, config in served
        ]
    assert ours == theirs
    assert len({each.job_model_id for each in ours}) > 30
    assert len({each.config_id for each in ours}) == 3
