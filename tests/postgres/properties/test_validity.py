"""Validity: at every moment and after every event, the rows that hold are what the plain fold says is true."""

from bisect import bisect_right
from collections import defaultdict
from datetime import datetime
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, generate_job
from tests.fixtures.properties.importing import import_log
from tests.oracle import ROWS, Row, coordinator_rows, coordinator_state, log_times, to_time

pytestmark = pytest.mark.slow

JOBS: Final = 70
RELATIONS: Final = ("config", "container_host", "task_container", "task_partition")
BOUNDS: Final = "valid_from, valid_to, from_log_offset, to_log_offset"

validities = pytest.mark.parametrize("relation", RELATIONS)


@pytest.fixture(scope="module")
def coordinators() -> dict[str, list[RecordedEvent]]:
    """The coordinator streams of many generated jobs, by the jobs' names."""
    jobs = [generate_job(number) for number in range(JOBS)]
    return {job.name: job.coordinator.events for job in jobs if job.coordinator is not None}


@pytest.fixture(scope="module")
def imported(database: Connection) -> Connection:
    """A database with the generated jobs."""
    for number in range(JOBS):
        for log in generate_job(number).logs:
            import_log(database, log)
    database.execute("analyze")
    return database


def stretches(connection: Connection, relation: str) -> dict[str, list[Row]]:
    """Rows of a validity by the job's suffix: own columns, then the bounds."""
    query = f"""
      select l.job_suffix, {ROWS[relation]}, {BOUNDS} from coordinator.{relation}_validity
      join (select job_name, job_id, job_suffix from projection.job_log where stream_kind = 'coordinator') l
        using (job_name, job_id)
    """
    found: dict[str, list[Row]] = defaultdict(list)
    for suffix, *row in connection.execute(query.encode()):
        found[suffix].append(tuple(row))
    return found


def said(relation: str, events: list[RecordedEvent]) -> list[Row]:
    """Own columns of a relation's rows after these events, by the plain fold; sorted."""
    return sorted((row[:-1] for row in coordinator_rows(coordinator_state(events))[relation]), key=repr)


def at_offset(rows: list[Row], offset: int) -> list[Row]:
    return sorted((row[:-4] for row in rows if row[-2] <= offset and (row[-1] is None or row[-1] > offset)), key=repr)


def at_time(rows: list[Row], at: datetime) -> list[Row]:
    return sorted((row[:-4] for row in rows if row[-4] <= at and (row[-3] is None or row[-3] > at)), key=repr)


@validities
def test_after_each_event_and_at_each_time(
    imported: Connection, coordinators: dict[str, list[RecordedEvent]], relation: str
) -> None:
    found, compared = stretches(imported, relation), 0
    for name, events in coordinators.items():
        rows, times = found[f"{name}_1"], log_times(events, ARCHIVED_MS)
        for number, event in enumerate(events, start=1):
            expected = said(relation, events[:number])
            assert at_offset(rows, event.offset) == expected, (name, event.offset)
            if bisect_right(times, times[number - 1]) == number:
                at = to_time(times[number - 1])
                assert at is not None
                assert at_time(rows, at) == expected, (name, at)
            compared += len(expected)
    assert compared > 1_000


@validities
def test_a_stretch_is_one_row_and_never_ends_before_it_begins(imported: Connection, relation: str) -> None:
    found = [(name, row) for name, rows in stretches(imported, relation).items() for row in rows]
    ends = {(name, row[:-4], row[-1]) for name, row in found}
    assert [row for name, row in found if (name, row[:-4], row[-2]) in ends] == []
    assert [row for _, row in found if row[-3] is not None and row[-3] < row[-4]] == []
    assert any(row[-1] is not None for _, row in found)
    assert any(row[-1] is None for _, row in found)
