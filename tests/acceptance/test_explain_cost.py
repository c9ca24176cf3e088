"""Why one task starts where it does: reading is bound by the task, and assignments are read once (EXPLAIN)."""

from collections.abc import Iterator
from typing import Final

import pytest

from benchmarks.generator import START_MS
from benchmarks.relation_data import JobLogs, JobSize
from coordstream.postgres import EmbeddedPostgres
from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.postgres.connection import Connection, connect
from tests.acceptance.synthetic_history import buffers, plan
from tests.builders import task_partition
from tests.fixtures.postgres import CloneSeries
from tests.properties.importing import import_events

pytestmark = pytest.mark.slow

TASKS: Final = 300
STREAMS: Final = ("clicks", "page.views", "user-profiles")
TIMES: Final = [pytest.param("null", id="now"), pytest.param("'2100-01-01'", id="at a time")]
"""As of a time each key is looked up in its history."""
A_TASK: Final = 450
"""Buffers for what a task's rows need besides: config, startpoints, its checkpoints; twice as of a time."""


@pytest.fixture(scope="module")
def jobs(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    """A job whose partitions are assigned to tasks, and one of which only checkpoints say what tasks read."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        for name, assignments in (("assigned", list(each_partition_assigned())), ("unassigned", [])):
            logs = JobLogs(JobSize(name, events=8 * TASKS, tasks=TASKS, config_keys=50))
            events = [event for event in logs.coordinator_events() if shows_no_assignment(event)] + assignments
            numbered = [event._replace(offset=offset) for offset, event in enumerate(events)]
            import_events(connection, logs.coordinator, numbered)
            import_events(connection, logs.checkpoints, list(logs.checkpoint_events()))
        connection.execute("vacuum analyze")
        yield connection


def shows_no_assignment(event: RecordedEvent) -> bool:
    assert event.key is not None
    return b"set-task-partition-assignment" not in event.key


def each_partition_assigned() -> Iterator[RecordedEvent]:
    for stream in STREAMS:
        for task in range(TASKS):
            event = task_partition(f"kafka.{stream}.{task}", f"Partition {task}")
            yield RecordedEvent(0, START_MS, CREATE_TIME, event.key, event.value)


def read(connection: Connection, query: str) -> tuple[int, int]:
    """The rows and buffers of a query, when the catalogue was read before."""
    plan(connection, query)
    executed = plan(connection, query)
    return int(executed["Actual Rows"]), buffers(executed)


@pytest.mark.parametrize("at", TIMES)
def test_the_assignments_are_read_once(jobs: Connection, at: str) -> None:
    """They were read four times: to find the task's, to find whether there are any, and both again for the decision."""
    assignments = "task_partition" if at == "null" else "task_partition_as_of"
    which = "where job_name = 'assigned' and job_id = '1'" if at == "null" else f"('assigned', '1', {at})"
    partitions, once = read(jobs, f"select * from coordinator.{assignments} {which}")
    rows, explained = read(jobs, f"select * from coordinator.explain('assigned', '1', 'Partition 7', {at})")
    assert partitions == len(STREAMS) * TASKS
    assert rows >= len(STREAMS)
    assert explained <= once * 1.25 + A_TASK


@pytest.mark.parametrize("at", TIMES)
def test_without_assignments_the_tasks_own_checkpoint_decides(jobs: Connection, at: str) -> None:
    """The checkpoints of all tasks were read, a lookup and a layout each."""
    rows, explained = read(jobs, f"select * from coordinator.explain('unassigned', '1', 'Partition 7', {at})")
    assert rows >= len(STREAMS)
    assert explained <= 2 * A_TASK
