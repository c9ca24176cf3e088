"""Where a job of a Python program starts, against topics of a real broker."""

from collections.abc import Iterator

import pytest

from coordstream.event_logs import open_job_record
from eventlog.checkpoint import CheckpointV1
from eventlog.events import NewEvent
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.log import system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartpointSpecific, StartpointTimestamp
from eventlog.system_admin import InputMissing
from eventlog.timestamps import ms_of
from managers.offsets.resolved_starts import OffsetError
from managers.steered.job_record import JobRecord
from managers.steered.starts import input_streams, starting_offsets
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.rewindable_job import DELETED
from tests.fixtures.kafka_topics import Topics

NOW = ms_of(system_clock())
OLDEST = {"systems.kafka.samza.offset.default": "oldest"}


@pytest.fixture
def record(cli: CommandLine) -> Iterator[JobRecord]:
    """The record of a job, in Postgres."""
    with open_job_record("counts", source="us") as record:
        record.declare({})
        yield record


@pytest.fixture
def clicks(topics: Topics, job_name: str) -> str:
    """A topic of two partitions with ten records each, of the seconds 0 to 9."""
    name = topics.create(f"{job_name}-clicks", DELETED, partitions=2)
    for partition in range(2):
        topics.write(name, [NewEvent(None, b"x", second * 1000) for second in range(10)], partition=partition)
    return name


def starts(record: JobRecord, system: KafkaSystemAdmin, topic: str, **config: str) -> dict[int, int]:
    found = starting_offsets(record, system, {**record.config, **config}, "kafka", [topic])
    return {partition.partition: offset for partition, offset in found.items()}


def test_a_new_job_starts_at_the_default(record: JobRecord, system: KafkaSystemAdmin, clicks: str) -> None:
    assert starts(record, system, clicks) == {0: 10, 1: 10}
    assert starts(record, system, clicks, **OLDEST) == {0: 0, 1: 0}
    assert input_streams(record, record.config, "kafka") == set()
    assert input_streams(record, {"task.inputs": f"kafka.{clicks},other.x"}, "kafka") == {clicks}
    with pytest.raises(InputMissing):
        starts(record, system, "missing")


def test_startpoints_go_before_checkpoints_and_new_partitions_start_at_their_oldest(
    record: JobRecord, system: KafkaSystemAdmin, topics: Topics, clicks: str
) -> None:
    first, second = (SystemStreamPartition("kafka", clicks, number) for number in range(2))
    record.assign({"t": [first, second]})
    record.checkpoints.write_checkpoint("t", CheckpointV1({first: "6", second: "-1"}))
    assert starts(record, system, clicks) == {0: 7, 1: 0}
    record.startpoints.write_startpoint(second, StartpointTimestamp(4500, NOW))
    topics.grow(clicks, 3)
    topics.write(clicks, [NewEvent(None, b"x")], partition=2)
    assert starts(record, system, clicks) == {0: 7, 1: 5, 2: 0}
    assert record.startpoints.read_startpoint(second) is None
    assert set(record.startpoints.get_fan_out_for_task("t")) == {second}
    assert starts(record, system, clicks) == {0: 7, 1: 5, 2: 0}
    assert input_streams(record, record.config, "kafka") == {clicks}


def test_of_several_tasks_the_lowest_offset_counts(record: JobRecord, system: KafkaSystemAdmin, clicks: str) -> None:
    first = SystemStreamPartition("kafka", clicks, 0)
    record.assign({"t": [first], "u": [first]})
    for task, offset in (("t", "6"), ("u", "3")):
        record.checkpoints.write_checkpoint(task, CheckpointV1({first: offset}))
    assert starts(record, system, clicks)[0] == 4


def test_a_startpoint_that_is_no_number_is_refused(record: JobRecord, system: KafkaSystemAdmin, clicks: str) -> None:
    first = SystemStreamPartition("kafka", clicks, 0)
    record.assign({"t": [first]})
    record.startpoints.write_startpoint(first, StartpointSpecific("seven", NOW))
    with pytest.raises(OffsetError, match="at 'seven', which is no offset"):
        starts(record, system, clicks)
