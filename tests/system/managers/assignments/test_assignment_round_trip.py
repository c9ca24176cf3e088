"""Assignments are read by Samza 1.8.0 itself, and the other way round, on a real broker."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.streams import identify
from managers.assignments.changelog_partition_manager import ChangelogPartitionManager
from managers.assignments.job_model_assignments import (
    ContainerLocality,
    ExecutionContainerIdManager,
    LocalityManager,
    TaskAssignmentManager,
    TaskPartitionAssignmentManager,
)
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import clock
from tests.fixtures import samza_assignments as asked
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

AWKWARD: Final = 'task "\u0436" \U0001f680'
STANDBY: Final = "Standby-Partition 0-0"
IN_0: Final = SystemStreamPartition("kafka", "in", 0)
DOTTED: Final = SystemStreamPartition("kafka", "in.2024.5", 3)
SHARE: Final = SystemStreamPartition("kafka", "in", 0, 1)
ENDED: Final = SystemStreamPartition("kafka", "ended", 9)

CHANGELOGS: Final = {"Partition 0": 0, AWKWARD: 2147483647, STANDBY: 0, "ended": 3}
HOSTS: Final = {"0": "host-0.example.com", "1": "", 'c "\u0436"': "\U0001f680"}
EXECUTION_IDS: Final = {"0": "container_1606797336059_0010_01_000002", "1": ""}
CONTAINERS: Final = {
    "0": {"Partition 0": "Active", "ended": "Active"},
    'c "\u0436"': {AWKWARD: "Active", STANDBY: "Standby"},
}
PARTITIONS: Final = {IN_0: ["Partition 0", STANDBY], DOTTED: [AWKWARD], SHARE: ["Partition 0"], ENDED: ["ended"]}
#: Of the same keys, written before.
EARLIER: Final = {"0": {"Partition 0": "Standby"}, "7": {AWKWARD: "Active"}}

#: What both read in the end, in the order of `asked.READS`.
EXPECTED: Final = [
    {"Partition 0": 0, AWKWARD: 2147483647, STANDBY: 0},
    {container: ContainerLocality(container, host, "", "") for container, host in HOSTS.items()},
    EXECUTION_IDS,
    {"Partition 0": "0", AWKWARD: 'c "\u0436"', STANDBY: 'c "\u0436"'},
    {"Partition 0": "Active", AWKWARD: "Active", STANDBY: "Standby"},
    {IN_0: ("Partition 0", STANDBY), DOTTED: (AWKWARD,), SHARE: ("Partition 0",)},
]
WRITE_ALL: Final = [
    asked.write_changelogs(CHANGELOGS),
    asked.write_changelogs({"ended": None}),
    asked.write_localities({"0": "before"}),
    asked.write_localities(HOSTS),
    asked.write_execution_ids(EXECUTION_IDS),
    asked.write_containers(EARLIER),
    asked.write_containers(CONTAINERS),
    asked.delete_containers(["ended"]),
    asked.write_partitions({IN_0: [AWKWARD]}),
    asked.write_partitions(PARTITIONS),
    asked.delete_partitions([ENDED]),
]


def write_all(log: EventLog) -> None:
    with CoordinatorStreamStore(log) as store:
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
        partitions.write_task_partition_assignments({IN_0: [AWKWARD]})
        partitions.write_task_partition_assignments(PARTITIONS)
        partitions.delete([ENDED])


def read_all(log: EventLog) -> list[Mapping[Any, Any]]:
    with CoordinatorStreamStore(log) as store:
        tasks = TaskAssignmentManager(store)
        return [
            ChangelogPartitionManager(store).read_partition_mapping(),
            LocalityManager(store).read_locality(),
            ExecutionContainerIdManager(store).read_execution_environment_container_id_mapping(),
            tasks.read_task_assignment(),
            tasks.read_task_modes(),
            TaskPartitionAssignmentManager(store).read_task_partition_assignments(),
        ]


@pytest.fixture
def log(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[KafkaEventLog]:
    with KafkaEventLog(kafka_options, identify(coordinator_topic)) as opened:
        yield opened


def test_samza_reads_what_we_write(samza: Samza, log: KafkaEventLog, job_name: str) -> None:
    write_all(log)
    assert samza.ask(asked.PROGRAM, samza.config(job_name), asked.READS) == EXPECTED == read_all(log)


def test_we_read_what_samza_writes_and_write_the_same(
    samza: Samza, log: KafkaEventLog, topics: Topics, job_name: str
) -> None:
    config = samza.config(job_name)
    assert samza.ask(asked.PROGRAM, config, WRITE_ALL) == [None] * len(WRITE_ALL)
    assert samza.ask(asked.PROGRAM, config, asked.READS) == EXPECTED == read_all(log)  # its own writes it reads late
    theirs = [(each.key, signed_by_nobody(each.value)) for each in topics.kept(log.stream_name)]
    ours = MemoryEventLog(identify(log.stream_name), clock=clock)
    write_all(ours)
    assert sorted(theirs, key=repr) == sorted(
        ((each.key, signed_by_nobody(each.value)) for each in ours.read()), key=repr
    )


def signed_by_nobody(value: bytes | None) -> list[tuple[str, Any]] | None:
    """A value's fields in order, without the envelope, which must be complete."""
    if value is None:
        return None
    fields = json.loads(value).items()
    return [(name, list(field.items()) if name == "values" else type(field)) for name, field in fields]
