"""Directories of stores and of their checkpoints."""

from pathlib import Path

from eventlog.checkpoint import CheckpointId
from managers.state.store_directories import (
    checkpoint_directories,
    checkpoint_directory,
    delete_directory,
    store_directory,
)


def test_spaces_become_underscores() -> None:
    directory = store_directory(Path("/state dir"), "page views", "Partition 0")
    assert directory == Path("/state dir/page_views/Partition_0")


def test_a_checkpoint_is_beside_its_store() -> None:
    directory = checkpoint_directory(Path("/state/store/Partition_0.1"), CheckpointId(7, 12))
    assert directory == Path("/state/store/Partition_0.1-7-12")


def test_only_checkpoints_of_the_same_task_are_listed(tmp_path: Path) -> None:
    for name in ("task", "task-7-12", "task-8-1", "task-1-7-12", "a task-7-12", "task-007-12", "task-7"):
        (tmp_path / name).mkdir()
    (tmp_path / "task-9-9").write_text("")
    found = dict(checkpoint_directories(tmp_path / "task"))
    assert found == {CheckpointId(7, 12): tmp_path / "task-7-12", CheckpointId(8, 1): tmp_path / "task-8-1"}
    assert dict(checkpoint_directories(tmp_path / "absent" / "task")) == {}


def test_a_directory_is_deleted_if_it_exists(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    directory.mkdir()
    (directory / "file").write_text("")
    delete_directory(directory)
    delete_directory(directory)
    assert not directory.exists()
