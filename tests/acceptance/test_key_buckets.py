"""Jobs with key buckets (``job.elasticity.factor``): the keys of startpoints and fan-outs name only the partition."""

from typing import Final

from eventlog.checkpoint import CheckpointV1
from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointSpecific
from eventlog.wire.checkpoint_topic import encode_v1
from tests.acceptance.imported_job import ImportedJob
from tests.builders import FIRST_TIME, checkpoint_v1, fan_out, recorded, startpoint, task_partition, tombstone

MINUTE: Final = 60_000
TASK: Final = "Partition 0_1_2"
BUCKET: Final = SystemStreamPartition("kafka", "in", 0, 1)
SEVEN: Final = StartpointSpecific("7", FIRST_TIME)
FAN_OUT: Final = fan_out(TASK, {"kafka.in.0": SEVEN})
EVENTS: Final[list[NewEvent]] = [
    task_partition("kafka.in.0", TASK, key_bucket=1),
    startpoint("kafka.in.0", SEVEN),
    FAN_OUT,
    tombstone(startpoint("kafka.in.0", SEVEN)),
]


def commit(offset: str) -> NewEvent:
    return checkpoint_v1(TASK)._replace(value=encode_v1(CheckpointV1({BUCKET: offset})))


def test_a_startpoint_decides_before_and_after_its_fan_out(database: Connection) -> None:
    job = ImportedJob(database, "bucket-start", coordinator=EVENTS, checkpoints=[commit("50")])
    columns = "key_bucket, decided_by, starting_offset"
    assert job.rows_as_of("starting_offset", columns, FIRST_TIME + 1) == [(1, "startpoint", "7")]
    assert job.rows("starting_offset", columns) == [(1, "startpoint", "7")]
    explain = "select candidate, outcome from coordinator.explain(%s, '1', %s, null) where rule = 'startpoint'"
    assert database.execute(explain.encode(), (job.name, TASK)).fetchall() == [("specific 7", "wins")]


def test_a_task_consumes_its_fan_out(database: Connection) -> None:
    job = ImportedJob(database, "bucket-life")
    coordinator = recorded([*EVENTS, tombstone(FAN_OUT)], step=MINUTE)
    job.import_recorded(job.coordinator_stream, coordinator)
    commits = recorded([commit("50"), commit("9")], step=3 * MINUTE)
    job.import_recorded(job.checkpoint_stream, commits)
    assert [row[1] for row in job.rows("startpoint_history", "log_offset, status")] == [
        "requested",
        "fanned_out",
        "consumed",
    ]
    assert job.rows("anomaly", "anomaly") == []
