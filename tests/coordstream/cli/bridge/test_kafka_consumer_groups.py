"""Kafka's own kafka-consumer-groups shows the group of a job."""

from pathlib import Path

import pytest

from tests.coordstream.cli.bridge.test_consumer_groups import BRIDGE, group_of
from tests.coordstream.command_line import CommandLine
from tests.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_consumer_groups import GroupLine, KafkaConsumerGroups
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture
def program(samza: Samza, kafka_bootstrap_servers: str) -> KafkaConsumerGroups:
    return KafkaConsumerGroups(samza, kafka_bootstrap_servers)


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    return RewindableJob(topics, job_name)


def test_the_program_shows_the_lag_of_the_job(
    kafka_cli: CommandLine, job: RewindableJob, program: KafkaConsumerGroups
) -> None:
    job.produce(0, 10)
    job.produce(1, 5)
    job.commit(0, 3)
    job.commit(1, 4)
    job.follow(kafka_cli)
    kafka_cli.done(*BRIDGE, job.name)
    assert program.describe(group_of(job)) == [
        GroupLine(job.input, 0, 4, 10, 6),
        GroupLine(job.input, 1, 5, 5, 0),
    ]
    shown = [(row["partition_id"], row["records_behind"]) for row in kafka_cli.rows("lag", job.name)]
    assert shown == [(0, 6), (1, 0)]


def test_a_reset_by_the_program_becomes_a_plan(
    kafka_cli: CommandLine, job: RewindableJob, program: KafkaConsumerGroups, tmp_path: Path
) -> None:
    job.produce(0, 10)
    job.produce(1, 5)
    job.commit(0, 7)
    job.commit(1, 4)
    job.follow(kafka_cli)
    kafka_cli.done(*BRIDGE, job.name)
    program.reset_offsets(group_of(job), "--topic", f"{job.input}:0", "--to-offset", "2")
    assert "1 of 2 offsets" in kafka_cli(*BRIDGE, job.name).err
    planned = kafka_cli(*BRIDGE, job.name, "--import-reset", "-o", tmp_path / "plan.json", "--json")
    moves = [(row["task_name"], row["from_offset"], row["to_offset"], row["records_again"]) for row in planned.json]
    assert (planned.code, moves) == (0, [("Partition 0", 8, 2, 6)])
    assert kafka_cli("rewind", "apply", tmp_path / "plan.json", "--yes").code == 0
    job.follow(kafka_cli)
    query = f"select task_name, starting_offset from coordinator.starting_offset where job_name = '{job.name}'"
    assert sorted(kafka_cli.ask(query)) == [("Partition 0", "2"), ("Partition 1", "5")]
    assert kafka_cli.refused(*BRIDGE, job.name, "--import-reset") == (
        f"Nobody has reset the group {group_of(job)}: it has no offsets that others have set."
    )
