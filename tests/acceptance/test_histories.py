"""Histories of what is not a checkpoint: each event is there, deletions and empty lists too; filters reach an index."""

from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from tests.acceptance.imported_job import ImportedJob
from tests.acceptance.synthetic_history import plan, scans
from tests.builders import (
    changelog_set,
    checkpoint_v1,
    config_set,
    container_execution,
    container_host,
    coordinator_metadata,
    raw,
    task_container,
    task_mode,
    task_partition,
    tombstone,
)

pytestmark = pytest.mark.slow

MADE_BY: Final[dict[str, tuple[NewEvent, str, tuple[object, ...]]]] = {
    "changelog_mapping": (changelog_set("t", 3), "task_name, changelog_partition", ("t", 3)),
    "container_host": (container_host("0", "h"), "container_id, host_name", ("0", "h")),
    "container_execution": (container_execution("0", "c_1"), "container_id, execution_container_id", ("0", "c_1")),
    "task_container": (task_container("t", "0"), "task_name, container_id", ("t", "0")),
    "task_mode": (task_mode("t", "Standby"), "task_name, task_mode", ("t", "Standby")),
    "job_coordinator_metadata": (coordinator_metadata("YARN", "e"), "cluster_type, epoch_id", ("YARN", "e")),
}
"""An event of each relation that has a row an event, and what of it shows."""


@pytest.mark.parametrize("relation", MADE_BY)
def test_an_event_and_its_deletion(database: Connection, relation: str) -> None:
    event, columns, said = MADE_BY[relation]
    job = ImportedJob(database, relation.replace("_", "-"), coordinator=[event, event, tombstone(event)])
    assert job.rows(f"{relation}_history", f"log_offset, operation, {columns}") == [
        (0, "set", *said),
        (1, "set", *said),
        (2, "delete", said[0], None),
    ]
    assert job.rows(relation, columns) == []
    assert job.rows_as_of_offset(relation, columns, 1) == [said]


def test_a_list_of_tasks_has_a_row_per_task_and_an_empty_list_has_one(database: Connection) -> None:
    both, one = task_partition("kafka.in.3", "a", "b"), task_partition("kafka.in.3", "b")
    nobody = raw(one.key, (one.value or b"").replace(b'[\\"b\\"]', b"[]"))
    assert nobody.value != one.value
    job = ImportedJob(database, "lists", coordinator=[both, one, nobody, tombstone(one)])
    columns = "log_offset, task_name, operation, system_name, stream_name, partition_id, key_bucket"
    partition = ("kafka", "in", 3, -1)
    assert job.rows("task_partition_history", columns) == [
        (0, "a", "set", *partition),
        (0, "b", "set", *partition),
        (1, "b", "set", *partition),
        (2, None, "set", *partition),
        (3, None, "delete", *partition),
    ]


def test_a_type_that_the_checkpoint_topic_does_not_know_is_in_no_history(database: Connection) -> None:
    known = checkpoint_v1()
    odd = raw((known.key or b"").replace(b'"type":"checkpoint"', b'"type":"set-config"'), b"{}")
    assert odd.key != known.key
    job = ImportedJob(database, "odd", coordinator=[config_set("a", "1")], checkpoints=[odd])
    assert job.rows("other_message", "message_type") == [("set-config",)]
    assert job.rows("config_history", "config_key, config_value") == [("a", "1")]


@pytest.fixture(scope="module")
def large(database: Connection) -> ImportedJob:
    """Among other jobs, one that was deployed twenty times."""
    tasks = [f"Partition {number}" for number in range(50)]
    deploy = [
        event
        for number, task in enumerate(tasks)
        for event in (
            *(config_set(f"key.{number}", "1"), changelog_set(task, number), container_host(str(number))),
            *(container_execution(str(number)), task_container(task), task_mode(task)),
            *(task_partition(f"kafka.in.{number}", task), coordinator_metadata(str(number))),
        )
    ]
    for other in ("one", "another", "a-third"):
        ImportedJob(database, other, coordinator=deploy * 20)
    job = ImportedJob(database, "large", coordinator=deploy * 20)
    database.execute("analyze")
    return job


FILTERS: Final = {
    "a job": "job_name = 'large' and job_id = '1'",
    "offsets": "job_name = 'large' and job_id = '1' and log_offset between 7900 and 7990",
}
OF_A_TASK: Final = ("changelog_mapping", "task_container", "task_mode")


@pytest.mark.parametrize("filtered", FILTERS)
@pytest.mark.parametrize("history", [*(f"{relation}_history" for relation in MADE_BY), "task_partition_history"])
def test_a_filter_reaches_an_index(large: ImportedJob, history: str, filtered: str) -> None:
    executed = plan(large.connection, f"select * from coordinator.{history} where {FILTERS[filtered]}")
    sequential = [node["Relation Name"] for node in scans(executed) if node["Node Type"] == "Seq Scan"]
    assert "message_event" not in sequential
    read = sum(
        node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0) * node["Actual Loops"]
        for node in scans(executed)
        if node["Relation Name"] == "message_event"
    )
    assert read <= {"a job": 8_000, "offsets": 91}[filtered]


@pytest.mark.parametrize("history", [f"{relation}_history" for relation in OF_A_TASK])
def test_a_filter_on_a_task_reads_only_its_events(large: ImportedJob, history: str) -> None:
    executed = plan(
        large.connection, f"select * from coordinator.{history} where {FILTERS['a job']} and task_name = 'Partition 7'"
    )
    read = sum(
        node["Actual Rows"] * node["Actual Loops"]
        for node in scans(executed)
        if node["Relation Name"] == "message_event"
    )
    assert executed["Actual Rows"] == read == 20
