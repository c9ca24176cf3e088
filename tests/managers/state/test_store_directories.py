"""Directories of stores and of their checkpoints."""

from pathlib import Path

from eventlog.checkpoint import CheckpointId
from managers.state.store_directories import (
    checkpoint_directories,
)


def test_only_checkpoints_of_the_same_task_are_listed(tmp_path: Path) -> None:
    for name in ("task", "task-7-12", "task-8-1", "task-1-7-12", "a task-7-12", "task-007-12", "task-7"):
        (tmp_path / name).mkdir()
    (tmp_path / "task-9-9").write_text("")
    found = dict(checkpoint_directories(tmp_path / "task"))
    assert found == {CheckpointId(7, 12): tmp_path / "task-7-12", CheckpointId(8, 1): tmp_path / "task-8-1"}
    assert dict(checkpoint_directories(tmp_path / "absent" / "task")) == {}
