"""Commits of state of several sizes, and restores beside a plain read of the changelog."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Final, NamedTuple

from kafka import KafkaConsumer, TopicPartition

from benchmarks.broker import TOPIC_SETTINGS
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.kafka_checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory
from managers.state.key_value_store import KeyValueStore
from managers.state.object_store_backend import (
    OBJECT_STORE_STATE_BACKEND_FACTORY,
    ObjectStoreStateBackendFactory,
)
from managers.state.rocksdb_store import RocksDbStore
from managers.state.state_backend import StateBackendFactory, StatefulTask
from managers.state.store_directories import delete_directory, store_directory
from managers.state.task_committer import TaskCommitter
from managers.state.task_storage_commit_manager import TaskStorageCommitManager
from tests.fixtures.kafka_topics import Topics
from tests.managers.stated_admin import StatedAdmin

VALUE_BYTES: Final = 1000
CHANGED_SHARE: Final = 0.01
COMMITS: Final = 5
TASK: Final = "Partition 0"
STORE: Final = "counts"
_IN: Final = SystemStreamPartition("kafka", "in", 0)
_MB: Final = 1_000_000
_READ: Final = {"task.checkpoint.read.versions": "2"}


class Spent(NamedTuple):
    """Elapsed seconds, and seconds of CPU time of this process."""

    elapsed: float
    cpu: float


class SizedState(NamedTuple):
    """The figures of one backend and size."""

    backend: str
    megabytes: int
    full_commit: Spent
    commits: Sequence[Spent]
    restored: Sequence[Spent]
    plain: Sequence[Spent]
    """Reading the changelog with kafka-python's consumer, in turns with the restores; empty for other backends."""


def measure_state(
    topics: Topics, sizes: Sequence[int], rounds: int, say: Callable[[str], None]
) -> Iterator[SizedState]:
    """Commit and restore a store in RocksDB with each backend, at each size in MB."""
    for number, megabytes in enumerate(sizes):
        for backend in ("changelog", "objects"):
            say(f"{megabytes} MB of state, {backend}")
            with (
                TemporaryDirectory() as folder,
                KafkaChangelogs(KafkaOptions.parse(topics.bootstrap_servers)) as system,
            ):
                yield _Run(topics, system, Path(folder), f"state-{number}-{backend}", backend).measure(
                    megabytes, rounds
                )
    topics.delete_made()


class _Run:
    def __init__(self, topics: Topics, system: KafkaChangelogs, folder: Path, job_name: str, backend: str) -> None:
        self._backend = backend
        self._topics = topics
        self._changelog = topics.create(f"{job_name}-{STORE}", TOPIC_SETTINGS)
        self._checkpoints = topics.create(checkpoint_stream_name(job_name))
        self._base = folder / "stores"
        changelog = {f"stores.{STORE}.changelog": f"kafka.{self._changelog}"} if backend == "changelog" else {}
        name = KAFKA_STATE_BACKEND_FACTORY if changelog else OBJECT_STORE_STATE_BACKEND_FACTORY
        config = {
            "job.name": job_name,
            f"stores.{STORE}.factory": "RocksDB",
            "stores.backup.factories": name,
            "systems.kafka.samza.offset.default": "oldest",
            "task.checkpoint.read.versions": "2,1",
            **changelog,
        }
        self._task = StatefulTask(TASK, config, self._base, self._open, changelog_partition=0)
        self._kafka = KafkaChangelogStateBackendFactory({"kafka": system})
        objects = ObjectStoreStateBackendFactory(folder / "objects")
        self._factory: StateBackendFactory = self._kafka if changelog else objects
        self._factory_name = name

    def measure(self, megabytes: int, rounds: int) -> SizedState:
        keys = megabytes * _MB // VALUE_BYTES
        chosen = random.Random(1)
        with self._committer() as (store, offsets, committer):
            full = self._commit(store, offsets, committer, range(keys), chosen)
            samples = [chosen.sample(range(keys), max(int(keys * CHANGED_SHARE), 1)) for _ in range(COMMITS)]
            incremental = [self._commit(store, offsets, committer, changed, chosen) for changed in samples]
        turns = [(self._restore(), self._plain()) for _ in range(rounds)]
        restored, plain = zip(*turns, strict=True)
        is_changelog = self._backend == "changelog"
        return SizedState(self._backend, megabytes, full, incremental, restored, plain if is_changelog else ())

    @contextmanager
    def _committer(self) -> Iterator[tuple[KeyValueStore, OffsetManager, TaskCommitter]]:
        is_logged = self._backend == "changelog"
        store = self._kafka.open_store(self._task, STORE) if is_logged else self._open(STORE)
        manager = self._factory.get_backup_manager(self._task, [STORE])
        with self._open_log() as log:
            checkpoints = KafkaCheckpointManager(log)
            offsets = OffsetManager(
                self._task.config, system_admins={"kafka": StatedAdmin()}, checkpoint_manager=checkpoints
            )
            offsets.register(TASK, [_IN])
            with offsets:
                managers = {self._factory_name: manager}
                commits = TaskStorageCommitManager(self._task, {STORE: store}, managers, checkpoints)
                commits.init()
                yield store, offsets, TaskCommitter(self._task.config, offsets, commits)
                commits.close()
                store.close()
        with self._open_log() as log, KafkaCheckpointManager(log, config=_READ) as checkpoints:
            checkpoints.register(TASK)
            self._checkpoint = checkpoints.read_last_checkpoint(TASK)

    def _open_log(self) -> KafkaEventLog:
        return KafkaEventLog(KafkaOptions.parse(self._topics.bootstrap_servers), identify(self._checkpoints))

    def _commit(
        self,
        store: KeyValueStore,
        offsets: OffsetManager,
        committer: TaskCommitter,
        keys: Sequence[int],
        chosen: random.Random,
    ) -> Spent:
        """A commit after these keys were changed."""
        for key in keys:
            store.put(b"%012d" % key, chosen.randbytes(VALUE_BYTES))
        offsets.update(TASK, _IN, str(committer.metrics.commits))
        with _measured() as spent:
            committer.commit()
            committer.wait()
        return spent[0]

    def _restore(self) -> Spent:
        """A restore on a host without local state."""
        delete_directory(self._base)
        manager = self._factory.get_restore_manager(self._task, [STORE])
        with _measured() as spent:
            manager.init(self._checkpoint)
            manager.restore(lambda _: None, Event())
            manager.close()
        return spent[0]

    def _plain(self) -> Spent:
        """Reading the changelog with kafka-python's consumer; the records are thrown away."""
        partition = TopicPartition(self._changelog, 0)
        consumer = KafkaConsumer(
            bootstrap_servers=self._topics.bootstrap_servers,
            group_id=None,
            max_partition_fetch_bytes=8 << 20,
            max_poll_records=10_000,
        )
        with _measured() as spent:
            consumer.assign([partition])
            consumer.seek_to_beginning(partition)
            end = consumer.end_offsets([partition])[partition]
            while consumer.position(partition) < end:
                consumer.poll(timeout_ms=500)
        consumer.close()
        return spent[0]

    def _open(self, name: str) -> KeyValueStore:
        return RocksDbStore(store_directory(self._base, name, TASK))


@contextmanager
def _measured() -> Iterator[list[Spent]]:
    spent: list[Spent] = []
    started, used = time.perf_counter(), time.process_time()
    yield spent
    spent.append(Spent(time.perf_counter() - started, time.process_time() - used))
