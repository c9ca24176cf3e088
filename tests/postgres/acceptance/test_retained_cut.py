"""As-of functions raise an error if the archive no longer has the events that they need."""

from datetime import datetime
from typing import Final

import pytest
from psycopg.errors import InvalidParameterValue

from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.oracle import to_time

NAME: Final = "kept"
BELOW: Final = 10
"""The number of events below the first offset of the second partition, where the retained range begins."""
EVENTS: Final = 20
A_DAY: Final = 86_400_000


@pytest.fixture
def job(connected: Connection) -> ImportedJob:
    """A job whose logs reach from one partition into the next, an event a day."""
    job = ImportedJob(connected, NAME)
    first = PARTITION_OFFSETS - BELOW
    config = recorded([config_set("a", str(n)) for n in range(EVENTS)], first=first, step=A_DAY)
    commits = [checkpoint_v1("t", {"kafka.in.0": str(n)}) for n in range(EVENTS)]
    job.import_recorded(job.coordinator_stream, config)
    job.import_recorded(job.checkpoint_stream, recorded(commits, first=first, step=A_DAY))
    return job


def detach(connection: Connection, first: int = 0) -> None:
    """Do as retention does with the archive's partition that begins at an offset."""
    connection.execute(f"alter table eventlog.event detach partition eventlog.event_from_{first}".encode())


def time_of(number: int) -> datetime | None:
    """When event ``number`` was written."""
    return to_time(FIRST_TIME + number * A_DAY)


def ask(connection: Connection, function: str, at: object) -> int:
    query = f"select * from coordinator.{function}(%s, '1', %s)"
    return len(connection.execute(query.encode(), (NAME, at)).fetchall())


def as_of_functions(connection: Connection) -> list[str]:
    found = connection.execute(
        "select proname from pg_proc where pronamespace = 'coordinator'::regnamespace and proname like '%as\\_of%'"
    )
    return [name for (name,) in found]


def test_every_as_of_function_refuses_what_was_before(job: ImportedJob) -> None:
    functions = as_of_functions(job.connection)
    assert len(functions) >= 25
    asked = {name: PARTITION_OFFSETS - 1 if name.endswith("_offset") else time_of(BELOW - 1) for name in functions}
    before = {name: ask(job.connection, name, at) for name, at in asked.items()}
    assert before["config_as_of"] == before["checkpoint_as_of_offset"] == 1
    detach(job.connection)
    for name, at in asked.items():
        begins = rf"begins at offset {PARTITION_OFFSETS}\. Use that offset or a later one"
        with pytest.raises(InvalidParameterValue, match=rf'archive of "__samza_\w+_kept_1" {begins}'):
            ask(job.connection, name, at)


def test_a_log_is_empty_before_its_first_event(job: ImportedJob) -> None:
    detach(job.connection)
    assert ask(job.connection, "config_as_of", time_of(-1)) == 0
    assert ask(job.connection, "config_as_of_offset", PARTITION_OFFSETS - BELOW - 1) == 0


def test_a_log_is_refused_only_where_it_is_asked(connected: Connection) -> None:
    job = ImportedJob(connected, NAME)
    config = recorded([config_set("a", "1"), config_set("a", "2")], first=PARTITION_OFFSETS, step=A_DAY)
    commits = recorded([checkpoint_v1(), checkpoint_v1()], first=PARTITION_OFFSETS - 1, step=A_DAY)
    job.import_recorded(job.coordinator_stream, config)
    job.import_recorded(job.checkpoint_stream, commits)
    detach(connected)
    assert job.rows_as_of("config", "config_value", FIRST_TIME) == [("1",)]
    assert job.rows_as_of_offset("config", "config_value", PARTITION_OFFSETS) == [("1",)]
    for function in ("checkpoint_as_of", "starting_offset_as_of"):
        with pytest.raises(InvalidParameterValue, match=r"archive of .__samza_checkpoint_ver_1_for_kept_1. begins"):
            ask(connected, function, time_of(0))
    with pytest.raises(InvalidParameterValue, match=r"archive of .__samza_checkpoint_ver_1_for_kept_1. begins"):
        job.rows_as_of_offset("checkpoint", "input_offset", PARTITION_OFFSETS, "coordinator")


def test_a_log_without_any_event_left_is_an_error(job: ImportedJob) -> None:
    detach(job.connection)
    detach(job.connection, PARTITION_OFFSETS)
    for function, at in (("config_as_of", time_of(15)), ("config_as_of_offset", PARTITION_OFFSETS + 5)):
        with pytest.raises(InvalidParameterValue, match='no longer has any event of "__samza_coordinator_kept_1"'):
            ask(job.connection, function, at)
