"""A container of Samza 1.8.0 starts from `coordstream coordinator run`, and a growing input is noticed."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from eventlog.events import NewEvent
from managers.job_models.job_model import JobModel
from managers.job_models.job_model_json import job_model_from_json
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine, without_settings
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Samza
from tests.fixtures.waiting import wait_until
from tests.system.coordstream.cli.coordinator.test_run import Job, line_with

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

EXAMPLE: Final = CHECKOUT / "docs" / "examples" / "run_job.py"
RECORDS: Final = 5
OFTEN: Final = {"job.coordinator.monitor-partition-change.frequency.ms": "100"}
URL: Final = "SAMZA_COORDINATOR_URL="


@pytest.fixture
def job(cli: CommandLine, topics: Topics, tmp_path: Path, job_name: str) -> Job:
    return Job(cli, topics, job_name, tmp_path)


def url_of(line: str) -> str:
    """The URL that a coordinator printed."""
    return line.partition(URL)[2]


@pytest.mark.long
def test_a_container_processes_and_commits(
    job: Job, samza: Samza, topics: Topics, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", topics.bootstrap_servers)
    for partition in range(4):
        topics.write(job.input, [NewEvent(None, b"%d" % each) for each in range(RECORDS)], partition=partition)
    job.write_file(
        {
            "task.class": "EmptyTask",
            "task.commit.ms": "100",
            "job.host-affinity.enabled": "true",
            "job.container.count": "1",
            "systems.kafka.samza.offset.default": "oldest",
            "systems.kafka.producer.bootstrap.servers": topics.bootstrap_servers,
            "stores.s.factory": "org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory",
            "stores.s.key.serde": "string",
            "stores.s.msg.serde": "string",
            "serializers.registry.string.class": "org.apache.samza.serializers.StringSerdeFactory",
        }
    )

    def committed() -> dict[Any, Any]:
        assert process.poll() is None, output.read_text()[-2000:]
        if cli("follow", job.stream, job.checkpoint, "--once").code:
            return {}  # the coordinator has not created them yet
        offsets = dict(cli.ask("select task_name, input_offset from coordinator.checkpoint"))
        return offsets if list(offsets.values()) == [str(RECORDS - 1)] * 4 else {}

    cli.done("config", "write", job.name, "--from-file", job.file)
    output = tmp_path / "output"
    program = [sys.executable, str(EXAMPLE), job.name, *samza.container_command]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    brokers = {"COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": topics.bootstrap_servers}
    environment = {**without_settings(), **cli.settings, **brokers, "PATH": path}
    with (
        output.open("wb") as log,
        subprocess.Popen(program, env=environment, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT) as process,
    ):
        try:
            found = wait_until(committed, what="the commits of all records")
            ((url,),) = cli.ask("select config_value from coordinator.config where config_key = 'yarn.am.tracking.url'")
            host = httpx.get(f"{url}locality?processorId=0").json()["host"]
        finally:
            process.terminate()
    assert process.returncode == 128 + signal.SIGTERM
    assert found == {f"Partition {number}": "4" for number in range(4)}
    assert cli.ask("select container_id, host_name from coordinator.container_host") == [("0", host)]
    assert host


def test_the_tasks_of_a_growing_input_keep_their_state(job: Job, topics: Topics) -> None:
    job.write_file(OFTEN)
    topics.grow(job.input, 8)
    with job.coordinator("--config", str(job.file), "--restart-on-change") as coordinator:
        url = url_of(line_with(coordinator.stderr, URL))
        before = served_model(url)
        topics.grow(job.input, 16)
        said = line_with(coordinator.stderr, job.input)
        line_with(coordinator.stderr, "The job model changed: other partitions for Partition 0, Partition 1")
        after = served_model(url)
    assert said == f"kafka.{job.input} has 16 partitions; the job model has 8."
    read = {name: sorted(each.partition for each in task.partitions) for name, task in after.tasks.items()}
    assert read == {f"Partition {number}": [number, number + 8] for number in range(8)}
    assert changelog_partitions(after) == changelog_partitions(before)
    with job.coordinator() as coordinator:
        assert served_model(url_of(line_with(coordinator.stderr, URL))).tasks == after.tasks


def served_model(url: str) -> JobModel:
    return job_model_from_json(httpx.get(url).content)


def changelog_partitions(model: JobModel) -> dict[str, int]:
    """The changelog partition of each task."""
    return {name: task.changelog_partition for name, task in model.tasks.items()}
