"""Stores are restored from their changelogs, on a real broker."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV2
from eventlog.events import NewEvent
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from managers.state.key_value_store import DICT_STORE_FILE, DictStore, KeyValueStore, RocksDbStore
from managers.state.state_backend import RestoreProgress
from managers.state.state_errors import InvalidMarker, StoreNotBackedUp, StoreNotRestored
from managers.state.store_directories import (
    checkpoint_directories,
    checkpoint_directory,
    delete_directory,
    read_offset,
)
from tests.fixtures.changelogs import TaskMaker
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics
from tests.fixtures.managers.state.logged_task import (
    NOT_TRANSACTIONAL,
    TASK,
    TRANSACTIONAL,
    LoggedTask,
    as_version_1,
    with_classes,
)

COMMITTED: Final = {b"a": b"1", b"b": b"2", b"c": b"3"}
UNCOMMITTED: Final = {b"a": b"changed", b"b": None, b"new": b"4"}


def lose_directories(task: LoggedTask) -> None:
    """What a restart on another host finds."""
    for path in [task.directory(), *(path for _, path in checkpoint_directories(task.directory()))]:
        for file in path.iterdir():
            file.unlink()
        path.rmdir()


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("read", [as_version_1, lambda written: written, with_classes])
def test_uncommitted_changes_are_reverted(
    make_task: TaskMaker, in_memory: bool, is_lost: bool, read: Callable[[CheckpointV2], Checkpoint]
) -> None:
    task = make_task(in_memory=in_memory)
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.write(UNCOMMITTED)
    if is_lost and not in_memory:
        lose_directories(task)
    restarted = make_task(in_memory=in_memory)
    restarted.restore(read(checkpoint))
    assert restarted.entries() == COMMITTED
    again = make_task(in_memory=True)
    again.restore(restarted.commit())
    assert again.entries() == COMMITTED  # the changelog has the reverted values


def test_the_last_commit_is_restored_from_its_local_checkpoint(make_task: TaskMaker) -> None:
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    (progress,) = make_task().restore(checkpoint)
    assert progress == RestoreProgress(TASK, "orders", 0, 0, "records")


def test_a_half_deleted_local_checkpoint_is_not_used(make_task: TaskMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task()
    task.write(COMMITTED)
    old = task.commit(checkpoint_id=CheckpointId(int(time.time() * 1000) - 1000, 1))
    checkpoint = task.commit()  # at the same offset

    def die(path: Path) -> None:
        (path / DICT_STORE_FILE).unlink()
        raise InterruptedError

    assert old.checkpoint_id is not None
    with monkeypatch.context() as killed:
        killed.setattr(shutil, "rmtree", die)
        with pytest.raises(InterruptedError):
            delete_directory(checkpoint_directory(task.directory(), old.checkpoint_id))
    restarted = make_task()
    restarted.restore(checkpoint)
    assert restarted.entries() == COMMITTED


@pytest.mark.parametrize("is_restored_elsewhere", [False, True])
def test_changes_that_were_not_written_are_forgotten(make_task: TaskMaker, is_restored_elsewhere: bool) -> None:
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.stores["orders"].put(b"kept", b"but not flushed")
    if is_restored_elsewhere:  # the store is that of the checkpoint
        task.stores["orders"].delete(b"a")
        match(task, checkpoint)
    else:
        task.restore(checkpoint)
    again = make_task(in_memory=True)
    again.restore(task.commit())
    assert again.entries() == COMMITTED


def test_entries_whose_deletion_was_compacted_are_written_again(make_task: TaskMaker) -> None:
    task = make_task(clock=lambda: datetime.now(UTC) + timedelta(days=2))
    task.write({b"a": b"1"})  # what compaction left
    checkpoint = task.commit(checkpoint_id=CheckpointId(int(time.time() * 1000), 1))
    match(task, checkpoint)
    again = make_task(in_memory=True)
    again.restore(task.commit(checkpoint_id=CheckpointId(int(time.time() * 1000), 2)))
    assert again.entries() == COMMITTED


def match(task: LoggedTask, checkpoint: Checkpoint) -> None:
    """Make the changelog equal to a store with the committed entries."""
    store = DictStore()
    for key, value in COMMITTED.items():
        store.put(key, value)
    manager = task.factory.get_restore_manager(replace(task.task, open_store=lambda _: store), ["orders"])
    manager.init(checkpoint)
    manager.match()


def test_a_changelog_that_became_shorter_is_not_committed(make_task: TaskMaker, topics: Topics) -> None:
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    stream = task.partition().stream
    topics.delete(stream)
    topics.create(stream, partitions=2)
    task.write({b"x": b"1"})
    with pytest.raises(StoreNotBackedUp, match="ended at offset 2 before, but now ends at offset 0"):
        task.commit()
    restarted = make_task()
    restarted.restore(checkpoint)
    restarted.commit()  # a restart accepts what is left
    assert restarted.entries() == {b"x": b"1"}


@pytest.mark.parametrize("is_created_again", [False, True])
def test_a_changelog_that_lost_all_changes_is_not_taken_for_empty(
    make_task: TaskMaker, topics: Topics, job_name: str, is_created_again: bool
) -> None:
    topics.create(f"{job_name}-orders", COMPACTED_AND_DELETED, partitions=2)
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    stream = task.partition().stream
    if is_created_again:
        topics.delete(stream)
        topics.create(stream, partitions=2)
    else:
        topics.delete_before(stream, 3, partition=1)
    end = 0 if is_created_again else 3
    expected = f"'orders' of task 'Partition 0' .* offset 2 of its changelog .* empty and continues at offset {end}"
    with pytest.raises(StoreNotRestored, match=expected):
        make_task().restore(checkpoint)
    assert dict(DictStore(task.directory()).range()) == COMMITTED


@pytest.mark.scenario("CSM-04")
@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL, {}])
def test_the_directories_of_a_task_without_a_checkpoint_are_deleted(
    make_task: TaskMaker, config: dict[str, str]
) -> None:
    task = make_task(config=config)
    task.write(COMMITTED)
    task.commit()
    (task.directory() / "stray").touch()
    restarted = make_task(config=config)
    restarted.restore(None)
    assert not (restarted.directory() / "stray").exists()
    assert [*checkpoint_directories(restarted.directory())] == []
    assert restarted.entries() == ({} if config == TRANSACTIONAL else COMMITTED)


def test_state_that_is_not_transactional_is_restored_to_the_end(make_task: TaskMaker) -> None:
    task = make_task(config=NOT_TRANSACTIONAL)
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.write(UNCOMMITTED)
    for lose in (False, True):
        if lose:
            lose_directories(task)
        restarted = make_task(config=NOT_TRANSACTIONAL)
        (*_, last) = restarted.restore(checkpoint)
        assert restarted.entries() == {b"a": b"changed", b"c": b"3", b"new": b"4"}
        assert last.total == (6 if lose else 3)


@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])
def test_local_files_are_kept_if_the_changelog_lost_their_offset(
    make_task: TaskMaker, topics: Topics, config: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    directory = make_task(config=config).directory()
    first, last = (directory.with_name(f"Partition_0.{name}") for name in ("kept", "kept-last"))
    for kept, entries in ((first, COMMITTED), (last, {**COMMITTED, b"d": b"4"})):
        task = make_task(config=config)
        task.write(entries)
        checkpoint = task.commit()
        topics.delete(task.partition().stream)
        restarted = make_task(config=config)
        topics.write(task.partition().stream, [NewEvent(b"z", b"0")], partition=1)
        restarted.restore(checkpoint)
        assert restarted.entries() == {b"z": b"0"}
        assert entries.items() <= dict(DictStore(kept).range()).items()
    assert f"its changelog lost offset 4. The local files with that offset are kept in {last}" in caplog.text


@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])
@pytest.mark.parametrize(
    ("before", "damaged", "after"),
    [
        (DictStore, "", RocksDbStore),
        (RocksDbStore, "", DictStore),
        (DictStore, DICT_STORE_FILE, DictStore),
        (RocksDbStore, "*.sst", RocksDbStore),
    ],
)
def test_a_directory_that_is_damaged_or_of_another_kind_of_store_is_not_used(
    make_task: TaskMaker,
    before: Callable[[Path], KeyValueStore],
    damaged: str,
    after: Callable[[Path], KeyValueStore],
    config: dict[str, str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    task = make_task(config=config, open_directory=before)
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.stores["orders"].close()
    for path in task.directory().parent.glob(f"*/{damaged}") if damaged else ():
        os.truncate(path, path.stat().st_size - 1)
    base = task.task.base_directory
    restarted = LoggedTask(task.changelogs, base, task.job_name, config=config, open_directory=after)
    restarted.restore(checkpoint)
    assert restarted.entries() == COMMITTED
    assert "Restoring it from the beginning of its changelog." in caplog.text
    restarted.stores["orders"].close()


@pytest.mark.scenario("HRD-50")
def test_an_old_commit_is_restored_to_the_end(make_task: TaskMaker, caplog: pytest.LogCaptureFixture) -> None:
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.write(UNCOMMITTED)
    restarted = make_task(clock=lambda: datetime.now(UTC) + timedelta(hours=4))
    restarted.restore(checkpoint)
    assert restarted.entries() == {b"a": b"changed", b"c": b"3", b"new": b"4"}
    assert "older than min.compaction.lag.ms, so it is restored to the end of the changelog" in caplog.text


def test_directories_are_deleted_if_config_says_so(make_task: TaskMaker) -> None:
    task = make_task()
    task.write(COMMITTED)
    checkpoint = task.commit()
    task.write(UNCOMMITTED)
    restarted = make_task(config={**TRANSACTIONAL, "stores.orders.clean.on.container.start": "true"})
    (*_, last) = restarted.restore(checkpoint)
    assert restarted.entries() == COMMITTED
    assert last.total == 6


def test_a_marker_of_another_changelog_is_refused(make_task: TaskMaker) -> None:
    task = make_task()
    task.write(COMMITTED)
    other = KafkaStateCheckpointMarker(SystemStreamPartition("kafka", "other", 1), "2").serialise()
    for marker, problem in ((other, "it is that of kafka.other.1, but the store's changelog is"), ("{", "is invalid")):
        checkpoint = CheckpointV2(CheckpointId(1, 1), {}, {KAFKA_STATE_BACKEND_FACTORY: {"orders": marker}})
        with pytest.raises(InvalidMarker, match=f"store 'orders' of task 'Partition 0'.*{problem}"):
            task.restore(checkpoint)
    assert task.entries() == COMMITTED


@pytest.mark.scenario("TCM-08", "TCM-19", "SCM-11")
def test_the_newest_offset_is_the_marker(make_task: TaskMaker, topics: Topics) -> None:
    task = make_task("orders", "empty")
    task.write(COMMITTED)
    markers = task.backup.snapshot(CheckpointId(1, 1))
    assert {store: KafkaStateCheckpointMarker.parse(marker).offset for store, marker in markers.items()} == {
        "orders": "2",
        "empty": None,
    }
    topics.delete(task.partition("empty").stream)
    with pytest.raises(StoreNotBackedUp, match="store 'empty'"):
        task.backup.snapshot(CheckpointId(1, 2))


@pytest.mark.scenario("TCM-19")
def test_an_unknown_offset_is_not_that_of_an_empty_changelog(make_task: TaskMaker, tmp_path: Path) -> None:
    nobody = KafkaOptions.parse("127.0.0.1:1")
    with KafkaChangelogs(nobody) as changelogs:
        backup = LoggedTask(changelogs, tmp_path, "job").backup
        with pytest.raises(StoreNotBackedUp, match="does not answer"):
            backup.snapshot(CheckpointId(1, 1))


@pytest.mark.scenario("TCM-20")
@pytest.mark.parametrize("is_transactional", [True, False])
def test_offset_files_are_written_for_stores_on_disk(make_task: TaskMaker, is_transactional: bool) -> None:
    task = make_task(config={"task.transactional.state.checkpoint.enabled": str(is_transactional)})
    task.write(COMMITTED)
    checkpoint = task.commit()
    ((_, copy),) = checkpoint_directories(task.directory())
    found = [read_offset(path, task.partition()) for path in (task.directory(), copy)]
    assert found == ["2", "2" if is_transactional else None]
    assert checkpoint.checkpoint_id is not None
    empty = KafkaStateCheckpointMarker(task.partition(), None).serialise()
    task.backup.persist_to_filesystem(checkpoint.checkpoint_id, {"orders": empty})
    assert read_offset(task.directory(), task.partition()) is None
    in_memory = make_task("memory", in_memory=True)
    in_memory.commit()
    assert not in_memory.directory("memory").exists()


@pytest.mark.scenario("TCM-20")
@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])
def test_a_store_in_memory_leaves_the_offsets_of_earlier_files(make_task: TaskMaker, config: dict[str, str]) -> None:
    task = make_task(config=config)
    task.write(COMMITTED)
    checkpoint = task.commit()
    in_memory = make_task(config=config, in_memory=True)
    in_memory.restore(checkpoint)
    in_memory.write(UNCOMMITTED)
    checkpoint = in_memory.commit()
    restarted = make_task(config=config)
    restarted.restore(checkpoint)
    assert restarted.entries() == {b"a": b"changed", b"c": b"3", b"new": b"4"}
