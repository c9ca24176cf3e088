"""Standby tasks: they restore the changelogs of their active tasks, and read no inputs."""

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointSpecific
from tests.acceptance.imported_job import ImportedJob
from tests.builders import FIRST_TIME, changelog_set, checkpoint_v1, startpoint, task_mode, task_partition

ACTIVE, STANDBY = "Partition 0", "Standby-Partition 0-0"
EVENTS: list[NewEvent] = [
    task_mode(ACTIVE, "Active"),
    task_mode(STANDBY, "Standby"),
    changelog_set(ACTIVE, 0),
    changelog_set(STANDBY, 0),
    task_partition("kafka.in.0", ACTIVE, STANDBY),
]


def test_only_active_tasks_start_and_are_behind(database: Connection) -> None:
    job = ImportedJob(
        database, "standby", coordinator=EVENTS, checkpoints=[checkpoint_v1(ACTIVE, {"kafka.in.0": "41"})]
    )
    assert job.rows("starting_offset", "task_name, decided_by") == [(ACTIVE, "checkpoint")]
    assert job.rows("task_lag", "task_name") == [(ACTIVE,)]
    explain = "select * from coordinator.explain(%s, '1', %s, null)"
    assert database.execute(explain.encode(), (job.name, STANDBY)).fetchall() == []


def test_a_task_starts_once_it_is_active(database: Connection) -> None:
    job = ImportedJob(database, "standby-active", coordinator=[*EVENTS, task_mode(STANDBY, "Active")])
    assert job.rows_as_of("starting_offset", "task_name", FIRST_TIME + len(EVENTS) - 1) == [(ACTIVE,)]
    assert job.rows("starting_offset", "task_name") == [(ACTIVE,), (STANDBY,)]


def test_the_key_of_a_startpoint_is_not_that_of_a_standby_task(database: Connection) -> None:
    """``kafka.in.0.1`` is partition 0 for task 1, or partition 1 of ``in.0``, which only a standby task has."""
    events = [
        task_mode("Standby-1-0", "Standby"),
        task_partition("kafka.in.0", "1"),
        task_partition("kafka.in.0.1", "Standby-1-0"),
        startpoint("kafka.in.0.1", StartpointSpecific("7", FIRST_TIME)),
    ]
    job = ImportedJob(database, "standby-key", coordinator=events)
    assert job.rows("startpoint", "stream_name, partition_id, task_name, is_ambiguous") == [("in", 0, "1", False)]


def test_a_standby_task_shares_the_changelog_partition_of_its_active_task(database: Connection) -> None:
    job = ImportedJob(database, "standby-changelog", coordinator=EVENTS)
    assert job.rows("anomaly", "anomaly") == []
    shared = ImportedJob(database, "standby-shared", coordinator=[*EVENTS, changelog_set("Partition 1", 0)])
    (detail,) = shared.rows("anomaly", "detail")
    assert "is also that of task Partition 0 (log offset 2)" in detail[0]
