"""input_bound, task_lag and state_lag: how far tasks are behind their inputs, and backups behind their stores.

More of ``state_lag`` stands in ``tests/rules/state_lag.json``.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.system_admin import PartitionBounds
from eventlog.timestamps import ms_of
from projections.input_bounds import input_partitions, store_bounds
from projections.job_choice import Job
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, task_partition
from tests.fixtures.acceptance.imported_job import ImportedJob, Row
from tests.fixtures.numbers import NUMBERS
from tests.postgres.acceptance.synthetic_history import nodes, plan

LAG: Final = "input_offset, end_offset, records_behind, records_lost, seconds_behind, seconds_to_catch_up"


class ObservedJob:
    """A job with one task that reads one partition. Times are minutes before ``now``: rates are of the last minutes.

    ``commits`` are the offsets of its checkpoints and their times.
    """

    def __init__(self, database: Connection, *commits: tuple[str, float]) -> None:
        self.now = datetime.now(UTC)
        said = [config_set("task.inputs", "kafka.in"), task_partition("kafka.in.0")]
        checkpoints = [
            checkpoint_v1("Partition 0", {"kafka.in.0": offset}, at=ms_of(self.minutes_ago(age)))
            for offset, age in commits
        ]
        name = f"lag-{next(NUMBERS)}"
        self.job = ImportedJob(database, name, coordinator=said, checkpoints=checkpoints, imported_at=self.now)

    def minutes_ago(self, minutes: float) -> datetime:
        return self.now - timedelta(minutes=minutes)

    def observe(self, oldest: int, end: int, minutes_ago: float = 0, *, partition: int = 0) -> None:
        """Store an observation of one partition."""
        self.store([PartitionBounds("in", partition, oldest, end, FIRST_TIME)], minutes_ago)

    def store(self, bounds: list[PartitionBounds], minutes_ago: float = 0) -> None:
        """Store what the input answered."""
        wanted, observed_at = [SystemStreamPartition("kafka", "in", 0)], self.minutes_ago(minutes_ago)
        store_bounds(self.job.connection, self.job.name, "1", wanted, {"kafka": bounds}, observed_at)

    def lag(self, columns: str = LAG) -> list[Row]:
        """The rows of task_lag."""
        return self.job.rows("task_lag", columns)

    def bounds(self, columns: str) -> list[Row]:
        """The rows of input_bound."""
        return self.job.rows("input_bound", columns)


UNKNOWN: Final = (None, None, None, None)


@pytest.mark.parametrize(
    ("offset", "age", "observations", "expected"),
    [
        pytest.param("6", 1, [(0, 10)], (3, 0, 0, None), id="behind"),
        pytest.param("9", 1, [(0, 10)], (0, 0, 0, 0), id="everything is read"),
        pytest.param("50", 1, [(0, 10)], (0, 0, 0, 0), id="never negative"),
        pytest.param("50", 20, [(0, 60), (0, 10)], UNKNOWN, id="the topic is new"),
        pytest.param("6", 1, [(100, 110)], (10, 93, 0, None), id="deleted records are lost"),
        pytest.param("6", 1, [], UNKNOWN, id="nothing is observed"),
        pytest.param(None, 1, [(0, 10)], UNKNOWN, id="no checkpoint"),
        *(
            pytest.param(odd, 1, [(0, 10)], UNKNOWN, id=f"offset {odd}")
            for odd in ("odd", str(2**63 - 1), str(-(2**63)), "-2")
        ),
    ],
)
def test_how_far_a_task_is_behind(
    database: Connection, offset: str | None, age: int, observations: list[tuple[int, int]], expected: Row
) -> None:
    """Its observations are ten minutes apart, the last one now."""
    job = ObservedJob(database, *([] if offset is None else [(offset, age)]))
    for number, bounds in enumerate(reversed(observations)):
        job.observe(*bounds, minutes_ago=10 * number)
    end = observations[-1][1] if observations else None
    assert job.lag() == [(offset, end, *expected)]


@pytest.mark.parametrize(("offset", "age", "last"), [("6", 1, 3), ("50", 20, None)])  # the second: the topic is new
def test_an_observation_that_failed_hides_the_one_before(
    database: Connection, offset: str, age: int, last: int | None
) -> None:
    job = ObservedJob(database, (offset, age))
    job.store([], minutes_ago=9)
    assert job.lag("last_records_behind, last_known_at") == [(None, None)]
    job.observe(0, 10, minutes_ago=5)
    job.store([])
    assert job.lag() == [(offset, None, None, None, None, None)]
    assert job.lag("arriving_per_second, arriving_per_hour, observed_at") == [(None, None, job.now)]
    assert job.lag("last_records_behind, last_known_at") == [(last, job.minutes_ago(5))]
    assert job.bounds("oldest_offset, end_offset, observed_at")[-1] == (None, None, job.now)


SINCE: Final = "seconds_behind, is_lower_bound"
PER_SECOND: Final = "processed_per_second, arriving_per_second, seconds_to_catch_up"
PER_HOUR: Final = "processed_per_second, arriving_per_second, processed_per_hour, arriving_per_hour"


@pytest.mark.parametrize(
    ("commits", "ends", "columns", "expected"),
    [
        # since last seen missing, also if the topic was created again, or at least since the first observation
        ([("6", 3)], [(5, 9), (7, 8), (7, 6), (8, 4), (10, 2), (10, 0)], SINCE, (360, False)),
        ([("550", 1)], [(548, 4000), (0, 10), (540, 2), (600, 0)], SINCE, (120, False)),
        ([("6", 3)], [(8, 9), (10, 0)], SINCE, (540, True)),
        ([("1000", 11), ("2999", 1)], [(4000, 10), (4600, 0)], PER_SECOND, (3, 1, round(1600 / (1999 / 600 - 1)))),
        ([("0", 11), ("60", 1)], [(100, 10), (160, 0)], PER_HOUR, (1, 1, 360, 360)),  # not rounded to 0
        ([("0", 60)], [(100, 5), (400, 0)], PER_SECOND, (0, 1, None)),  # never catches up
        ([("0", 11), ("999", 6)], [(9, 5), (9, 0)], PER_SECOND, (3, 0, None)),  # the topic was created again
    ],
)
def test_waits_and_rates(
    database: Connection, commits: list[tuple[str, float]], ends: list[tuple[int, float]], columns: str, expected: Row
) -> None:
    job = ObservedJob(database, *commits)
    for end, minutes_ago in ends:
        job.observe(0, end, minutes_ago)
    assert job.lag(columns) == [expected]


def test_a_time_that_python_cannot_represent_is_unknown(database: Connection) -> None:
    job = ObservedJob(database, ("6", 1))
    late = 253_402_300_800_000  # the year 10000
    job.store([PartitionBounds("in", 0, 0, 10, late)])
    assert job.bounds("end_offset, end_record_time") == [(10, None)]


def test_a_job_without_a_coordinator_stream_has_a_lag(database: Connection) -> None:
    name = f"lag-{next(NUMBERS)}"
    job = ImportedJob(database, name, checkpoints=[checkpoint_v1("Partition 0", {"kafka.in.0": "6"})])
    answers = {"kafka": [PartitionBounds("in", 0, 0, 10, FIRST_TIME)]}
    (wanted,) = input_partitions(database, [Job(name, "1")]).values()
    store_bounds(database, name, "1", wanted, answers, datetime.now(UTC))
    assert job.rows("task_lag", "task_name, records_behind") == [("Partition 0", 3)]


def test_checkpoints_are_computed_once_for_all_partitions(database: Connection) -> None:
    tasks = [f"Partition {number}" for number in range(300)]
    said = [config_set("task.inputs", "kafka.in")]
    said += [task_partition(f"kafka.in.{number}", task) for number, task in enumerate(tasks)]
    committed = [(number, task, offset) for offset in range(20) for number, task in enumerate(tasks)]
    checkpoints = [checkpoint_v1(task, {f"kafka.in.{number}": str(offset)}) for number, task, offset in committed]
    job = ImportedJob(database, f"lag-{next(NUMBERS)}", coordinator=said, checkpoints=checkpoints)
    job.connection.execute("analyze")
    executed = plan(job.connection, "select * from coordinator.task_lag where job_name = %s", job.name)
    assert max(node["Actual Loops"] for node in nodes(executed)) <= 2 * len(tasks)
