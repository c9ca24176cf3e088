"""Directories of stores, and the files that say which commit they hold."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.errors import ConfigError
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
    ids = [CheckpointId(1_000_000_000_000 + millis, 12) for millis in range(3)]
    others = ("task", f"task-1-{ids[0]}", f"a task-{ids[0]}", f"task-0{ids[0]}", "task-7", "task-2026-12")
    for name in (*others, f"task-{ids[0]}", f"task-{ids[1]}"):
        (tmp_path / name).mkdir()
    (tmp_path / f"task-{ids[2]}").write_text("")
    assert dict(checkpoint_directories(tmp_path / "task")) == {each: tmp_path / f"task-{each}" for each in ids[:2]}
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
    for outside, task in ((store, "../t"), (store, ""), ("/s", "t"), (".", "t")):
        with pytest.raises(ConfigError, match=f"Store {outside!r} of task {task!r} has no directory below"):
            StatefulTask(task, config, tmp_path, lambda _: DictStore()).store_directory(outside)


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
