"""Backup and restoration with an object store: a local folder, and a server of the S3 protocol."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from managers.state.object_store_backend import FileDigests, ObjectStoreStateBackendFactory, StoreObjects
from managers.state.state_errors import InvalidMarker, SnapshotDamaged, StoreNotRestored
from managers.state.store_directories import checkpoint_directories, delete_directory
from tests.fixtures.state import OBJECTS, TASK, TaskWithStores

FOLDER: Final = "orders/1/Partition%200"
VALUE: Final = bytes(range(256)) * 40


class Task(TaskWithStores):
    """A task with stores in RocksDB, which an object store backs up."""

    def __init__(self, backend: ObjectStoreStateBackendFactory, base: Path) -> None:
        super().__init__(base, "orders", {OBJECTS: backend}, ("counts", "sums"))
        self.backend: Final = backend
        self.objects: Final = backend.objects(self.task, ["counts"])["counts"]
        self.open()
        self.write({b"a": VALUE})

    def lose_local_state(self) -> None:
        self.close()
        for name in self.names:
            delete_directory(self.directory(name).parent)


@pytest.fixture
def task(object_backend: ObjectStoreStateBackendFactory, tmp_path: Path) -> Iterator[Task]:
    task = Task(object_backend, tmp_path / "state")
    yield task
    task.close()


def test_only_new_files_are_uploaded(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    first = task.commit()
    put: list[str] = []
    write = StoreObjects.put

    def record(objects: StoreObjects, path: str, content: Path | bytes) -> None:
        put.append(str(content))
        write(objects, path, content)

    monkeypatch.setattr(StoreObjects, "put", record)
    task.write({b"b": VALUE})
    second = task.commit()
    assert sum(name.endswith(".sst") for name in put) == 1
    markers = [each.state_markers[OBJECTS] for each in (first, second)]
    assert markers[0]["counts"] != markers[1]["counts"]
    assert markers[0]["sums"] == markers[1]["sums"]  # an unchanged store keeps its marker
    task.lose_local_state()
    told = task.restore(second)
    assert (task.entries("counts"), task.entries("sums")) == ({b"a": VALUE, b"b": VALUE}, {})
    last = [each for each in told if each.store_name == "counts"][-1]
    assert (last.task_name, last.restored, last.unit) == (TASK, last.total, "bytes")


def test_a_link_in_a_snapshot_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "CURRENT").symlink_to("/etc/hostname")
    with pytest.raises(ValueError, match="CURRENT is not a regular file"):
        FileDigests().snapshot(store)


def test_the_next_commit_deletes_what_is_orphaned(task: Task) -> None:
    checkpoint = task.commit()
    kept = task.objects.listed().keys()
    for number in range(3):
        task.write({b"%d" % number: VALUE})
        task.upload()  # without a checkpoint
    assert kept < task.objects.listed().keys()
    assert checkpoint.checkpoint_id is not None
    task.commits.clean_up(checkpoint.checkpoint_id, checkpoint.state_markers)
    assert task.objects.listed().keys() == kept
    task.lose_local_state()
    task.restore(checkpoint)
    assert task.entries() == {b"a": VALUE}


def test_local_files_of_the_same_commit_are_used(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = task.commit()
    monkeypatch.setattr(StoreObjects, "get_file", None)
    task.restore(checkpoint)
    assert task.entries() == {b"a": VALUE}


@pytest.mark.parametrize("is_missing", [True, False])
@pytest.mark.parametrize("part", ["objects", "snapshots"])
def test_a_damaged_object_is_named(task: Task, is_missing: bool, part: str) -> None:
    checkpoint = task.commit()
    path = next(each for each in task.objects.listed() if each.startswith(part))
    task.lose_local_state()
    if is_missing:
        task.objects.delete(path)
    else:
        task.objects.put(path, b"[]")
    with pytest.raises(SnapshotDamaged, match="is missing" if is_missing else "was changed") as caught:
        task.restore(checkpoint)
    error = caught.value
    assert (error.task_name, error.store_name, error.object_path) == (TASK, "counts", f"{FOLDER}/counts/{path}")
    assert not task.directory("counts").exists()


@pytest.mark.parametrize(
    "marker",
    [
        f"{FOLDER}/sums/{'0' * 64}",
        f"orders/1/Partition%201/counts/{'0' * 64}",
        "1;kafka;counts;0;5",
        f"{FOLDER}/counts/{'../' * 21}x",
    ],
)
def test_a_marker_of_another_store_is_rejected(task: Task, marker: str) -> None:
    with pytest.raises(InvalidMarker, match="store 'counts' of task 'Partition 0' is invalid") as caught:
        task.restore(CheckpointV2(CheckpointId(1, 0), {}, {OBJECTS: {"counts": marker}}))
    assert f"{marker!r} is not the id of a snapshot in {FOLDER}/counts" in str(caught.value)


@pytest.mark.scenario("HRD-48")
def test_markers_of_removed_stores_are_not_looked_up(task: Task) -> None:
    checkpoint = task.commit()
    removed = {OBJECTS: {**checkpoint.state_markers[OBJECTS], "removed": "gone"}}
    task.commits.init(CheckpointV2(checkpoint.checkpoint_id, {}, removed))
    task.commits.clean_up(CheckpointId(1, 0), removed)
    task.lose_local_state()
    task.restore(CheckpointV2(checkpoint.checkpoint_id, {}, removed))
    assert task.entries() == {b"a": VALUE}


def test_an_incomplete_restoration_leaves_the_store_as_it_was(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = task.commit()
    task.write({b"b": b""})
    for _, directory in list(checkpoint_directories(task.directory("counts"))):
        delete_directory(directory)

    def fail(*_: Any) -> None:
        raise OSError("The disk is full.")

    monkeypatch.setattr(StoreObjects, "get_file", fail)
    with pytest.raises(StoreNotRestored, match="The disk is full"):
        task.restore(checkpoint)
    task.open()
    assert task.entries().keys() == {b"a", b"b"}
    assert [*task.directory("counts").parent.iterdir()] == [task.directory("counts")]
