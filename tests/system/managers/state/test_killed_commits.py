"""Restores after commits that were killed in every step: always the last whole commit, or the next one."""

import subprocess
import sys
from pathlib import Path

import pytest

from eventlog.streams import checkpoint_stream_name
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.kafka_topics import Topics
from tests.programs.killed_committer import STORES


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.scenario("TCM-22", "HRD-49")
def test_a_restore_gives_the_last_whole_commit(topics: Topics, job_name: str, tmp_path: Path) -> None:
    topics.create(checkpoint_stream_name(job_name))
    for store in STORES:
        topics.create(f"{job_name}-{store}", partitions=2)
    (tmp_path / "journal").touch()
    program = [sys.executable, "-m", "tests.programs.killed_committer"]
    subprocess.run([*program, topics.bootstrap_servers, job_name, str(tmp_path), str(scaled(1, 20))], check=True)
