"""Jobs without assignments of partitions to tasks: what their checkpoints name is what their tasks read."""

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointSpecific
from tests.acceptance.imported_job import ImportedJob, Row
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    config_set,
    recorded,
    set_checkpoint,
    startpoint,
    task_partition,
    tombstone,
)

IN = "kafka.in.0"
INPUTS = config_set("task.inputs", "kafka.in")
KAFKA = config_set("systems.kafka.samza.factory", "org.apache.samza.system.kafka.KafkaSystemFactory")
SHOWN = "task_name, stream_name, partition_id, decided_by, starting_offset, assigned_by"
BY_CHECKPOINT = ("t", "in", 0, "checkpoint", "42", "checkpoint")


def starts(job: ImportedJob) -> list[Row]:
    return job.rows("starting_offset", SHOWN)


def explained(job: ImportedJob, task: str = "t") -> list[Row]:
    query = "select rule, candidate, outcome, reason, log_offset from coordinator.explain(%s, '1', %s, null)"
    return job.connection.execute(query.encode(), (job.name, task)).fetchall()


def test_a_job_as_in_seed_000(database: Connection) -> None:
    events = [INPUTS, KAFKA, set_checkpoint("t", {IN: "9"}), set_checkpoint("t", {IN: "41"})]
    job = ImportedJob(database, "unassigned-000", coordinator=events)
    assert starts(job) == [BY_CHECKPOINT]
    for at, offset in ((1, None), (2, "10"), (3, "42")):
        expected = [] if offset is None else [(*BY_CHECKPOINT[:4], offset, "checkpoint")]
        assert job.rows_as_of("starting_offset", SHOWN, FIRST_TIME + at) == expected


def test_a_job_that_has_nothing_but_a_checkpoint_topic(database: Connection) -> None:
    job = ImportedJob(database, "unassigned-topic", checkpoints=[checkpoint_v1("t", {IN: "41"})])
    assert starts(job) == [("t", "in", 0, "checkpoint", None, "checkpoint")]  # no config says that it is Kafka
    assert job.rows_as_of("starting_offset", SHOWN, FIRST_TIME) == starts(job)
    assert [row[:3] for row in explained(job)] == [
        ("input", None, "absent"),
        ("startpoint", None, "absent"),
        ("reset", None, "absent"),
        ("checkpoint", "after 41 (version 1)", "wins"),
        ("default", "upcoming", "loses"),
    ]


def test_the_checkpoint_that_counts_names_the_partitions(database: Connection) -> None:
    checkpoints = [
        checkpoint_v1("t", {IN: "9", "kafka.in.7": "1"}),
        checkpoint_v1("t", {IN: "41", "kafka.log.0": "5", "kafka.old.0": "6", "kafka.in.1": None}),
        checkpoint_v2("t", {IN: "50", "kafka.in.2": "1"}),
        checkpoint_v1("gone", {"kafka.in.3": "1"}),
        tombstone(checkpoint_v1("gone")),
    ]
    coordinator = [INPUTS, KAFKA, config_set("stores.s.changelog", "kafka.log")]
    job = ImportedJob(database, "unassigned-named", coordinator=coordinator, checkpoints=checkpoints)
    assert starts(job) == [BY_CHECKPOINT, ("t", "in", 1, "default", None, "checkpoint")]


def test_one_assignment_is_enough_to_go_by_assignments(database: Connection) -> None:
    events = [INPUTS, KAFKA, set_checkpoint("t", {IN: "41"})]
    assigned = task_partition("kafka.in.5", "u")
    job = ImportedJob(database, "unassigned-then", coordinator=events)
    assert starts(job) == [BY_CHECKPOINT]
    job.import_recorded(job.coordinator_stream, recorded([*events, assigned]))
    assert starts(job) == [("u", "in", 5, "default", None, "assignment")]
    assert explained(job) == []
    job.import_recorded(job.coordinator_stream, recorded([*events, assigned, tombstone(assigned)]))
    assert starts(job) == [BY_CHECKPOINT]


@pytest.mark.parametrize("has_topic", [False, True], ids=["seed-000", "topic"])
def test_a_key_that_can_be_read_in_two_ways_is_settled_by_checkpoints(database: Connection, has_topic: bool) -> None:
    request = startpoint("k.s.1.2", StartpointSpecific("7", FIRST_TIME))
    read: NewEvent = checkpoint_v1("t", {"k.s.1.2": "41"}) if has_topic else set_checkpoint("t", {"k.s.1.2": "41"})
    name = f"unassigned-key-{has_topic}"
    alone = ImportedJob(database, f"{name}-alone", coordinator=[request])
    assert alone.rows("startpoint", "is_ambiguous") == [(True,)]
    coordinator = [request] if has_topic else [read, request]
    job = ImportedJob(database, name, coordinator=coordinator, checkpoints=[read] if has_topic else None)
    settled = ("s.1", 2, None, False)
    shown = "stream_name, partition_id, task_name, is_ambiguous"
    assert job.rows("startpoint", shown) == [settled]
    assert job.rows_as_of("startpoint", shown, FIRST_TIME + 10) == [settled]
    assert job.rows_as_of_offset("startpoint", shown, len(coordinator) - 1) == [settled]
    assert job.rows("startpoint_history", "stream_name, partition_id", "status = 'requested'") == [("s.1", 2)]
