"""The program of docs/state.md survives being killed, on a real broker."""

import re
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

import coordstream as cs
from eventlog.events import NewEvent
from tests.checkout import CHECKOUT
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

PAGE: Final = CHECKOUT / "docs" / "state.md"
VIEWS: Final = [b"/page-%d" % (number % 7) for number in range(1000)]
HOSTS: Final = ("first", "first")


@dataclass
class Program:
    """The page's program, with topics of its own."""

    path: Path
    servers: str

    def __post_init__(self) -> None:
        self.options = cs.KafkaOptions.parse(self.servers)
        names: dict[str, Any] = runpy.run_path(str(self.path))
        self.config, self.task_name, self.views = names["CONFIG"], names["TASK"], names["VIEWS"]

    @contextmanager
    def running(self, host: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run it until the block ends, then kill it."""
        folder = str(self.path.parent / host)
        process = subprocess.Popen([sys.executable, str(self.path), self.servers, folder])
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def checkpoints(self) -> cs.KafkaCheckpointManager:
        topic = cs.KafkaEventLog(self.options, cs.checkpoint_stream(self.config))
        return cs.KafkaCheckpointManager(topic, config=self.config)

    def committed(self) -> int:
        """The offset of the last commit, -1 if there is none."""
        try:
            manager = self.checkpoints()
        except cs.StreamMissing:
            return -1
        with manager:
            manager.register(self.task_name)
            checkpoint = manager.read_last_checkpoint(self.task_name)
        return -1 if checkpoint is None else int(checkpoint.offsets[self.views] or -1)

    def wait_for_commit(self, process: subprocess.Popen[bytes], offset: int) -> None:
        """Wait until this offset is committed."""
        wait_until(lambda: process.poll() is not None or self.committed() >= offset, what=f"commit of {offset}")
        assert process.poll() is None, "the program has ended"

    def counts(self) -> dict[bytes, int]:
        """The counts as of the last commit."""
        store = cs.DictStore()
        task = cs.StatefulTask(self.task_name, self.config, self.path.parent, lambda _: store, changelog_partition=0)
        with cs.KafkaChangelogs(self.options) as changelogs, self.checkpoints() as manager:
            manager.register(self.task_name)
            backend = cs.KafkaChangelogStateBackendFactory({"kafka": changelogs})
            cs.TaskRestoration(task, ["counts"], {cs.KAFKA_STATE_BACKEND_FACTORY: backend}, manager).restore()
        return {page: int(count) for page, count in store.range()}


@pytest.fixture
def program(topics: Topics, job_name: str, tmp_path: Path) -> Program:
    (source,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    path = tmp_path / "view_counter.py"
    path.write_text(source.replace("page-views", f"{job_name}-views").replace("view-counter", job_name))
    for name in (f"{job_name}-counts", cs.checkpoint_stream_name(job_name)):
        topics.will_be_made(name)
    return Program(path, topics.bootstrap_servers)


def test_the_program_counts_each_view_once_although_it_is_killed(
    program: Program, topics: Topics, job_name: str
) -> None:
    stream = topics.create(f"{job_name}-views")
    for host in HOSTS:
        before = program.committed()
        topics.write(stream, [NewEvent(page, page) for page in VIEWS])
        with program.running(host) as process:
            program.wait_for_commit(process, before + 1)
    with program.running("second") as process:
        program.wait_for_commit(process, len(HOSTS) * len(VIEWS) - 1)
    assert program.counts() == {page: len(HOSTS) * count for page, count in Counter(VIEWS).items()}
