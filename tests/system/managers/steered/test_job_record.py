"""The record of a job on Kafka."""

import pytest

from coordstream.event_logs import open_job_record
from eventlog.checkpoint import CheckpointV1
from eventlog.partition import SystemStreamPartition
from managers.steered.job_record import JobOfAnotherProgram
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics

pytestmark = pytest.mark.kafka
SOURCE = "coordstream observe"


def test_the_streams_are_created_and_followed(kafka_cli: CommandLine, topics: Topics, job_name: str) -> None:
    streams = f"__samza_coordinator_{job_name}_1", f"__samza_checkpoint_ver_1_for_{job_name}_1"
    for name in streams:
        topics.will_be_made(name)
    partitions = [SystemStreamPartition("kafka", "clicks", number) for number in range(2)]
    for offset in ("41", "42"):
        with open_job_record(job_name, source=SOURCE) as record:
            record.declare({"task.inputs": "kafka.clicks"})
            record.assign({"clicks-0": partitions})
            record.checkpoints.write_checkpoint("clicks-0", CheckpointV1(dict.fromkeys(partitions, offset)))
    with pytest.raises(JobOfAnotherProgram):
        open_job_record(job_name, source="coordstream steered").__enter__()
    assert kafka_cli("follow", *streams, "--once", "--timeout", "60s").code == 0
    assert kafka_cli.ask("select partition_id, decided_by, starting_offset from coordinator.starting_offset") == [
        (0, "checkpoint", "43"),
        (1, "checkpoint", "43"),
    ]
    rows = kafka_cli.rows("explain", job_name, "clicks-0")
    assert [row["rule"] for row in rows if row["outcome"] == "wins"] == ["checkpoint", "checkpoint"]
    assert topics.end_offset(streams[1]) == 2
