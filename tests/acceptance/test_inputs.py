"""What the tasks of a job read: by config, by assignments or checkpoints, by key buckets, and not in standby."""

from typing import Final

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointSpecific
from eventlog.wire.checkpoint_topic import encode_v1
from tests.acceptance.imported_job import ImportedJob, Row
from tests.builders import (
    FIRST_TIME,
    changelog_set,
    checkpoint_v1,
    config_set,
    fan_out,
    recorded,
    set_checkpoint,
    startpoint,
    task_mode,
    task_partition,
    tombstone,
)

STARTS: Final = "task_name, system_name, stream_name, decided_by, startpoint_type"


def test_white_space_around_names_does_not_count(database: Connection) -> None:
    """As in Samza (TaskConfig.getInputStreams, StorageConfig.getChangelogStream)."""
    events = [
        config_set("task.inputs", "kafka.clicks,\n\tkafka.page-views\r\n"),
        config_set("systems.kafka.samza.offset.default", "\toldest\n"),
        config_set("stores.s.changelog", " kafka.changes\t"),
        config_set("stores.t.changelog", " \n"),
        task_partition("kafka.page-views.0", "t"),
    ]
    commit = checkpoint_v1("t", {"kafka.changes.0": "7"})
    job = ImportedJob(database, "inputs-trimmed", coordinator=events, checkpoints=[commit])
    assert job.rows("starting_offset", STARTS) == [("t", "kafka", "page-views", "default", "oldest")]
    assert job.rows("checkpoint", "task_name") == []
    assert job.rows("state_checkpoint", "store_name, changelog_stream") == [("s", "changes")]


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


ACTIVE, STANDBY = "Partition 0", "Standby-Partition 0-0"
WITH_STANDBY: list[NewEvent] = [
    task_mode(ACTIVE, "Active"),
    task_mode(STANDBY, "Standby"),
    changelog_set(ACTIVE, 0),
    changelog_set(STANDBY, 0),
    task_partition("kafka.in.0", ACTIVE, STANDBY),
]


def test_only_active_tasks_start_and_are_behind(database: Connection) -> None:
    job = ImportedJob(
        database, "standby", coordinator=WITH_STANDBY, checkpoints=[checkpoint_v1(ACTIVE, {"kafka.in.0": "41"})]
    )
    assert job.rows("starting_offset", "task_name, decided_by") == [(ACTIVE, "checkpoint")]
    assert job.rows("task_lag", "task_name") == [(ACTIVE,)]
    explain = "select * from coordinator.explain(%s, '1', %s, null)"
    assert database.execute(explain.encode(), (job.name, STANDBY)).fetchall() == []


def test_a_task_starts_once_it_is_active(database: Connection) -> None:
    job = ImportedJob(database, "standby-active", coordinator=[*WITH_STANDBY, task_mode(STANDBY, "Active")])
    assert job.rows_as_of("starting_offset", "task_name", FIRST_TIME + len(WITH_STANDBY) - 1) == [(ACTIVE,)]
    assert job.rows("starting_offset", "task_name") == [(ACTIVE,), (STANDBY,)]


def test_a_standby_task_shares_the_changelog_partition_of_its_active_task(database: Connection) -> None:
    job = ImportedJob(database, "standby-changelog", coordinator=WITH_STANDBY)
    assert job.rows("anomaly", "anomaly") == []
    shared = ImportedJob(database, "standby-shared", coordinator=[*WITH_STANDBY, changelog_set("Partition 1", 0)])
    (detail,) = shared.rows("anomaly", "detail")
    assert "is also that of task Partition 0 (log offset 2)" in detail[0]


MINUTE: Final = 60_000
TASK: Final = "Partition 0_1_2"
BUCKET: Final = SystemStreamPartition("kafka", "in", 0, 1)
SEVEN: Final = StartpointSpecific("7", FIRST_TIME)
FAN_OUT: Final = fan_out(TASK, {"kafka.in.0": SEVEN})
BUCKETED: Final[list[NewEvent]] = [
    task_partition("kafka.in.0", TASK, key_bucket=1),
    startpoint("kafka.in.0", SEVEN),
    FAN_OUT,
    tombstone(startpoint("kafka.in.0", SEVEN)),
]


def commit(offset: str) -> NewEvent:
    return checkpoint_v1(TASK)._replace(value=encode_v1(CheckpointV1({BUCKET: offset})))


def test_a_startpoint_decides_before_and_after_its_fan_out(database: Connection) -> None:
    job = ImportedJob(database, "bucket-start", coordinator=BUCKETED, checkpoints=[commit("50")])
    columns = "key_bucket, decided_by, starting_offset"
    assert job.rows_as_of("starting_offset", columns, FIRST_TIME + 1) == [(1, "startpoint", "7")]
    assert job.rows("starting_offset", columns) == [(1, "startpoint", "7")]
    explain = "select candidate, outcome from coordinator.explain(%s, '1', %s, null) where rule = 'startpoint'"
    assert database.execute(explain.encode(), (job.name, TASK)).fetchall() == [("specific 7", "wins")]


def test_a_task_consumes_its_fan_out(database: Connection) -> None:
    job = ImportedJob(database, "bucket-life")
    coordinator = recorded([*BUCKETED, tombstone(FAN_OUT)], step=MINUTE)
    job.import_recorded(job.coordinator_stream, coordinator)
    commits = recorded([commit("50"), commit("9")], step=3 * MINUTE)
    job.import_recorded(job.checkpoint_stream, commits)
    assert [row[1] for row in job.rows("startpoint_history", "log_offset, status")] == [
        "requested",
        "fanned_out",
        "consumed",
    ]
    assert job.rows("anomaly", "anomaly") == []
