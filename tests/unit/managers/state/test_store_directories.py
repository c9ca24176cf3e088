"""Directories of stores, and the files that say which commit they hold."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.partition import SystemStreamPartition
from managers.state.key_value_store import DictStore
from managers.state.state_backend import StatefulTask
from managers.state.store_directories import (
    CHECKPOINT_FILE,
    OFFSET_FILE,
    checkpoint_directories,
    delete_directory,
    read_checkpoint_file,
    read_offset,
    write_checkpoint_file,
    write_offset,
)


def test_only_checkpoints_of_the_same_task_are_listed(tmp_path: Path) -> None:
    for name in ("task", "task-7-12", "task-8-1", "task-1-7-12", "a task-7-12", "task-007-12", "task-7"):
        (tmp_path / name).mkdir()
    (tmp_path / "task-9-9").write_text("")
    found = dict(checkpoint_directories(tmp_path / "task"))
    assert found == {CheckpointId(7, 12): tmp_path / "task-7-12", CheckpointId(8, 1): tmp_path / "task-8-1"}
    assert dict(checkpoint_directories(tmp_path / "absent" / "task")) == {}


@pytest.mark.parametrize(
    ("store", "key"), [("logged", "job.logged.store.base.dir"), ("other", "job.non-logged.store.base.dir")]
)
def test_config_says_where_stores_with_and_without_a_backup_are(tmp_path: Path, store: str, key: str) -> None:
    config = {"stores.logged.changelog": "kafka.changes"}

    def directory(more: dict[str, str]) -> Path:
        return StatefulTask("Partition 0", {**config, **more}, tmp_path, lambda _: DictStore()).store_directory(store)

    assert directory({}) == tmp_path / store / "Partition_0"
    assert directory({key: "/elsewhere"}) == Path("/elsewhere") / store / "Partition_0"


CHANGELOG: Final = SystemStreamPartition("kafka", "changelog", 0)


def test_a_damaged_checkpoint_or_offset_is_unknown(tmp_path: Path) -> None:
    assert (read_checkpoint_file(tmp_path), read_offset(tmp_path, CHANGELOG)) == (None, None)
    checkpoint = CheckpointV2(CheckpointId(1, 2), {CHANGELOG: "5"}, {})
    write_checkpoint_file(tmp_path, checkpoint)
    assert read_checkpoint_file(tmp_path) == checkpoint
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"{}")
    (tmp_path / OFFSET_FILE).write_bytes(b'{"kafka.changelog.0":5}')
    assert (read_checkpoint_file(tmp_path), read_offset(tmp_path, CHANGELOG)) == (None, None)


def test_what_is_left_of_a_directory_after_a_crash_is_not_taken_for_a_whole_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_offset(tmp_path, CHANGELOG, "5")
    write_checkpoint_file(tmp_path, CheckpointV2(CheckpointId(1, 2), {}, {}))
    monkeypatch.setattr(shutil, "rmtree", lambda _: None)
    delete_directory(tmp_path)
    assert [*tmp_path.iterdir()] == []
