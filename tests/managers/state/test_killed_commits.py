"""Restores after commits that failed or were killed at every step: always the last whole commit."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from eventlog.streams import checkpoint_stream_name
from tests.acceptance.torture import scaled
from tests.fixtures.kafka_topics import Topics
from tests.managers.state.failing_task import KINDS, STEPS
from tests.managers.state.killed_committer import STORES, changelog_name

ROUNDS = scaled(len(STEPS), 21 * len(STEPS))


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.scenario("TCM-22", "HRD-49")
def test_a_restore_gives_the_last_whole_commit(topics: Topics, job_name: str, tmp_path: Path) -> None:
    for name in (checkpoint_stream_name(job_name), *(changelog_name(job_name, store) for store in STORES)):
        topics.create(name)
    (tmp_path / "journal").touch()
    program = [sys.executable, "-m", "tests.managers.state.killed_committer"]
    subprocess.run([*program, topics.bootstrap_servers, job_name, str(tmp_path), "1", str(ROUNDS)], check=True)
    journal = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    faults = Counter((entry["fault"], entry["kind"]) for entry in journal if "fault" in entry)
    counted = {word: sum(word in entry for entry in journal) for word in ("commit", "done", "restored", "orphans")}
    print(json.dumps({"faults": sum(faults.values()), **counted}))
    assert {step for step, _ in faults} == set(STEPS)
    assert counted["orphans"] > 0
    if scaled(0, 1):
        by_step = Counter(step for step, _ in faults.elements())
        assert min(by_step.values()) >= 20
        assert {kind for _, kind in faults} == set(KINDS)
