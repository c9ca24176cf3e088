"""A job coordinator that is killed after any of its writes: the next one ends in the same relations."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.coordstream.command_line import CHECKOUT, CommandLine, without_settings

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
