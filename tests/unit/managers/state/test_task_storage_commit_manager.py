"""The steps of a commit that concern a task's stores, with several backends."""

import logging
from pathlib import Path
from threading import Event
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.partition import SystemStreamPartition
from managers.state.key_value_store import DictStore
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import CommitFailed
from managers.state.store_directories import CHECKPOINT_FILE, read_checkpoint_file
from managers.state.task_storage import TaskStorageCommitManager
from tests.unit.managers.state.recording_backup_manager import RecordingBackupManager, fail, no_opener

TASK: Final = "Partition 0"
ID: Final = CheckpointId(7, 12)
IN: Final = SystemStreamPartition("kafka", "in", 0)
CHECKPOINT: Final = CheckpointV2(ID, {IN: "4"}, {"factory1": {"store1": "5"}})
KAFKA: Final = {"store1": "system;stream;1", "store2": "system;stream;2"}
BLOBS: Final = {"store1": "blobId1", "store2": "blobId2"}
CONFIG: Final = {
    "stores.LP.changelog": "kafka.lp",
    "stores.LI.backup.factories": "factory1",
    "task.checkpoint.read.versions": "2,1",
}


class RecordingStore(DictStore):
    """Records its flushes and checkpoints."""

    def __init__(self, name: str, calls: list[tuple[object, ...]], directory: Path | None = None) -> None:
        super().__init__(directory)
        self._name, self._calls = name, calls

    def flush(self) -> None:
        self._calls.append((self._name, "flush"))
        super().flush()

    def checkpoint(self, checkpoint_id: CheckpointId) -> Path | None:
        self._calls.append((self._name, "checkpoint"))
        return super().checkpoint(checkpoint_id)


class Task:
    """A task with a durable (L) and a temporary store on disk (P), and both in memory (I), and two backends."""

    def __init__(self, base: Path) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.task = StatefulTask(TASK, CONFIG, base, no_opener)
        self.one = RecordingBackupManager("factory1", KAFKA, self.calls)
        self.two = RecordingBackupManager("factory2", BLOBS, self.calls)
        on_disk = {name: RecordingStore(name, self.calls, self.task.store_directory(name)) for name in ("LP", "P")}
        self.stores = {**on_disk, **{name: RecordingStore(name, self.calls) for name in ("LI", "I")}}
        self.manager = TaskStorageCommitManager(self.task, self.stores, {"factory1": self.one, "factory2": self.two})


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


@pytest.mark.scenario("TCM-01")
def test_all_backends_start_after_the_last_checkpoint(task: Task) -> None:
    for checkpoint in (CHECKPOINT, None):
        task.manager.init(checkpoint)
    assert task.one.of("init") == task.two.of("init") == [(CHECKPOINT,), (None,)]


@pytest.mark.scenario("TCM-02")
def test_every_backend_gets_its_own_markers(task: Task) -> None:
    snapshot = task.manager.snapshot(ID)
    markers = task.manager.upload(ID, snapshot, Event())
    assert snapshot == markers == {"factory1": KAFKA, "factory2": BLOBS}
    assert (task.one.of("upload"), task.two.of("upload")) == ([(ID, KAFKA)], [(ID, BLOBS)])


@pytest.mark.scenario("TCM-03")
def test_all_stores_are_flushed_before_the_durable_ones_on_disk_are_kept(task: Task) -> None:
    task.manager.snapshot(ID)
    flushes = [(name, "flush") for name in ("LP", "P", "LI", "I")]
    assert task.calls == [*flushes, ("LP", "checkpoint"), ("factory1", "snapshot", ID), ("factory2", "snapshot", ID)]


@pytest.mark.scenario("TCM-04")
def test_no_backend_is_called_after_a_store_failed(task: Task) -> None:
    directory = task.task.store_directory("LP")
    directory.with_name(f"{directory.name}-{ID}").write_text("in the way")
    with pytest.raises(CommitFailed) as caught:
        task.manager.snapshot(ID)
    error = caught.value
    assert (error.task_name, error.store_name, error.factory, error.step) == (TASK, "LP", None, "snapshot")
    assert str(error).startswith("Commit 7-12 of task 'Partition 0' failed in step 'snapshot', store 'LP': ")
    assert str(error).endswith("The task's last checkpoint is unchanged; commit again.")
    assert task.one.of("snapshot") == task.two.of("snapshot") == []


@pytest.mark.scenario("TCM-05")
def test_markers_of_other_backends_are_not_cleaned_up(task: Task, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        task.manager.clean_up(ID, {"factory1": KAFKA, "factory2": BLOBS, "factory3": {"store1": "x"}})
    assert (task.one.of("clean up"), task.two.of("clean up")) == ([(ID, KAFKA)], [(ID, BLOBS)])
    assert "factory3" in caplog.text


@pytest.mark.scenario("TCM-20")
def test_the_checkpoint_is_written_beside_durable_stores_on_disk(task: Task) -> None:
    task.manager.snapshot(ID)
    task.manager.write_checkpoint_to_store_directories(CHECKPOINT)
    directory = task.task.store_directory("LP")
    written = sorted(task.task.base_directory.rglob(CHECKPOINT_FILE))
    assert written == [directory / CHECKPOINT_FILE, directory.with_name(f"{directory.name}-{ID}") / CHECKPOINT_FILE]
    assert {read_checkpoint_file(path.parent) for path in written} == {CHECKPOINT}
    task.manager.write_checkpoint_to_store_directories(CheckpointV1({IN: "4"}))
    assert sorted(task.task.base_directory.rglob("*-V2")) == written


def test_all_backends_are_cleaned_up_and_closed_though_one_fails(task: Task) -> None:
    task.one.during.update({"clean up": fail, "close": fail})
    task.manager.snapshot(CheckpointId(1, 0))
    with pytest.raises(CommitFailed, match="'clean up', state backend factory1: The disk is full"):
        task.manager.clean_up(ID, {"factory1": KAFKA, "factory2": BLOBS})
    assert task.two.of("clean up") == [(ID, BLOBS)]
    assert not list(task.task.base_directory.rglob("*-1-0"))
    with pytest.raises(OSError, match="The disk is full"):
        task.manager.close()
    assert task.two.of("close") == [()]
