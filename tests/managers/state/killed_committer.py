"""A task whose commits fail at every step, until its process is killed; then it is restored and compared.

``python -m tests.managers.state.killed_committer SERVERS JOB FOLDER SEED ROUNDS`` runs one process after the other.
The journal in the folder has a line for each commit, fault and comparison.
"""

import json
import os
import random
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from eventlog.checkpoint import Checkpoint
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory
from managers.state.key_value_store import DictStore, KeyValueStore
from managers.state.object_store_backend import (
    OBJECT_STORE_STATE_BACKEND_FACTORY,
    ObjectStoreStateBackendFactory,
)
from managers.state.rocksdb_store import RocksDbStore
from managers.state.state_backend import StateBackendFactory, StatefulTask
from managers.state.state_errors import StateError
from managers.state.store_directories import checkpoint_directories, store_directory
from managers.state.task_committer import TaskCommitter
from managers.state.task_restoration import TaskRestoration
from tests.fixtures.waiting import PATIENCE, wait_until
from tests.managers.state.failing_task import (
    KINDS,
    STEPS,
    FailingBackup,
    FailingChangelogs,
    FailingCommits,
    FailingOffsets,
    FailingStore,
    Faults,
    Kind,
)
from tests.managers.stated_admin import StatedAdmin

TASK: Final = "Partition 0"
IN: Final = SystemStreamPartition("kafka", "in", 0)
STORES: Final = ("first", "rocks", "third")
KEYS: Final = 12
BACKENDS: Final = (KAFKA_STATE_BACKEND_FACTORY, OBJECT_STORE_STATE_BACKEND_FACTORY)
OBJECTS: Final = "objects"

State = dict[str, dict[str, str]]


def changelog_name(job_name: str, store: str) -> str:
    return f"{job_name}-{store}"


def config_of(job_name: str, restore_first: str) -> dict[str, str]:
    """The config of the task; ``restore_first`` is the preferred backend of restores."""
    others = [each for each in BACKENDS if each != restore_first]
    return {
        "job.name": job_name,
        **{f"stores.{store}.factory": "F" for store in STORES},
        **{f"stores.{store}.changelog": f"kafka.{changelog_name(job_name, store)}" for store in STORES},
        "stores.backup.factories": ",".join(BACKENDS),
        "stores.restore.factories": ",".join((restore_first, *others)),
        "systems.kafka.samza.offset.default": "oldest",
        "task.checkpoint.read.versions": "2,1",
        "task.transactional.state.retain.existing.state": "false",
        "task.commit.max.delay.ms": "0",
        "task.commit.timeout.ms": "0",
    }


@dataclass
class Life:
    """One process of the task, from its restore to its end."""

    servers: str
    job_name: str
    folder: Path
    seed: str
    faults: Faults
    plan: list[tuple[str, Kind]]
    stack: ExitStack = field(default_factory=ExitStack)

    def run(self) -> None:
        """Restore and compare, then commit with one fault after the other."""
        self.random = random.Random(self.seed)
        self.restore_first = self.random.choice(BACKENDS)
        self.config = config_of(self.job_name, self.restore_first)
        self.task = StatefulTask(TASK, self.config, self.folder / "stores", self.open_store, changelog_partition=0)
        options = KafkaOptions.parse(self.servers)
        self.changelogs = self.stack.enter_context(KafkaChangelogs(options))
        opened = wait_until(lambda: open_checkpoint_log(options, self.job_name), what="the broker to answer")
        assert opened is not None
        self.checkpoints = KafkaCheckpointManager(opened, config=self.config)
        self.checkpoints.register(TASK)
        if self.plan[0][0] == "restore":
            self.faults.armed = self.plan.pop(0)
        with self.checkpoints:
            checkpoint = self.restore()
        self.faults.armed = None
        self.compare(checkpoint)
        self.commit_until_killed(checkpoint)

    def restore(self) -> Checkpoint | None:
        failing = FailingChangelogs(self.changelogs, self.faults, self.random.randrange(len(STORES)))
        kafka = KafkaChangelogStateBackendFactory({"kafka": failing})
        objects = ObjectStoreStateBackendFactory(self.folder / OBJECTS)
        self.backends: Mapping[str, StateBackendFactory] = dict(zip(BACKENDS, (kafka, objects), strict=True))
        restoration = TaskRestoration(self.task, STORES, self.backends, self.checkpoints)
        with suppress(StateError):
            return restoration.restore()
        return restoration.restore()

    def compare(self, checkpoint: Checkpoint | None) -> None:
        """Check that the stores have the state of the checkpoint, which is the last one or newer."""
        number = 0 if checkpoint is None else int(checkpoint.offsets[IN] or 0)
        journal = [json.loads(line) for line in self.faults.journal.read_text().splitlines()]
        states = {entry["commit"]: entry["state"] for entry in journal if "commit" in entry}
        done = max((entry["done"] for entry in journal if "done" in entry), default=0)
        stores = {name: self.open_store(name) for name in STORES}
        found = {name: entries(store) for name, store in stores.items()}
        for store in stores.values():
            store.close()
        expected = states.get(number, {name: {} for name in STORES})
        assert found == expected, f"commit {number} restored from {self.restore_first}: {found} != {expected}"
        assert number >= done, f"commit {done} was complete, but {number} was restored"
        self.state: State = expected
        self.number = max([*states, 0])
        self.faults.note(restored=number, backend=self.restore_first)

    def commit_until_killed(self, checkpoint: Checkpoint | None) -> None:
        offsets = FailingOffsets(
            self.config, system_admins={"kafka": StatedAdmin()}, checkpoint_manager=self.checkpoints
        )
        offsets.faults = self.faults
        offsets.register(TASK, [IN])
        kafka = self.backends[KAFKA_STATE_BACKEND_FACTORY]
        assert isinstance(kafka, KafkaChangelogStateBackendFactory)
        self.stores = {name: FailingStore(kafka.open_store(self.task, name), self.faults) for name in STORES}
        names = dict(zip(BACKENDS, ("changelogs", "objects"), strict=True))
        managers = {
            factory: FailingBackup(names[factory], backend.get_backup_manager(self.task, STORES), self.faults)
            for factory, backend in self.backends.items()
        }
        commits = FailingCommits(self.task, self.stores, managers)
        commits.faults = self.faults
        with offsets:
            commits.init(checkpoint)
            self.offsets = offsets
            self.committer = TaskCommitter(self.config, offsets, commits)
            for fault in self.plan:
                if self.random.random() < 0.5:
                    self.commit(None)
                self.commit(fault)
            self.commit(None)
            self.check_orphans()
            commits.close()

    def commit(self, fault: tuple[str, Kind] | None) -> None:
        """Change the stores, and commit; a commit without a fault must succeed."""
        self.number += 1
        self.change()
        self.offsets.update(TASK, IN, str(self.number))
        self.faults.note(commit=self.number, state=self.state)
        self.faults.armed = fault
        try:
            self.committer.commit()
            self.committer.wait(int(PATIENCE * 1000))
        except StateError:
            if fault is None:
                raise
            return
        assert fault is None or self.faults.armed is not None, f"{fault} did not make the commit fail"
        self.faults.note(done=self.number)
        if self.random.random() < 0.2:
            self.check_orphans()

    def change(self) -> None:
        for name, store in self.stores.items():
            for _ in range(self.random.randrange(4)):
                key = f"{self.random.randrange(KEYS)}"
                if self.random.random() < 0.3:
                    store.delete(key.encode())
                    self.state[name].pop(key, None)
                else:
                    value = f"{self.number}.{self.random.random()}"
                    store.put(key.encode(), value.encode())
                    self.state[name][key] = value

    def check_orphans(self) -> None:
        """After a successful commit, nothing of another one is left."""
        for name in STORES:
            directory = store_directory(self.task.base_directory, name, TASK)
            copies = [path for _, path in checkpoint_directories(directory)]
            assert len(copies) == 1, copies
            of_store = [*(self.folder / OBJECTS).glob(f"*/*/*/{name}")]
            snapshots = [path for folder in of_store for path in (folder / "snapshots").iterdir()]
            assert len(snapshots) == 1, snapshots
            listed = {file["sha256"] for file in json.loads(snapshots[0].read_text())["files"].values()}
            stored = {path.name for folder in of_store for path in (folder / "objects").iterdir()}
            assert stored == listed
        self.faults.note(orphans=0)

    def open_store(self, name: str) -> KeyValueStore:
        directory = store_directory(self.folder / "stores", name, TASK)
        return RocksDbStore(directory) if name == "rocks" else DictStore(directory)


def open_checkpoint_log(options: KafkaOptions, job_name: str) -> KafkaEventLog | None:
    """The log of the task's checkpoints; None if the broker does not answer, because the machine is busy."""
    with suppress(SourceUnavailable):
        return KafkaEventLog(options, identify(checkpoint_stream_name(job_name)))
    return None


def entries(store: KeyValueStore) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in store.range()}


def plans(rounds: int, seed: str) -> Iterator[list[tuple[str, Kind]]]:
    """The faults of each process. Every step comes as often as any other; all but the last fault are survived."""
    chosen = random.Random(seed)
    faults = [(STEPS[n % len(STEPS)], KINDS[(n + n // len(STEPS)) % len(KINDS)]) for n in range(rounds)]
    chosen.shuffle(faults)
    plan: list[tuple[str, Kind]] = []
    for fault in faults:
        if fault[0] == "restore" and plan:
            yield plan
            plan = []
        plan.append(fault)
        if fault[1] != "error" or len(plan) == 6:
            yield plan
            plan = []
    if plan:
        yield plan


def live(arguments: tuple[str, str, str], seed: str, plan: list[tuple[str, Kind]]) -> None:
    """Run one process to its end. Raises AssertionError if it found a difference."""
    servers, job_name, folder = arguments
    process = os.fork()
    if process == 0:
        _live_and_die(Life(servers, job_name, Path(folder), seed, Faults(Path(folder) / "journal"), plan))
    _, status = os.waitpid(process, 0)
    assert status == 0 or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL), (plan, status)


def _live_and_die(life: Life) -> Any:
    try:
        life.run()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    *given, given_seed, given_rounds = sys.argv[1:]
    for number, faults_of_life in enumerate(plans(int(given_rounds), given_seed)):
        live((given[0], given[1], given[2]), f"{given_seed}-{number}", faults_of_life)
