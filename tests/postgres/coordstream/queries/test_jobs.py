"""The tasks of all jobs are kept until something changes them."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from coordstream.queries.jobs import FleetTasks
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection, snapshot
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded, set_checkpoint, task_container, tombstone
from tests.fixtures.acceptance.imported_job import SETTINGS, ImportedJob

AGES: Final = ("commit_age_seconds", "silent_seconds", "lag_age_seconds")
BOUND: Final = """
insert into eventlog.input_bound (job_suffix, system_name, stream_name, partition_id, observed_at, end_offset)
values ('orders_1', 'kafka', 'in', 0, timestamptz '2026-11-01' + %s * interval '1 second', 9)
"""
START: Final = [config_set("task.inputs", "kafka.in"), task_container("a"), set_checkpoint("a", {"kafka.in.0": "4"})]


def tasks(connection: Connection, fleet: FleetTasks) -> list[tuple[Any, ...]]:
    """What is known of each task; instead of an age, the second since 1970 that it is counted from."""
    with snapshot(connection):
        ((now,),) = connection.execute("select extract(epoch from now())::float8")
        rows = fleet.statuses(connection)
    return [
        tuple(round(now - value, 3) if name in AGES and value is not None else value for name, value in row.items())
        for row in rows
    ]


@pytest.fixture
def orders(connected: Connection) -> ImportedJob:
    return ImportedJob(connected, "orders", coordinator=START)


def import_on(orders: ImportedJob, *events: NewEvent) -> None:
    end = orders.next_offset("coordinator")
    orders.import_recorded(orders.coordinator_stream, recorded(events, first=end))


def rebuild(orders: ImportedJob) -> None:
    orders.connection.execute("delete from projection.task_container")
    rebuild_log(orders.connection, logs_of(orders.connection, orders.coordinator_stream)[0], SETTINGS)


CHANGES: Final[dict[str, Callable[[ImportedJob], object]]] = {
    "nothing": lambda _: None,
    "a commit": lambda orders: import_on(orders, set_checkpoint("a", {"kafka.in.0": "5"})),
    "a new task": lambda orders: import_on(orders, task_container("b")),
    "no task": lambda orders: import_on(orders, tombstone(START[1]), tombstone(START[2])),
    "a checkpoint topic": lambda orders: orders.import_recorded(
        orders.checkpoint_stream, recorded([checkpoint_v1("a", {"kafka.in.0": "7"})], at=FIRST_TIME + 9_000)
    ),
    "a new incarnation": lambda orders: orders.import_recorded(
        orders.coordinator_stream, recorded([task_container("c"), *START])
    ),
    "a rebuild": rebuild,
    "a new job": lambda orders: ImportedJob(orders.connection, "counts", coordinator=START),
}


@pytest.mark.parametrize("change", CHANGES)
def test_tasks_are_read_again_after_each_change(orders: ImportedJob, change: str) -> None:
    connection, fleet = orders.connection, FleetTasks()
    before = tasks(connection, fleet)
    CHANGES[change](orders)
    after = tasks(connection, fleet)
    assert after == tasks(connection, FleetTasks())
    assert (after == before) is (change in ("nothing", "a rebuild"))


def test_tasks_of_streams_with_the_same_job_name(orders: ImportedJob) -> None:
    connection, fleet = orders.connection, FleetTasks()
    named = [config_set("job.name", "orders"), config_set("job.id", "1"), *START]
    twin = ImportedJob(connection, "twin", coordinator=named)
    for job, end in ((orders, len(START)), (twin, len(named))):
        before = tasks(connection, fleet)
        job.import_recorded(job.coordinator_stream, recorded([task_container("b")], first=end))
        assert tasks(connection, fleet) == tasks(connection, FleetTasks()) != before


def test_the_tasks_of_observed_inputs_are_always_read(orders: ImportedJob) -> None:
    connection, fleet = orders.connection, FleetTasks()
    for seconds in (0, 60):
        before = tasks(connection, fleet)
        connection.execute(BOUND, (seconds,))
        assert tasks(connection, fleet) == tasks(connection, FleetTasks()) != before


def test_tasks_are_kept_and_grow_older(orders: ImportedJob) -> None:
    connection, fleet = orders.connection, FleetTasks()
    before = tasks(connection, fleet)
    connection.execute("delete from projection.task_container")  # as no commit of a follower does
    assert tasks(connection, fleet) == before != tasks(connection, FleetTasks())
