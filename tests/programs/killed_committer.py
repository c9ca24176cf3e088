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
from itertools import product
from pathlib import Path
from typing import Any, Final

from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.source import SourceUnavailable
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.state.changelog_backend import KafkaChangelogBackupManager, KafkaChangelogStateBackendFactory
from managers.state.key_value_store import RocksDbStore
from managers.state.object_store_backend import ObjectStoreStateBackendFactory, StoreObjects
from managers.state.state_backend import StateBackendFactory
from managers.state.task_committer import TaskCommitter
from managers.state.task_storage import TaskStorageCommitManager
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.state import IN, KAFKA, OBJECTS, TASK, TRANSACTIONAL, TaskWithStores
from tests.fixtures.waiting import PATIENCE, wait_until

STORES: Final = ("first", "second", "third")
KEYS: Final = 12
STEPS: Final[tuple[tuple[type, str], ...]] = (
    (RocksDbStore, "flush"),
    (RocksDbStore, "checkpoint"),
    (KafkaChangelogBackupManager, "snapshot"),
    (KafkaChangelogBackupManager, "upload"),
    (StoreObjects, "put"),
    (KafkaCheckpointManager, "write_checkpoint"),
    (TaskStorageCommitManager, "write_checkpoint_to_store_directories"),
    (KafkaChangelogBackupManager, "persist_to_filesystem"),
    (StoreObjects, "delete"),
    (KafkaChangelogs, "read"),  # only a restore reads
)


def kill_in(owner: type, name: str, *, is_after: bool) -> None:
    """Kill this process in the next call of a method: before it does anything, or when it has done all."""
    call = getattr(owner, name)

    def die(*arguments: Any) -> None:
        if is_after:
            call(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, die)


class Life:
    """One process of the task, from its restore to its end."""

    def __init__(self, servers: str, job_name: str, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.journal = folder / "journal"
        options = KafkaOptions.parse(servers)
        backends: dict[str, StateBackendFactory] = {
            KAFKA: KafkaChangelogStateBackendFactory({"kafka": KafkaChangelogs(options)}),
            OBJECTS: ObjectStoreStateBackendFactory(folder),
        }
        first, *others = self.random.sample([*backends], 2)
        config = {
            **TRANSACTIONAL,
            "stores.restore.factories": ",".join((first, *others)),
            "systems.kafka.samza.offset.default": "oldest",
        }
        topic = wait_until(lambda: open_checkpoint_log(options, job_name), what="the broker to answer")
        self.task = TaskWithStores(folder / "stores", job_name, backends, STORES, config=config, topic=topic)

    def run(self, owner: type, name: str, *, is_after: bool) -> None:
        """Restore and compare, then commit a few times until the process is killed in this step."""
        if owner is KafkaChangelogs:
            kill_in(owner, name, is_after=is_after)
        self.task.restore(None)
        self.compare()
        admins, config = {"kafka": StatedAdmin()}, self.task.task.config
        self.offsets = OffsetManager(config, system_admins=admins, checkpoint_manager=self.task.checkpoints)
        self.offsets.register(TASK, [IN])
        self.offsets.start()
        self.task.commits.init(self.task.restored)
        self.committer = TaskCommitter(config, self.offsets, self.task.commits)
        for _ in range(self.random.randrange(3)):
            self.commit()
        kill_in(owner, name, is_after=is_after)
        self.commit()

    def compare(self) -> None:
        """Check that the stores have the state of the checkpoint, which is the last whole one or newer."""
        number = 0 if self.task.restored is None else int(self.task.restored.offsets[IN] or 0)
        journal = [json.loads(line) for line in self.journal.read_text().splitlines()]
        states = {entry["commit"]: entry["state"] for entry in journal if "commit" in entry}
        done = max((entry["done"] for entry in journal if "done" in entry), default=0)
        entries = {name: self.task.entries(name) for name in STORES}
        found = {name: {key.decode(): value.decode() for key, value in of.items()} for name, of in entries.items()}
        self.state: dict[str, dict[str, str]] = states.get(number, {name: {} for name in STORES})
        assert found == self.state, f"commit {number}: {found} != {self.state}"
        assert number >= done, f"commit {done} was complete, but {number} was restored"
        self.number = max([*states, 0])

    def commit(self) -> None:
        self.number += 1
        for name, store in self.task.stores.items():
            for key in self.random.choices(range(KEYS), k=1 + self.random.randrange(3)):
                if self.random.random() < 0.3:
                    store.delete(b"%d" % key)
                    self.state[name].pop(str(key), None)
                else:
                    value = self.state[name][str(key)] = f"{self.number}.{self.random.random()}"
                    store.put(b"%d" % key, value.encode())
        self.offsets.update(TASK, IN, str(self.number))
        self.note(commit=self.number, state=self.state)
        self.committer.commit()
        self.committer.wait(int(PATIENCE * 1000))
        self.note(done=self.number)

    def note(self, **entry: Any) -> None:
        """Append to the journal, which survives the process."""
        with self.journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def open_checkpoint_log(options: KafkaOptions, job_name: str) -> KafkaEventLog | None:
    """The log of the task's checkpoints; None if the broker does not answer, because the machine is busy."""
    with suppress(SourceUnavailable):
        return KafkaEventLog(options, identify(checkpoint_stream_name(job_name)))
    return None


def live(step: tuple[type, str], *arguments: Any, is_after: bool) -> None:
    """Run one process until it is killed. Raises AssertionError if it found a difference, or was not killed."""
    process = os.fork()
    if process == 0:
        try:
            Life(*arguments).run(*step, is_after=is_after)
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status), (step, is_after, status)


def main(servers: str, job_name: str, folder: str, rounds: str) -> None:
    steps = list(product(STEPS * int(rounds), (False, True)))
    random.Random(1).shuffle(steps)
    for number, (step, is_after) in enumerate(steps):
        live(step, servers, job_name, Path(folder), number, is_after=is_after)


if __name__ == "__main__":
    main(*sys.argv[1:])
