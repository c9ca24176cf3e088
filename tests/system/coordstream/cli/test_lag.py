"""`coordstream lag` and `follow --input-bounds`, on inputs of a real broker."""

import os
import subprocess
import sys
from collections.abc import Collection, Sequence

import pytest

from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.system_admin import PartitionBounds
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.coordstream.rewindable_job import RewindableJob
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until


@pytest.fixture
def job(topics: Topics, job_name: str) -> RewindableJob:
    return RewindableJob(topics, job_name)


def test_a_cluster_is_asked_once_for_all_jobs(
    kafka_cli: CommandLine, job: RewindableJob, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RewindableJob(topics, f"{job.name}-other")
    for each in (job, other):
        each.produce(0, 10)
        each.commit(0, 3)
        each.follow(kafka_cli)
    topics.delete(other.input)
    asked: list[set[str]] = []
    get_bounds = KafkaSystemAdmin.get_bounds

    def counted(admin: KafkaSystemAdmin, names: Collection[str]) -> Sequence[PartitionBounds]:
        asked.append(set(names))
        return get_bounds(admin, names)

    monkeypatch.setattr(KafkaSystemAdmin, "get_bounds", counted)
    finished = kafka_cli("lag", "--json")
    assert asked == [{job.input, other.input}]
    found = {(row["job_name"], row["partition_id"]): row["records_behind"] for row in finished.json}
    assert (found[job.name, 0], found[other.name, 0]) == (6, None)


def test_a_follower_observes_the_inputs(kafka_cli: CommandLine, job: RewindableJob) -> None:
    job.produce(0, 10)
    job.commit(0, 3)
    command = [sys.executable, "-m", "coordstream", "follow", job.coordinator, job.checkpoints]
    with subprocess.Popen([*command, "--input-bounds", "0.1s"], stderr=subprocess.DEVNULL, env=os.environ) as follower:
        wait_until(lambda: (6,) in kafka_cli.ask("select records_behind from coordinator.task_lag"), what="the lag")
        job.produce(0, 5)
        wait_until(lambda: (11,) in kafka_cli.ask("select records_behind from coordinator.task_lag"), what="the lag")
        follower.terminate()
        assert follower.wait(PATIENCE) == 0


def test_observations_are_deleted_after_a_week(wordcount: CommandLine) -> None:
    assert wordcount("lag").code == 1  # the recorded brokers do not answer
    with wordcount.connection() as connection:
        connection.execute("update eventlog.input_bound set observed_at = observed_at - interval '8 days'")
    wordcount("lag")
    ((oldest,),) = wordcount.ask("select now() - min(observed_at) < interval '1 day' from coordinator.input_bound")
    assert oldest


def test_ctrl_c_ends_a_watched_lag(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("coordstream.cli.lag.sleep", interrupt)
    finished = wordcount("lag", "--stored", "--watch", "1s")
    assert finished.code == 0
    assert "Lag of the tasks" in finished.out
