"""`coordstream coordinator run`, in its own process, with its inputs on Kafka."""

import json
import signal
import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import IO, Final

import httpx
import pytest

from coordstream.coordinator.job_lock import JobLock
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog
from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from managers.assignments.job_model_assignments import JobModelAssignments
from managers.config.job_config import read_config, set_config
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.coordstream.command_line import CommandLine, started
from tests.fixtures.database_sessions import end_sessions
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.numbers import NUMBERS
from tests.fixtures.waiting import PATIENCE, wait_until

HOLDER: Final = "select backend_pid from projection.locked_stream where stream_name like 'coordinator of %'"
END_HOLDER: Final = HOLDER.replace("backend_pid", "pg_terminate_backend(backend_pid)")
END_SESSION: Final = (
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'coordstream coordinator'"
)
pytestmark = [pytest.mark.kafka, pytest.mark.slow]


class Job:
    """A job with an input topic of four partitions, and the file with its config."""

    def __init__(self, cli: CommandLine, topics: Topics, name: str, folder: Path) -> None:
        self.name = name
        self.stream = f"__samza_coordinator_{name}_1"
        self.checkpoint = f"__samza_checkpoint_ver_1_for_{name}_1"
        self.changelog = f"{name}-changelog"
        self.file = folder / "job.properties"
        self.has_stream_in_postgres = False
        self._cli = cli
        self._topics = topics
        self.input = topics.create(f"{name}-input", {}, partitions=4)
        for own in (self.stream, self.checkpoint, self.changelog, f"{self.changelog}-access-log"):
            topics.will_be_made(own)
        self.write_file({})

    def write_file(self, more: Mapping[str, str]) -> None:
        """Write the config, with more or other settings."""
        config = {
            "job.name": self.name,
            "task.class": "demo.Task",
            "task.inputs": f"kafka.{self.input}",
            "job.default.system": "kafka",
            "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
            "systems.kafka.consumer.bootstrap.servers": self._topics.bootstrap_servers,
            "systems.kafka.default.stream.replication.factor": "1",
            "task.checkpoint.factory": "org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory",
            "task.checkpoint.replication.factor": "1",
            "job.container.count": "2",
            "stores.s.factory": "org.apache.samza.storage.kv.RocksDbKeyValueStorageEngineFactory",
            "stores.s.changelog": f"kafka.{self.changelog}",
            **more,
        }
        self.file.write_text("".join(f"{key}={value}\n" for key, value in config.items()))

    def coordinator(self, *words: str) -> AbstractContextManager[subprocess.Popen[str]]:
        """The command in its own process, which is killed at the end."""
        brokers = {"COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": self._topics.bootstrap_servers}
        more = {} if self.has_stream_in_postgres else brokers
        return started(self._cli, "coordinator", "run", self.name, *words, **more)

    def refused(self, *words: str) -> str:
        """The message of a coordinator that must not start."""
        return self._cli.refused("coordinator", "run", self.name, *words)

    def log(self) -> EventLog:
        """The coordinator stream."""
        return KafkaEventLog(KafkaOptions.parse(self._topics.bootstrap_servers), identify(self.stream))


def line_with(stream: IO[str] | None, words: str) -> str:
    """The next line that contains these words."""
    assert stream is not None
    others = []
    for line in stream:
        if words in line:
            return line.removesuffix("\n")
        others.append(line)
    raise AssertionError(f"no line with {words!r} in {others}")


@pytest.fixture
def job(kafka_cli: CommandLine, topics: Topics, tmp_path: Path) -> Job:
    return Job(kafka_cli, topics, f"coordinated{next(NUMBERS)}", tmp_path)


def test_it_starts_a_job_and_stops_on_a_signal(job: Job) -> None:
    with job.coordinator("--config", str(job.file), "--json", "--metrics-port", "0") as process:
        place = line_with(process.stderr, "Serving /healthz and /metrics").rpartition(" ")[2].removesuffix(".")
        said = line_with(process.stderr, "Coordinating")
        assert said == f"Coordinating {job.name}: containers 2, tasks 4; changes: CONFIG, JOB_MODEL, NEW_DEPLOYMENT."
        serving = line_with(process.stderr, "Serving")
        assert httpx.get(f"{place}healthz").text == "ok\n"
        metrics = httpx.get(f"{place}metrics").text.splitlines()
        assert {"coordstream_coordinator_tasks 4.0", "coordstream_coordinator_new_deployment 1.0"} <= set(metrics)
        assert f'coordstream_coordinator_monitor{{gauge="kafka-{job.input}-partitionCount"}} 0.0' in metrics
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, f"Stopped the coordinator of {job.name}.\n")
    (row,) = json.loads(out)
    assert serving == f"Serving containers. SAMZA_COORDINATOR_URL={row['coordinator_url']}"
    assert (row["containers"], row["tasks"]) == (2, 4)
    assert row["preferred_hosts"] == {"0": "ANY_HOST", "1": "ANY_HOST"}
    with job.log() as log, CoordinatorStreamStore(log) as store:
        assert read_config(store)["task.inputs"] == f"kafka.{job.input}"
        previous = JobModelAssignments(store).read_previous()
    assert previous.task_containers == {"Partition 0": "0", "Partition 1": "1", "Partition 2": "0", "Partition 3": "1"}


def test_the_second_one_is_refused_waits_and_takes_over_after_a_kill(job: Job) -> None:
    with job.coordinator("--config", str(job.file)) as first:
        line_with(first.stderr, "Coordinating")
        assert job.refused().startswith(f"{job.name} already has a coordinator: coordstream coordinator")
        with job.coordinator("--wait") as second:
            line_with(second.stderr, "Waiting until the current coordinator ends")
            first.kill()
            said = line_with(second.stderr, "Coordinating")
            assert said.endswith("changes: none.")


def test_a_suspended_one_that_was_taken_over_writes_nothing_when_it_continues(job: Job, cli: CommandLine) -> None:
    with job.coordinator("--config", str(job.file)) as first:
        line_with(first.stderr, "Serving")
        first.send_signal(signal.SIGSTOP)
        cli.ask(END_HOLDER)
        with job.coordinator() as second, job.log() as log:
            line_with(second.stderr, "Serving")
            end = log.end_offset()
            first.send_signal(signal.SIGCONT)
            _, err = first.communicate(timeout=PATIENCE)
            assert (first.returncode, log.end_offset()) == (1, end)
    assert f"{job.name} already has a coordinator: coordstream coordinator" in err


def test_a_change_of_the_config_reaches_the_served_job_model(job: Job) -> None:
    grouper = "job.systemstreampartition.grouper.factory"
    with job.coordinator("--config", str(job.file), "--restart-on-change") as process:
        url = line_with(process.stderr, "Serving").rpartition("=")[2]
        assert len(httpx.get(url).json()["containers"]) == 2
        with job.log() as log, CoordinatorStreamStore(log) as store:
            set_config(store, "job.container.count", "4")
            assert line_with(process.stderr, "changed (") == "The config changed (job.container.count)."
            assert "another container for Partition" in line_with(process.stderr, "The job model changed")
            assert len(httpx.get(url).json()["containers"]) == 4
            set_config(store, "stores.s.accesslog.enabled", "true")
            line_with(process.stderr, "The tasks and containers of the job model do not change.")
            assert httpx.get(url).json()["config"]["stores.s.accesslog.enabled"] == "true"
            assert job._topics.is_there(f"{job.changelog}-access-log")
            by_partition = "org.apache.samza.container.grouper.stream.GroupBySystemStreamPartitionFactory"
            set_config(store, grouper, by_partition, force=True)
            line_with(process.stderr, f"Another program changed {grouper}")
            set_config(store, "task.opts", "-Xmx2g")
            line_with(process.stderr, f"The job model stays as it is: This changes {grouper}, which may be")


def test_an_outage_of_the_lock_is_survived(job: Job, cli: CommandLine) -> None:
    with (
        job.coordinator("--config", str(job.file)) as process,
        closing(JobLock(partial(connect, cli.database_url), job.name, job.stream)) as other,
    ):
        line_with(process.stderr, "Coordinating")
        (before,) = cli.ask(HOLDER)
        cli.ask(END_SESSION)
        wait_until(lambda: cli.ask(HOLDER) not in ([before], []), what="the lock to be taken again")
        assert not other.take()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


def test_an_outage_of_a_stream_in_postgres_is_survived(job: Job, cli: CommandLine) -> None:
    job.has_stream_in_postgres = True
    with job.coordinator("--config", str(job.file)) as process:
        url = line_with(process.stderr, "Serving").rpartition("=")[2]
        assert httpx.get(f"{url}locality").json() == {"processor-localities": {}}
        end_sessions(cli.database_url)
        wait_until(lambda: httpx.get(f"{url}locality").status_code == 200, what="the hosts")
        with PostgresEventLog(cli.database_url, job.stream) as log, CoordinatorStreamStore(log) as store:
            set_config(store, "task.opts", "-Xmx1g")
        said = line_with(process.stderr, "The config changed")
        assert said == "The config changed (task.opts). The next start uses it."
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "Traceback" in err) == (0, False)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"job.elasticity.factor": "2"}, "job.elasticity.factor is 2, but elastic tasks are not supported"),
        ({"task.inputs": "kafka.missing-input"}, "has no stream missing-input"),
        ({"task.inputs": "other.input"}, "The job's config has no brokers for system other"),
        ({"systems.kafka.consumer.bootstrap.servers": "127.0.0.1:1"}, "No broker answers at 127.0.0.1:1."),
    ],
)
def test_what_it_cannot_do_is_refused_before_anything_is_written(
    job: Job, setting: Mapping[str, str], message: str
) -> None:
    job.write_file(setting)
    assert message in job.refused("--config", str(job.file))
    with job.log() as log:
        assert log.end_offset() == 0
