"""A job coordinator that is killed after any of its writes, or at any time: the next one ends in the same relations."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.streams import identify
from tests.acceptance.torture import IS_LONG, scaled
from tests.coordstream.command_line import CHECKOUT, MASK_KEY, CommandLine, without_settings
from tests.fixtures.kafka_topics import Topics
from tests.managers.coordinator.killed_start import prepare
from tests.managers.coordinator.made_job import ENVIRONMENT, job_config

ENDED: Final = (0, 128 + signal.SIGTERM, -signal.SIGTERM)
"""Exit codes after SIGTERM: stopped, interrupted in the start, ended before it handles signals."""
KILLS: Final = scaled(5, 40)
RELATIONS: Final = {
    "config": "config_key, config_value",
    "changelog_mapping": "task_name, changelog_partition",
    "task_container": "task_name, container_id",
    "task_mode": "task_name, task_mode",
    "task_partition": "task_name, system_name, stream_name, partition_id",
    "startpoint": "partition_id, task_name, startpoint_type",
    "startpoint_fan_out": "task_name, partition_id, startpoint_type",
    "job_coordinator_metadata": "cluster_type, epoch_id, config_id, job_model_id",
    "anomaly": "anomaly, subject",
}


def relations_of(cli: CommandLine, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the relations say of a job, with its own name and the ports of its coordinators left out."""
    return {
        relation: sorted(
            tuple(re.sub(r"127\.0\.0\.1:\d+/", "URL", str(value).replace(name, "NAME")) for value in row)
            for row in cli.ask(f"select {columns} from coordinator.{relation} where job_name = '{name}'")
        )
        for relation, columns in RELATIONS.items()
    }


@pytest.mark.slow
@pytest.mark.torture
def test_the_next_start_ends_in_the_same_relations(cli: CommandLine, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tests.managers.coordinator.killed_start", cli.database_url, str(tmp_path)]
    ended = subprocess.run(program, env=without_settings(), cwd=CHECKOUT, capture_output=True, text=True, check=True)
    undisturbed, *killed = ended.stdout.split()
    assert len(killed) >= 7  # the stream, config, deletes, two topics, assignments, fan-out, metadata
    assert cli("follow", "--all", "--once").code == 0
    expected = relations_of(cli, undisturbed)
    assert [len(rows) > 0 for rows in expected.values()] == [*[True] * 5, False, True, True, False]
    assert [relations_of(cli, name) for name in killed] == [expected] * len(killed)


def make_job(folder: Path, topics: Topics, options: KafkaOptions, name: str, views: str) -> str:
    """Write a job's config to a file, and to its stream what an earlier deployment and an operator wrote."""
    config = job_config(
        name,
        {
            "task.inputs": f"kafka.{views}",
            "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
            "systems.kafka.consumer.bootstrap.servers": topics.bootstrap_servers,
            "systems.kafka.default.stream.replication.factor": "1",
            "task.checkpoint.replication.factor": "1",
        },
    )
    (folder / f"{name}.properties").write_text("".join(f"{key}={value}\n" for key, value in config.items()))
    for made in (f"__samza_checkpoint_ver_1_for_{name}_1", f"{name}-changelog"):
        topics.will_be_made(made)
    stream = topics.create(f"__samza_coordinator_{name}_1")
    with KafkaEventLog(options, identify(stream)) as log:
        prepare(log, config, views)
    return stream


@pytest.mark.slow
@pytest.mark.torture
def test_kills_at_random_times_on_kafka(
    cli: CommandLine,
    topics: Topics,
    kafka_options: KafkaOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", topics.bootstrap_servers)
    names = [f"randomly{number}" for number in range(KILLS + 1)]
    views = topics.create("views-of-killed", partitions=4)
    streams = [make_job(tmp_path, topics, kafka_options, name, views) for name in names]
    seed = int.from_bytes(os.urandom(4)) if IS_LONG else 7
    settings = {
        "COORDSTREAM_DATABASE_URL": cli.database_url,
        "COORDSTREAM_MASK_KEY": MASK_KEY,
        "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": topics.bootstrap_servers,
    }
    program = [sys.executable, "-m", "tests.acceptance.killed_coordinators", str(seed), str(tmp_path), *names]
    environment = {**without_settings(), **ENVIRONMENT, **settings}
    ended = subprocess.run(program, env=environment, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=True)
    if IS_LONG:
        with capsys.disabled():
            print(f"\nseed {seed}", ended.stdout, sep="\n")
    kills = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(one["overlaps"], one["exit_code"]) for one in kills] == [(False, 0)] * KILLS
    failed = [one for one in kills if one["victim_code"] not in {*ENDED, -signal.SIGKILL}]
    assert failed == [], [(tmp_path / f"{one['job']}.victim").read_text() for one in failed]
    assert not [path for path in tmp_path.iterdir() if "Traceback" in path.read_text()]
    assert cli("follow", *streams, "--once").code == 0
    undisturbed = relations_of(cli, names[0])
    assert undisturbed["startpoint_fan_out"]
    assert undisturbed["task_partition"]
    assert [relations_of(cli, name) for name in names[1:]] == [undisturbed] * KILLS
