from coordstream.queries.rows import NOW
from coordstream.queries.tasks import start, task_partitions, task_rows
from eventlog.postgres.connection import connect
from projections.job_choice import Job
from tests.builders import (
    changelog_set,
    checkpoint_v1,
    config_set,
    container_execution,
    container_host,
    task_container,
    task_mode,
    task_partition,
)
from tests.fixtures.acceptance.imported_job import ImportedJob


def test_a_start_has_its_rule() -> None:
    row = {"decided_by": "checkpoint", "startpoint_type": None, "starting_offset": "20", "input_offset": "19"}
    assert start(row) == "20 (checkpoint)"
    assert start(row | {"starting_offset": None}) == "after 19 (checkpoint)"
    upcoming = {"startpoint_type": "upcoming", "startpoint_value": None, "starting_offset": None, "input_offset": None}
    assert start(upcoming | {"decided_by": "default"}) == "upcoming (default)"
    assert start({"decided_by": None}) is None


def test_tasks_and_their_partitions_join_all_relations(database_url: str) -> None:
    job = Job("orders", "1")
    with connect(database_url) as connection:
        assert (task_rows(connection, job, NOW), task_partitions(connection, job, "a", NOW)) == ([], [])
        ImportedJob(
            connection,
            "orders",
            coordinator=[
                config_set("task.inputs", "kafka.in"),
                task_container("b", "0"),
                container_host("0", "h"),
                container_execution("0", "c1"),
                task_mode("b", "Active"),
                changelog_set("a", 7),
                *(task_partition(f"kafka.in.{partition}", "b") for partition in (0, 1)),
            ],
            checkpoints=[checkpoint_v1("b", {"kafka.in.1": "5", "kafka.in.2": "6"})],
        )
        shown = "task_name container_id host_name execution_container_id task_mode changelog_partition partition_count"
        rows = {row["task_name"]: row for row in task_rows(connection, job, NOW)}
        partitions = task_partitions(connection, job, "b", NOW)
    assert [tuple(rows[task][name] for name in shown.split()) for task in "ab"] == [
        ("a", None, None, None, None, 7, 0),
        ("b", "0", "h", "c1", "Active", None, 2),
    ]
    assert [rows[task]["checkpoint_time"] is None for task in "ab"] == [True, False]
    assert [(row["partition_id"], row["is_assigned"], row["input_offset"], start(row)) for row in partitions] == [
        (0, True, None, "upcoming (default)"),
        (1, True, "5", "after 5 (checkpoint)"),
        (2, False, "6", None),
    ]
