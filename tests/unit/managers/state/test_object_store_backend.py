"""Backup and restoration with an object store: a local folder, and a server of the S3 protocol."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from managers.state.key_value_store import KeyValueStore, RocksDbStore
from managers.state.object_store import FileDigests, StoredObject, StoreSnapshot
from managers.state.object_store_backend import OBJECT_STORE_STATE_BACKEND_FACTORY, ObjectStoreStateBackendFactory
from managers.state.state_backend import RestoreProgress, StatefulTask
from managers.state.state_errors import InvalidMarker, SnapshotDamaged
from managers.state.store_directories import checkpoint_directories, delete_directory
from tests.fixtures.waiting import wait_until

TASK: Final = "Partition 0"
FACTORY: Final = OBJECT_STORE_STATE_BACKEND_FACTORY
CONFIG: Final = {"job.name": "orders"}
FOLDER: Final = "orders/1/Partition%200"
VALUE: Final = bytes(range(256)) * 40


@dataclass
class Job:
    """A task with RocksDB stores, committed to an object store without a checkpoint log."""

    backend: ObjectStoreStateBackendFactory
    base: Path
    stores: dict[str, KeyValueStore] = field(default_factory=dict)
    commits: int = 0

    def __post_init__(self) -> None:
        self.task = StatefulTask(TASK, CONFIG, self.base, lambda name: RocksDbStore(self.task.store_directory(name)))
        self.manager = self.backend.get_backup_manager(self.task, ["counts", "sums"])
        self.objects = self.backend._objects

    def open(self) -> "Job":
        self.stores = {name: self.task.open_store(name) for name in ("counts", "sums")}
        return self

    def close(self) -> None:
        for store in self.stores.values():
            store.close()

    def upload(self, cancelled: Event | None = None) -> CheckpointV2:
        self.commits += 1
        commit = CheckpointId(self.commits, 0)
        for store in self.stores.values():
            store.flush()
            store.checkpoint(commit)
        markers = self.manager.upload(commit, self.manager.snapshot(commit), cancelled or Event())
        return CheckpointV2(commit, {}, {FACTORY: markers})

    def commit(self) -> CheckpointV2:
        checkpoint = self.upload()
        assert checkpoint.checkpoint_id is not None
        self.manager.clean_up(checkpoint.checkpoint_id, checkpoint.state_markers[FACTORY])
        return checkpoint

    def restore(self, checkpoint: CheckpointV1 | CheckpointV2 | None) -> list[RestoreProgress]:
        told: list[RestoreProgress] = []
        manager = self.backend.get_restore_manager(self.task, ["counts", "sums"])
        manager.init(checkpoint)
        manager.restore(told.append)
        manager.close()
        return told

    def lose_local_state(self) -> None:
        self.close()
        for name in ("counts", "sums"):
            delete_directory(self.task.store_directory(name).parent)

    def entries(self) -> dict[str, dict[bytes, bytes]]:
        self.open()
        found = {name: dict(store.range()) for name, store in self.stores.items()}
        self.close()
        return found

    def listed(self, store: str = "counts") -> dict[str, StoredObject]:
        return self.objects.listed(f"{FOLDER}/{store}")


@pytest.fixture
def job(object_backend: ObjectStoreStateBackendFactory, tmp_path: Path) -> Job:
    job = Job(object_backend, tmp_path / "state").open()
    job.stores["counts"].put(b"a", VALUE)
    return job


def test_only_new_files_are_uploaded(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    first = job.commit()
    before = job.listed()
    put: list[str] = []
    write = job.objects.put

    def record(path: str, content: Path | bytes) -> None:
        put.append(str(content))
        write(path, content)

    monkeypatch.setattr(job.objects, "put", record)
    job.stores["counts"].put(b"b", VALUE)
    second = job.commit()
    assert sum(name.endswith(".sst") for name in put) == 1
    markers = [each.state_markers[FACTORY] for each in (first, second)]
    assert markers[0]["counts"] != markers[1]["counts"]
    assert markers[0]["sums"] == markers[1]["sums"]  # an unchanged store keeps its marker
    assert job.listed().keys() & before.keys()
    job.lose_local_state()
    told = job.restore(second)
    assert job.entries() == {"counts": {b"a": VALUE, b"b": VALUE}, "sums": {}}
    last = [each for each in told if each.store_name == "counts"][-1]
    assert (last.task_name, last.restored, last.unit) == (TASK, last.total, "bytes")


def test_a_link_in_a_snapshot_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "CURRENT").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="CURRENT is not a regular file"):
        FileDigests().snapshot(store)


def test_the_next_commit_deletes_what_is_orphaned(job: Job) -> None:
    for number in range(3):
        job.stores["counts"].put(b"%d" % number, VALUE)
        job.upload()  # without a checkpoint
    checkpoint = job.commit()
    listed = job.listed()
    marker = checkpoint.state_markers[FACTORY]["counts"]
    digest = marker.rpartition("/")[2]
    snapshot = StoreSnapshot.parse(job.objects.get_bytes(f"{FOLDER}/counts/snapshots/{digest}"))
    assert listed.keys() == {f"snapshots/{digest}", *(f"objects/{each.digest}" for each in snapshot.files.values())}
    job.lose_local_state()
    job.restore(checkpoint)
    assert job.entries()["counts"].keys() == {b"a", b"0", b"1", b"2"}


def test_local_files_of_the_same_commit_are_used(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = job.commit()
    job.close()
    monkeypatch.setattr(job.objects, "get", None)
    job.restore(checkpoint)
    assert job.entries()["counts"] == {b"a": VALUE}


@pytest.mark.parametrize("is_missing", [True, False])
@pytest.mark.parametrize("part", ["objects", "snapshots"])
def test_a_damaged_object_is_named(job: Job, is_missing: bool, part: str) -> None:
    checkpoint = job.commit()
    path = next(f"{FOLDER}/counts/{each}" for each in job.listed() if each.startswith(part))
    job.lose_local_state()
    if is_missing:
        job.objects.delete(path)
    else:
        job.objects.put(path, b"[]")
    with pytest.raises(SnapshotDamaged) as caught:
        job.restore(checkpoint)
    error = caught.value
    assert (error.task_name, error.store_name, error.object_path) == (TASK, "counts", path)
    assert ("is missing" if is_missing else "was changed") in str(error)
    assert not job.task.store_directory("counts").exists()


def test_a_changed_object_is_found_and_written_again(job: Job) -> None:
    checkpoint = job.commit()
    assert list(job.backend.verify(job.task, checkpoint)) == []
    listed = job.listed()
    path, size = next((path, of.size) for path, of in listed.items() if path.startswith("objects") and of.size > 1)
    changed = f"{FOLDER}/counts/{path}"

    def is_newer() -> bool:  # S3 has times of whole seconds
        job.objects.put(changed, bytes(size))
        return all(each.modified < job.listed()[path].modified for each in listed.values())

    wait_until(is_newer, what="a later second")
    (error,) = job.backend.verify(job.task, checkpoint)
    assert isinstance(error, SnapshotDamaged)
    assert error.object_path == changed
    assert job.commit().state_markers == checkpoint.state_markers
    assert list(job.backend.verify(job.task, checkpoint)) == []


@pytest.mark.parametrize(
    "marker",
    [
        f"{FOLDER}/sums/{'0' * 64}",
        f"orders/1/Partition%201/counts/{'0' * 64}",
        "1;kafka;counts;0;5",
        f"{FOLDER}/counts/{'../' * 21}x",
    ],
)
def test_a_marker_of_another_store_is_rejected(job: Job, marker: str) -> None:
    job.close()
    with pytest.raises(InvalidMarker, match="store 'counts' of task 'Partition 0' is invalid") as caught:
        job.restore(CheckpointV2(CheckpointId(1, 0), {}, {FACTORY: {"counts": marker}}))
    assert f"{marker!r} is not the id of a snapshot in {FOLDER}/counts" in str(caught.value)


@pytest.mark.scenario("HRD-48")
def test_markers_of_removed_stores_are_not_looked_up(job: Job) -> None:
    checkpoint = job.commit()
    removed = {**checkpoint.state_markers[FACTORY], "removed": "gone"}
    job.manager.init(CheckpointV2(checkpoint.checkpoint_id, {}, {FACTORY: removed}))
    job.manager.clean_up(CheckpointId(1, 0), removed)
    job.lose_local_state()
    job.restore(CheckpointV2(checkpoint.checkpoint_id, {}, {FACTORY: removed}))
    assert job.entries()["counts"] == {b"a": VALUE}


def test_an_incomplete_restoration_leaves_the_store_as_it_was(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = job.commit()
    job.stores["counts"].put(b"b", b"")
    job.close()
    for _, directory in list(checkpoint_directories(job.task.store_directory("counts"))):
        delete_directory(directory)

    def fail(*_: Any) -> None:
        raise OSError("The disk is full.")

    with monkeypatch.context() as broken:
        broken.setattr(job.objects, "get", fail)
        with pytest.raises(OSError, match="The disk is full"):
            job.restore(checkpoint)
    assert job.entries()["counts"].keys() == {b"a", b"b"}
    assert {path.name for path in job.task.store_directory("counts").parent.iterdir()} == {"Partition_0"}
