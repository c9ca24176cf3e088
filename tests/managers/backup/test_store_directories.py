"""Directories of stores and of their checkpoints."""

from pathlib import Path

from eventlog.checkpoint import CheckpointId
from managers.backup.store_directories import (
    checkpoint_directories,
    checkpoint_directory,
    delete_directory,
    link_files,
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


def test_links_replace_what_a_directory_contains(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for directory in (source, target):
        directory.mkdir()
    (source / "new").write_text("new")
    (target / "old").write_text("old")
    link_files(source, target)
    assert [path.name for path in target.iterdir()] == ["new"]
    assert (target / "new").stat().st_ino == (source / "new").stat().st_ino
    delete_directory(target)
    delete_directory(target)
    assert (source / "new").read_text() == "new"
