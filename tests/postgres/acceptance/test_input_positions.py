"""input_offset_at, time_of_input_offset and processing_rate: where the tasks of a job stood in their inputs."""

from itertools import count
from typing import Any, Final

import psycopg
import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob, Row

START: Final = 1_750_000_000_000 // 3_600_000 * 3_600_000
"""A full hour, in ms since 1970."""
MINUTE: Final = 60_000
NUMBERS: Final = count()
"""The tests share a database."""


def commit(minute: int, offset: str, *, task: str = "Partition 0", partition: int = 0) -> NewEvent:
    return checkpoint_v1(task, {f"kafka.in.{partition}": offset}, at=START + minute * MINUTE)


def imported(database: Connection, *commits: NewEvent) -> ImportedJob:
    return ImportedJob(database, f"positions-{next(NUMBERS)}", coordinator=[config_set()], checkpoints=commits)


def call(job: ImportedJob, function: str, columns: str, *arguments: Any) -> list[Row]:
    places = ", ".join(["%s"] * len(arguments))
    query = f"select {columns} from coordinator.{function}('{job.name}', '1', {places})"
    return job.connection.execute(query, arguments).fetchall()


def time(job: ImportedJob, minute: float) -> Any:
    seconds = START / 1000 + minute * 60
    (found,) = job.connection.execute("select to_timestamp(%s)", (seconds,)).fetchall()[0]
    return found


def test_the_offset_at_a_time_is_that_of_the_last_checkpoint_by_then(database: Connection) -> None:
    job = imported(database, commit(1, "10"), commit(2, "odd", partition=3), commit(3, "30"))
    columns = "partition_id, input_offset, input_offset_number, record_time, log_offset"
    assert call(job, "input_offset_at", columns, time(job, 0)) == []
    assert call(job, "input_offset_at", columns, time(job, 1)) == [(0, "10", 10, time(job, 1), 0)]
    assert call(job, "input_offset_at", columns, time(job, 2.5)) == [(3, "odd", None, time(job, 2), 1)]
    assert call(job, "input_offset_at", columns, time(job, 9)) == [(0, "30", 30, time(job, 3), 2)]


def passed(job: ImportedJob, offset: str, partition: int = 0) -> list[Row]:
    columns = "task_name, input_offset, record_time, log_offset"
    return call(job, "time_of_input_offset", columns, "kafka", "in", partition, offset)


def test_an_offset_is_passed_at_the_first_checkpoint_at_or_beyond_it(database: Connection) -> None:
    job = imported(database, commit(1, "10"), commit(2, "20"), commit(3, "30"))
    assert passed(job, "20") == [("Partition 0", "20", time(job, 2), 1)]
    assert passed(job, "11") == [("Partition 0", "20", time(job, 2), 1)]
    assert passed(job, "0") == [("Partition 0", "10", time(job, 1), 0)]
    assert passed(job, "31") == passed(job, "20", partition=1) == []


def test_a_rewound_task_passes_an_offset_again(database: Connection) -> None:
    job = imported(database, commit(1, "10"), commit(2, "20"), commit(3, "5"), commit(4, "12"), commit(5, "25"))
    assert [row[-1] for row in passed(job, "11")] == [1, 3]


def test_each_task_that_reads_the_partition_passes_it(database: Connection) -> None:
    job = imported(database, commit(1, "10", task="a"), commit(2, "9", task="b"), commit(3, "10", task="b"))
    assert [(row[0], row[-1]) for row in passed(job, "10")] == [("a", 0), ("b", 2)]


def changed_recording(database: Connection) -> ImportedJob:
    """A job whose recording is imported again with another last event: a second incarnation of the same checkpoints."""
    commits = [commit(1, "10"), commit(2, "20"), commit(3, "30")]
    job = imported(database, *commits)
    job.import_recorded(job.checkpoint_stream, recorded([*commits[:2], commit(3, "31")]))
    return job


def test_a_changed_recording_does_not_pass_an_offset_twice(database: Connection) -> None:
    assert [row[-1] for row in passed(changed_recording(database), "20")] == [1]


def test_versions_that_the_job_does_not_prefer_do_not_count(database: Connection) -> None:
    later = checkpoint_v2("Partition 0", {"kafka.in.0": "20"}, at=START + 2 * MINUTE)
    job = imported(database, commit(1, "10"), later, commit(3, "20"))
    assert [row[-1] for row in passed(job, "20")] == [2]


def test_an_offset_that_is_no_integer_is_refused(database: Connection) -> None:
    job = imported(database, commit(1, "10"))
    with pytest.raises(psycopg.errors.InvalidTextRepresentation, match="odd"):
        passed(job, "odd")


def test_the_rate_counts_what_lies_between_the_checkpoints_of_each_hour(database: Connection) -> None:
    commits = [commit(0, "100"), commit(30, "1000"), commit(59, "1900"), commit(61, "1960"), commit(150, "5560")]
    job = imported(database, *commits)
    columns = "task_name, extract(epoch from hour)::bigint * 1000, records, records_per_second"
    rates = call(job, "processing_rate", columns, time(job, 0), time(job, 150))
    assert rates == [
        ("Partition 0", START, 1800, 0.5),
        ("Partition 0", START + 60 * MINUTE, 60, 60 / 3600),
        ("Partition 0", START + 120 * MINUTE, 3600, 2),
    ]


def test_the_rate_of_a_task_is_that_of_all_its_partitions(database: Connection) -> None:
    both = [({"kafka.in.0": str(10 * n), "kafka.other.1": str(n)}, START + n * MINUTE) for n in range(1, 4)]
    job = imported(database, *(checkpoint_v1("t", offsets, at=when) for offsets, when in both))
    assert call(job, "processing_rate", "task_name, records", time(job, 1), time(job, 60)) == [("t", 22)]
