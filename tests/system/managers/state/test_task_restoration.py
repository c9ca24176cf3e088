"""The stores of a task are restored from the backends that config and checkpoint name, on a real broker."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import ConfigError
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY
from eventlog.streams import checkpoint_stream_name, identify
from managers.checkpoints.checkpoint_manager import STOP_AFTER_FIRST_READ, KafkaCheckpointManager
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory
from managers.state.key_value_store import DictStore, KeyValueStore
from managers.state.object_store_backend import (
    OBJECT_STORE_STATE_BACKEND_FACTORY,
    ObjectStoreStateBackendFactory,
)
from managers.state.state_backend import StateBackendFactory, StatefulTask
from managers.state.state_errors import SnapshotDamaged
from managers.state.store_directories import delete_directory
from managers.state.task_storage import TaskRestoration, TaskStorageCommitManager
from tests.fixtures.kafka_topics import Topics

TASK: Final = "Partition 0"
IN: Final = SystemStreamPartition("kafka", "in", 0)
KAFKA: Final = KAFKA_STATE_BACKEND_FACTORY
OBJECTS: Final = OBJECT_STORE_STATE_BACKEND_FACTORY
COMMITTED: Final = {b"a": b"1", b"b": b"2"}
READS_NEWEST: Final = {
    "task.checkpoint.read.versions": "2",
    "task.checkpoint.write.versions": "2",
    STOP_AFTER_FIRST_READ: "false",
}


class Job:
    """A task with one store and two backends."""

    def __init__(self, changelogs: KafkaChangelogs, job_name: str, base: Path) -> None:
        self.base: Final = base
        self.objects: Final = base / "objects"
        self.changelogs: Final = changelogs
        self.config: dict[str, str] = {
            "job.name": job_name,
            "stores.counts.factory": "F",
            "stores.counts.changelog": f"kafka.{job_name}-counts",
            "stores.backup.factories": f"{KAFKA},{OBJECTS}",
            "task.transactional.state.retain.existing.state": "false",
            **READS_NEWEST,
        }
        self.kafka: Final = KafkaChangelogStateBackendFactory({"kafka": changelogs})
        self.backends: Final[Mapping[str, StateBackendFactory]] = {
            KAFKA: self.kafka,
            OBJECTS: ObjectStoreStateBackendFactory(self.objects),
        }
        topic = MemoryEventLog(identify(checkpoint_stream_name(job_name)))
        self.checkpoints: Final = KafkaCheckpointManager(topic, config=READS_NEWEST)
        self.checkpoints.register(TASK)

    def task(self, host: str = "host") -> StatefulTask:
        task = StatefulTask(
            TASK,
            self.config,
            self.base / host,
            lambda name: DictStore(task.store_directory(name)),
            changelog_partition=0,
        )
        return task

    @contextmanager
    def opened(self) -> Iterator[KeyValueStore]:
        store = self.kafka.open_store(self.task(), "counts")
        yield store
        store.flush()
        store.close()

    def commit(self, number: int) -> CheckpointV2:
        with self.opened() as store:
            managers = {
                name: backend.get_backup_manager(self.task(), ["counts"]) for name, backend in self.backends.items()
            }
            commits = TaskStorageCommitManager(self.task(), {"counts": store}, managers)
            checkpoint_id = new_id(number)
            markers = commits.upload(checkpoint_id, commits.snapshot(checkpoint_id), Event())
        checkpoint = CheckpointV2(checkpoint_id, {IN: str(number)}, markers)
        self.checkpoints.write_checkpoint(TASK, checkpoint)
        return checkpoint

    def restoration(self, first: str, host: str = "host") -> TaskRestoration:
        others = [name for name in self.backends if name != first]
        self.config["stores.restore.factories"] = ",".join((first, *others))
        return TaskRestoration(self.task(host), ["counts"], self.backends, self.checkpoints)

    def entries(self, host: str = "host") -> Mapping[bytes, bytes]:
        return dict(self.task(host).open_store("counts").range())


def new_id(number: int) -> CheckpointId:
    """An id of now: changes of an old commit may be compacted."""
    return CheckpointId(int(time.time() * 1000), number)


@pytest.fixture
def job(changelogs: KafkaChangelogs, topics: Topics, job_name: str, tmp_path: Path) -> Iterator[Job]:
    topics.create(f"{job_name}-counts")
    job = Job(changelogs, job_name, tmp_path)
    with job.checkpoints:
        yield job


def write(job: Job, changes: Mapping[bytes, bytes | None]) -> None:
    with job.opened() as store:
        for key, value in changes.items():
            if value is None:
                store.delete(key)
            else:
                store.put(key, value)


def test_a_changelog_follows_a_store_that_was_restored_from_another_backend(job: Job) -> None:
    write(job, COMMITTED)
    job.commit(1)
    write(job, {b"a": b"lost", b"b": None, b"c": b"lost"})
    job.restoration(OBJECTS).restore()
    write(job, {b"d": b"4"})
    job.commit(2)
    job.restoration(KAFKA, "other").restore()
    assert job.entries("other") == {**COMMITTED, b"d": b"4"}


def test_a_new_changelog_gets_all_entries_of_a_store_that_was_restored_from_another_backend(job: Job) -> None:
    write(job, COMMITTED)
    write(job, {b"lost": b"1"})
    write(job, {b"lost": None})
    checkpoint = job.commit(1)
    objects = {OBJECTS: checkpoint.state_markers[OBJECTS]}
    job.checkpoints.write_checkpoint(TASK, CheckpointV2(new_id(2), {IN: "1"}, objects))
    write(job, {b"lost": b"2", b"a": b"lost"})
    job.restoration(KAFKA).restore()
    job.commit(3)
    job.restoration(KAFKA, "other").restore()
    assert job.entries("other") == COMMITTED


@pytest.mark.scenario("CSM-08")
def test_a_store_whose_snapshot_is_gone_is_restored_and_committed_again(
    job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    write(job, COMMITTED)
    checkpoint = job.commit(1)
    write(job, {b"a": b"lost"})
    delete_directory(job.objects)
    restored = job.restoration(OBJECTS).restore()
    assert job.entries() == COMMITTED
    assert isinstance(restored, CheckpointV2)
    assert restored.offsets == checkpoint.offsets
    assert restored.checkpoint_id is not None
    assert checkpoint.checkpoint_id is not None
    assert restored.checkpoint_id > checkpoint.checkpoint_id
    assert restored.state_markers.keys() == {KAFKA, OBJECTS}
    assert restored == job.checkpoints.read_last_checkpoint(TASK)
    assert f"state backend. Restoring it from {KAFKA}" in caplog.text
    job.restoration(OBJECTS, "other").restore()
    assert job.entries("other") == COMMITTED


def test_a_store_whose_only_snapshot_is_gone_is_not_restored(job: Job) -> None:
    write(job, COMMITTED)
    job.config["stores.backup.factories"] = OBJECTS
    checkpoint = job.commit(1)
    markers = {OBJECTS: checkpoint.state_markers[OBJECTS]}
    only = CheckpointV2(new_id(2), checkpoint.offsets, markers)
    job.checkpoints.write_checkpoint(TASK, only)
    delete_directory(job.objects)
    with pytest.raises(SnapshotDamaged, match="store 'counts' of task 'Partition 0'"):
        job.restoration(OBJECTS).restore()
    assert job.checkpoints.read_last_checkpoint(TASK) == only


def test_an_unknown_factory_is_named(job: Job) -> None:
    with pytest.raises(ConfigError, match="Store 'counts' of task 'Partition 0' has the unknown"):
        TaskRestoration(job.task(), ["counts"], {OBJECTS: job.backends[OBJECTS]}, job.checkpoints).restore()


def test_a_store_without_a_backup_starts_empty(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its files may have changes that were not committed, so that their input would be counted twice."""
    config = {"stores.side.side.inputs.processor.factory": "F"}
    kept, kept_last = (tmp_path / "cache" / f"Partition_0.{name}" for name in ("kept", "kept-last"))
    task = StatefulTask(TASK, config, tmp_path, lambda name: DictStore(task.store_directory(name)))
    names = ("cache", "never used", "side")
    checkpoints = KafkaCheckpointManager(MemoryEventLog(identify(checkpoint_stream_name("orders"))))
    checkpoints.register(TASK)
    with checkpoints:
        for value in (b"1", b"2", b"3"):
            for name in ("cache", "side"):
                store = task.open_store(name)
                store.put(b"count", value)
                store.flush()
            assert TaskRestoration(task, names, {}, checkpoints).restore() is None
            assert not task.store_directory("cache").exists()
            TaskRestoration(task, names, {}, checkpoints).restore()  # once more changes nothing
            assert dict(DictStore(kept).range()) == {b"count": b"1"}  # also if the task crashes again and again
        assert dict(DictStore(kept_last).range()) == {b"count": value}
    assert dict(task.open_store("side").range()) == {b"count": b"3"}
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 3
    assert warnings[0].startswith("Store 'cache' of task 'Partition 0' has no backup and starts empty.")
    assert [warnings[0].rpartition(" ")[2], warnings[2].rpartition(" ")[2]] == [f"{kept}.", f"{kept_last}."]


def test_a_store_whose_backup_the_checkpoint_does_not_name_starts_empty(
    job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    """A checkpoint of version 1 has no markers of an object store: the store got this backup after it was written."""
    del job.config["stores.counts.changelog"]
    job.config["stores.backup.factories"] = OBJECTS
    versions = {**READS_NEWEST, "task.checkpoint.read.versions": "2,1", "task.checkpoint.write.versions": "1,2"}
    job.config.update(versions)
    store = job.task().open_store("counts")
    store.put(b"a", b"not committed")
    store.flush()
    checkpoint = CheckpointV1({IN: "1"})
    checkpoints = KafkaCheckpointManager(MemoryEventLog(identify(checkpoint_stream_name("orders"))), config=versions)
    checkpoints.register(TASK)
    with checkpoints:
        checkpoints.write_checkpoint(TASK, checkpoint)
        assert TaskRestoration(job.task(), ["counts"], job.backends, checkpoints).restore() == checkpoint
    assert job.entries() == {}
    assert "Store 'counts' of task 'Partition 0' is not restored from its backup and starts empty." in caplog.text
    kept = job.task().store_directory("counts").with_name("Partition_0.kept")
    assert dict(DictStore(kept).range()) == {b"a": b"not committed"}
