"""`coordstream lag` and `follow --input-bounds`, on inputs of a real broker."""

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from eventlog.events import NewEvent
from tests.builders import checkpoint_v1, config_set, task_partition
from tests.coordstream.command_line import CommandLine
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE, wait_until

DELETED: Mapping[str, str] = {"cleanup.policy": "delete", "retention.ms": "-1"}


class ReadingJob:
    """A job whose streams and input are topics; its two tasks read one partition each."""

    def __init__(self, topics: Topics, name: str) -> None:
        self._topics = topics
        self.name = name
        self.input = topics.create(f"{name}-input", DELETED, partitions=2)
        self.coordinator = topics.create(f"__samza_coordinator_{name}_1")
        self.checkpoints = topics.create(f"__samza_checkpoint_ver_1_for_{name}_1")
        config = {
            "job.name": name,
            "job.id": "1",
            "task.inputs": f"kafka.{self.input}",
            "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
            "systems.kafka.consumer.bootstrap.servers": topics.bootstrap_servers,
        }
        said = [config_set(key, value) for key, value in config.items()]
        assigned = [task_partition(f"kafka.{self.input}.{n}", f"Partition {n}") for n in range(2)]
        topics.write(self.coordinator, [*said, *assigned])

    def produce(self, partition: int, records: int) -> None:
        self._topics.write(self.input, [NewEvent(None, b"record")] * records, partition=partition)

    def commit(self, partition: int, offset: int) -> None:
        offsets = {f"kafka.{self.input}.{partition}": str(offset)}
        self._topics.write(self.checkpoints, [checkpoint_v1(f"Partition {partition}", offsets)])

    def delete_before(self, offset: int) -> None:
        """Delete the first records of partition 0."""
        self._topics.delete_before(self.input, offset)

    def followed(self, cli: CommandLine) -> "ReadingJob":
        """The job, once the database has all of its events."""
        assert cli("follow", self.coordinator, self.checkpoints, "--once", "--timeout", "60s").code == 0
        return self


@pytest.fixture
def job(topics: Topics, job_name: str) -> ReadingJob:
    return ReadingJob(topics, job_name)


def behind(cli: CommandLine, job: ReadingJob, *words: str) -> list[tuple[object, ...]]:
    rows = cli("lag", job.name, *words, "--json").json
    return [(row["partition_id"], row["records_behind"], row["records_lost"]) for row in rows]


def test_the_lag_is_the_distance_to_the_end_of_the_input(kafka_cli: CommandLine, job: ReadingJob) -> None:
    job.produce(0, 10)
    job.produce(1, 5)
    job.commit(0, 3)
    job.commit(1, 4)
    job.followed(kafka_cli)
    assert behind(kafka_cli, job) == [(0, 6, 0), (1, 0, 0)]
    job.produce(1, 7)
    assert behind(kafka_cli, job, "--stored") == [(0, 6, 0), (1, 0, 0)]
    assert behind(kafka_cli, job) == [(0, 6, 0), (1, 7, 0)]
    assert behind(kafka_cli, job, "--task", "Partition 1") == [(1, 7, 0)]
    printed = kafka_cli.done("lag", job.name)
    assert f"Partition 0\tkafka.{job.input}.0\t6" in printed


def test_monitors_see_lost_records_and_a_lag_over_the_limit(kafka_cli: CommandLine, job: ReadingJob) -> None:
    job.produce(0, 10)
    job.commit(0, 3)
    job.commit(1, 0)
    job.produce(1, 2)
    job.followed(kafka_cli)
    assert kafka_cli("lag", job.name).code == 0
    over = kafka_cli("lag", job.name, "--max-lag", "5")
    assert (over.code, over.err) == (1, f"{job.name}/1: 1 of 2 partitions are more than 5 records behind.\n")
    job.delete_before(8)
    lost = kafka_cli("lag", job.name)
    assert (lost.code, lost.err) == (1, f"{job.name}/1: data lost: 4 records were deleted before a task read them.\n")
    assert "2 (data lost: 4 records)" in lost.out


def test_an_input_that_cannot_be_asked_is_unknown(kafka_cli: CommandLine, job: ReadingJob, topics: Topics) -> None:
    job.commit(0, 3)
    topics.write(job.coordinator, [config_set("systems.kafka.consumer.bootstrap.servers", "127.0.0.1:1")])
    job.followed(kafka_cli)
    finished = kafka_cli("lag", job.name)
    assert finished.code == 1
    assert "Cannot ask the inputs of" in finished.err
    assert "No broker answers at 127.0.0.1:1." in finished.err
    assert "the lag of 2 of 2 partitions is unknown" in finished.err
    assert behind(kafka_cli, job, "--input-bootstrap-servers", topics.bootstrap_servers) == [
        (0, 0, 0),
        (1, None, None),
    ]


def test_a_missing_input_stream_is_unknown(kafka_cli: CommandLine, job: ReadingJob, topics: Topics) -> None:
    job.commit(0, 3)
    job.followed(kafka_cli)
    topics.delete(job.input)
    assert behind(kafka_cli, job) == [(0, None, None), (1, None, None)]


def test_a_task_or_job_that_does_not_exist_is_a_fault(kafka_cli: CommandLine, job: ReadingJob) -> None:
    job.followed(kafka_cli)
    assert f"{job.name}/1 has no task 'nobody' with inputs." in kafka_cli("lag", job.name, "--task", "nobody").err
    assert 'No job "nothing".' in kafka_cli.refused("lag", "nothing")
    assert "Invalid bootstrap servers" in kafka_cli.refused(
        "lag", job.name, "--input-bootstrap-servers", "nowhere:port", code=2
    )


def test_a_follower_observes_the_inputs(kafka_cli: CommandLine, job: ReadingJob) -> None:
    job.produce(0, 10)
    job.commit(0, 3)
    command = [sys.executable, "-m", "coordstream", "follow", job.coordinator, job.checkpoints]
    with subprocess.Popen([*command, "--input-bounds", "0.1s"], stderr=subprocess.DEVNULL, env=os.environ) as follower:
        wait_until(lambda: (6,) in kafka_cli.ask("select records_behind from coordinator.task_lag"), what="the lag")
        job.produce(0, 5)
        wait_until(lambda: (11,) in kafka_cli.ask("select records_behind from coordinator.task_lag"), what="the lag")
        follower.terminate()
        assert follower.wait(PATIENCE) == 0


def test_a_follower_with_an_end_does_not_observe_inputs(cli: CommandLine) -> None:
    refused = cli.refused("follow", "--all", "--once", "--input-bounds", "30s", code=2)
    assert "--input-bounds cannot be used with --once or --until." in refused


def test_observations_are_deleted_after_a_week(wordcount: CommandLine) -> None:
    assert wordcount("lag").code == 1  # the recorded brokers do not answer
    with wordcount.connection() as connection:
        connection.execute("update eventlog.input_bound set observed_at = observed_at - interval '8 days'")
    wordcount("lag")
    ((oldest,),) = wordcount.ask("select now() - min(observed_at) < interval '1 day' from coordinator.input_bound")
    assert oldest


def test_a_user_who_may_only_read_uses_what_is_stored(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c role=coordstream_reader")
    assert wordcount.refused("lag") == "This database user may not store observations. Use --stored."
    assert "16 of 16 partitions is unknown" in wordcount("lag", "--stored").err


def test_a_read_only_database_stores_no_observations(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c default_transaction_read_only=on")
    expected = "The database is read-only, so observations cannot be stored. Use --stored."
    assert wordcount.refused("lag") == expected
    assert "16 of 16 partitions is unknown" in wordcount("lag", "--stored").err


def test_ctrl_c_ends_a_watched_lag(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("coordstream.cli.lag.sleep", interrupt)
    finished = wordcount("lag", "--stored", "--watch", "1s")
    assert finished.code == 0
    assert "Lag of the tasks" in finished.out
