"""A task whose process is killed in each step of a commit; the next process restores it, and compares.

``python -m tests.programs.killed_committer SERVERS JOB FOLDER ROUNDS`` runs one process after the other. The
journal in the folder has a line for each commit, and for each that was complete.
"""

import json
import os
import random
import signal
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
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
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.state.changelog_backend import KafkaChangelogBackupManager, KafkaChangelogStateBackendFactory
from managers.state.key_value_store import DictStore, KeyValueStore, RocksDbStore
from managers.state.object_store import ObjectStore
from managers.state.object_store_backend import OBJECT_STORE_STATE_BACKEND_FACTORY, ObjectStoreStateBackendFactory
from managers.state.state_backend import StateBackendFactory, StatefulTask
from managers.state.task_committer import TaskCommitter
from managers.state.task_storage import TaskRestoration, TaskStorageCommitManager
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.waiting import PATIENCE, wait_until

TASK: Final = "Partition 0"
IN: Final = SystemStreamPartition("kafka", "in", 0)
STORES: Final = ("first", "rocks", "third")
KEYS: Final = 12
BACKENDS: Final = (KAFKA_STATE_BACKEND_FACTORY, OBJECT_STORE_STATE_BACKEND_FACTORY)
STEPS: Final[tuple[tuple[type, str], ...]] = (
    (DictStore, "flush"),
    (RocksDbStore, "checkpoint"),
    (KafkaChangelogBackupManager, "snapshot"),
    (KafkaChangelogBackupManager, "upload"),
    (ObjectStore, "put"),
    (KafkaCheckpointManager, "write_checkpoint"),
    (TaskStorageCommitManager, "write_checkpoint_to_store_directories"),
    (KafkaChangelogBackupManager, "persist_to_filesystem"),
    (ObjectStore, "delete"),
    (KafkaChangelogs, "read"),  # only a restore reads
)

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
    }


def kill_in(owner: type, name: str, *, is_after: bool) -> None:
    """Kill this process in the next call of a method: before it does anything, or when it has done all."""
    call = getattr(owner, name)

    def die(*arguments: Any) -> None:
        if is_after:
            call(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, die)


@dataclass
class Life:
    """One process of the task, from its restore to its end."""

    servers: str
    job_name: str
    folder: Path
    random: random.Random

    def run(self, owner: type, name: str, *, is_after: bool) -> None:
        """Restore and compare, then commit a few times until the process is killed in this step."""
        self.journal = self.folder / "journal"
        self.config = config_of(self.job_name, self.random.choice(BACKENDS))
        self.task = StatefulTask(TASK, self.config, self.folder / "stores", self.open_store, changelog_partition=0)
        options = KafkaOptions.parse(self.servers)
        log = wait_until(lambda: open_checkpoint_log(options, self.job_name), what="the broker to answer")
        assert log is not None
        self.kafka = KafkaChangelogStateBackendFactory({"kafka": KafkaChangelogs(options)})
        objects = ObjectStoreStateBackendFactory(self.folder)
        self.backends: dict[str, StateBackendFactory] = dict(zip(BACKENDS, (self.kafka, objects), strict=True))
        self.checkpoints = KafkaCheckpointManager(log, config=self.config)
        self.checkpoints.register(TASK)
        if owner is KafkaChangelogs:
            kill_in(owner, name, is_after=is_after)
        with self.checkpoints:
            checkpoint = TaskRestoration(self.task, STORES, self.backends, self.checkpoints).restore()
        self.compare(checkpoint)
        self.begin(checkpoint)
        for _ in range(self.random.randrange(3)):
            self.commit()
        kill_in(owner, name, is_after=is_after)
        self.commit()

    def compare(self, checkpoint: Checkpoint | None) -> None:
        """Check that the stores have the state of the checkpoint, which is the last whole one or newer."""
        number = 0 if checkpoint is None else int(checkpoint.offsets[IN] or 0)
        journal = [json.loads(line) for line in self.journal.read_text().splitlines()]
        states = {entry["commit"]: entry["state"] for entry in journal if "commit" in entry}
        done = max((entry["done"] for entry in journal if "done" in entry), default=0)
        stores = {name: self.open_store(name) for name in STORES}
        found = {name: {key.decode(): value.decode() for key, value in each.range()} for name, each in stores.items()}
        for store in stores.values():
            store.close()
        self.state: State = states.get(number, {name: {} for name in STORES})
        assert found == self.state, f"commit {number}: {found} != {self.state}"
        assert number >= done, f"commit {done} was complete, but {number} was restored"
        self.number = max([*states, 0])

    def begin(self, checkpoint: Checkpoint | None) -> None:
        admins = {"kafka": StatedAdmin()}
        self.offsets = OffsetManager(self.config, system_admins=admins, checkpoint_manager=self.checkpoints)
        self.offsets.register(TASK, [IN])
        self.offsets.start()
        self.stores = {name: self.kafka.open_store(self.task, name) for name in STORES}
        managers = {name: backend.get_backup_manager(self.task, STORES) for name, backend in self.backends.items()}
        commits = TaskStorageCommitManager(self.task, self.stores, managers)
        commits.init(checkpoint)
        self.committer = TaskCommitter(self.config, self.offsets, commits)

    def commit(self) -> None:
        self.number += 1
        for name, store in self.stores.items():
            self.change(store, self.state[name])
        self.offsets.update(TASK, IN, str(self.number))
        self.note(commit=self.number, state=self.state)
        self.committer.commit()
        self.committer.wait(int(PATIENCE * 1000))
        self.note(done=self.number)

    def change(self, store: KeyValueStore, state: dict[str, str]) -> None:
        for _ in range(1 + self.random.randrange(3)):
            key = f"{self.random.randrange(KEYS)}"
            if self.random.random() < 0.3:
                store.delete(key.encode())
                state.pop(key, None)
            else:
                state[key] = f"{self.number}.{self.random.random()}"
                store.put(key.encode(), state[key].encode())

    def note(self, **entry: Any) -> None:
        """Append to the journal, which survives the process."""
        with self.journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def open_store(self, name: str) -> KeyValueStore:
        directory = self.task.store_directory(name)
        return RocksDbStore(directory) if name == "rocks" else DictStore(directory)


def open_checkpoint_log(options: KafkaOptions, job_name: str) -> KafkaEventLog | None:
    """The log of the task's checkpoints; None if the broker does not answer, because the machine is busy."""
    with suppress(SourceUnavailable):
        return KafkaEventLog(options, identify(checkpoint_stream_name(job_name)))
    return None


def live(life: Life, step: tuple[type, str], *, is_after: bool) -> None:
    """Run one process until it is killed. Raises AssertionError if it found a difference, or was not killed."""
    process = os.fork()
    if process == 0:
        try:
            life.run(*step, is_after=is_after)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), (step, is_after, status)


def main(servers: str, job_name: str, folder: str, rounds: str) -> None:
    steps = list(product(STEPS * int(rounds), (False, True)))
    random.Random(1).shuffle(steps)
    for number, (step, is_after) in enumerate(steps):
        live(Life(servers, job_name, Path(folder), random.Random(number)), step, is_after=is_after)


if __name__ == "__main__":
    main(*sys.argv[1:])
