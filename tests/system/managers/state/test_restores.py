"""Stores are restored from their changelogs, or from the backend that config and checkpoint name, on a real broker."""

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.errors import ConfigError
from eventlog.events import NewEvent
from eventlog.kafka.changelogs import KafkaChangelogs
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KafkaStateCheckpointMarker
from managers.state.changelog_backend import KafkaChangelogStateBackendFactory
from managers.state.key_value_store import RocksDbStore
from managers.state.state_backend import RestoreProgress
from managers.state.state_errors import CommitFailed, InvalidMarker, SnapshotDamaged, StoreNotBackedUp, StoreNotRestored
from managers.state.store_directories import checkpoint_directories, delete_directory, read_offset
from managers.state.task_storage import TaskRestoration
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics
from tests.fixtures.state import (
    IN,
    KAFKA,
    NOT_TRANSACTIONAL,
    OBJECTS,
    TASK,
    TRANSACTIONAL,
    TaskMaker,
    TaskWithStores,
    as_version_1,
    with_classes,
)

COMMITTED: Final = {b"a": b"1", b"b": b"2", b"c": b"3"}
UNCOMMITTED: Final = {b"a": b"changed", b"b": None, b"new": b"4"}
AFTER: Final = {b"a": b"changed", b"c": b"3", b"new": b"4"}
BOTH: Final = (KAFKA, OBJECTS)

both_kinds = pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL])


def in_days(days: float) -> Callable[[], datetime]:
    return lambda: datetime.now(UTC) + timedelta(days=days)


def committed(task: TaskWithStores) -> CheckpointV2:
    task.write(COMMITTED)
    return task.commit()


@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("read", [as_version_1, lambda written: written, with_classes])
def test_uncommitted_changes_are_reverted(
    make_task: TaskMaker, in_memory: bool, read: Callable[[CheckpointV2], Checkpoint]
) -> None:
    task = make_task(in_memory=in_memory)
    checkpoint = committed(task)
    task.write(UNCOMMITTED)
    restarted = make_task(in_memory=in_memory)
    restarted.restore(read(checkpoint))
    assert restarted.entries() == COMMITTED
    again = make_task(in_memory=True)
    again.restore(restarted.commit())
    assert again.entries() == COMMITTED  # the changelog has the reverted values


@pytest.mark.parametrize("missing", ["", "OFFSET*"])  # Samza does not write it with version 2 alone
def test_the_last_commit_is_restored_from_its_local_checkpoint(make_task: TaskMaker, missing: str) -> None:
    task = make_task()
    checkpoint = committed(task)
    for path in task.directory().parent.glob(f"*/{missing}") if missing else ():
        path.unlink()
    assert make_task().restore(checkpoint) == [RestoreProgress(TASK, "orders", 0, 0, "records")]


@pytest.mark.scenario("HRD-50")
@pytest.mark.parametrize(
    ("config", "host", "days", "entries", "changes"),
    [
        (TRANSACTIONAL, "host", 0, COMMITTED, 3),
        (TRANSACTIONAL, "other", 0, COMMITTED, 6),
        ({**TRANSACTIONAL, "stores.orders.clean.on.container.start": "true"}, "host", 0, COMMITTED, 6),
        (TRANSACTIONAL, "host", 0.2, AFTER, 3),  # older than min.compaction.lag.ms
        (NOT_TRANSACTIONAL, "host", 0, AFTER, 3),
        (NOT_TRANSACTIONAL, "other", 0, AFTER, 6),
    ],
)
def test_how_far_a_store_is_restored_and_from_how_many_changes(
    make_task: TaskMaker,
    config: dict[str, str],
    host: str,
    days: float,
    entries: dict[bytes, bytes],
    changes: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    task = make_task(config=config)
    checkpoint = committed(task)
    task.write(UNCOMMITTED)
    restarted = make_task(config=config, host=host, clock=in_days(days))
    (*_, last) = restarted.restore(checkpoint)
    assert (restarted.entries(), last.restored, last.total) == (entries, changes, changes)
    warning = "older than min.compaction.lag.ms, so it is restored to the end of the changelog"
    assert (warning in caplog.text) == (days > 0)


@pytest.mark.parametrize("backend", BOTH)
def test_changes_that_were_not_written_are_forgotten(make_task: TaskMaker, backend: str) -> None:
    task = make_task(factories=BOTH, config={**TRANSACTIONAL, "stores.restore.factories": backend})
    checkpoint = committed(task)
    task.stores["orders"].put(b"kept", b"but not flushed")
    task.restore(checkpoint)
    again = make_task(in_memory=True)
    again.restore(task.commit())
    assert again.entries() == COMMITTED


@pytest.mark.parametrize("days", [0, 2])
def test_a_changelog_follows_a_store_that_was_restored_from_another_backend(
    make_task: TaskMaker, topics: Topics, days: int
) -> None:
    checkpoint = committed(make_task(factories=BOTH))
    if days:  # the deletion of b and c was compacted away, as they were
        topics.delete(stream := make_task().partition().stream)
        topics.create(stream, partitions=2)
        topics.write(stream, [NewEvent(b"a", b"1")] * 3, partition=1)
    make_task().write({b"a": b"lost", b"d": b"lost"})
    restarted = make_task(
        factories=BOTH, config={**TRANSACTIONAL, "stores.restore.factories": OBJECTS}, clock=in_days(days)
    )
    restarted.restore(checkpoint)
    restarted.write({b"e": b"5"})
    again = make_task(host="other")
    again.restore(restarted.commit())
    assert again.entries() == {**COMMITTED, b"e": b"5"}


def test_a_new_changelog_gets_all_entries_of_a_store_that_was_restored_from_another_backend(
    make_task: TaskMaker,
) -> None:
    task = make_task(factories=BOTH)
    task.write({b"lost": b"1"})
    task.write({b"lost": None})
    markers = {OBJECTS: committed(task).state_markers[OBJECTS]}
    task.write({b"lost": b"2", b"a": b"lost"})
    task.restore(CheckpointV2(CheckpointId.create(), {IN: "1"}, markers))
    again = make_task(host="other")
    again.restore(task.commit())
    assert again.entries() == COMMITTED


@pytest.mark.scenario("CSM-08")
def test_a_store_whose_snapshot_is_gone_is_restored_and_committed_again(
    make_task: TaskMaker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from_objects = {**TRANSACTIONAL, "stores.restore.factories": f"{OBJECTS},{KAFKA}"}
    task = make_task(factories=BOTH, config=from_objects)
    checkpoint = committed(task)
    task.write({b"a": b"lost"})
    delete_directory(tmp_path / "objects")
    task.restore(checkpoint)
    assert task.entries() == COMMITTED
    restored = task.restored
    assert isinstance(restored, CheckpointV2)
    assert restored.offsets == checkpoint.offsets
    assert restored.checkpoint_id != checkpoint.checkpoint_id
    assert restored.state_markers.keys() == {KAFKA, OBJECTS}
    assert f"state backend. Restoring it from {KAFKA}" in caplog.text
    again = make_task(factories=BOTH, config=from_objects, host="other")
    again.restore(restored)
    assert (again.entries(), again.restored) == (COMMITTED, restored)


def test_a_store_whose_only_snapshot_is_gone_is_not_restored(make_task: TaskMaker, tmp_path: Path) -> None:
    task = make_task(factories=(OBJECTS,))
    checkpoint = committed(task)
    delete_directory(tmp_path / "objects")
    with pytest.raises(SnapshotDamaged, match="store 'orders' of task 'Partition 0'"):
        task.restore(checkpoint)


def test_an_unknown_factory_is_named(make_task: TaskMaker) -> None:
    task = make_task()
    with pytest.raises(ConfigError, match="Store 'orders' of task 'Partition 0' has the unknown"):
        TaskRestoration(task.task, ["orders"], {}, task.checkpoints).restore()
    other = replace(task.task, changelog_partition=None)
    with task.checkpoints, pytest.raises(ConfigError, match="'Partition 0' has no changelog partition"):
        TaskRestoration(other, ["orders"], task.backends, task.checkpoints).restore()


def test_a_changelog_that_became_shorter_is_not_committed(make_task: TaskMaker, topics: Topics) -> None:
    task = make_task()
    checkpoint = committed(task)
    stream = task.partition().stream
    topics.delete(stream)
    topics.create(stream, partitions=2)
    task.write({b"x": b"1"})
    with pytest.raises(CommitFailed, match="ended at offset 2 before, but now ends at offset 0"):
        task.commit()
    restarted = make_task()
    restarted.restore(checkpoint)
    restarted.commit()  # a restart accepts what is left
    assert restarted.entries() == {b"x": b"1"}


@pytest.mark.parametrize("is_created_again", [False, True])
def test_a_changelog_that_lost_all_changes_is_not_taken_for_empty(
    make_task: TaskMaker, topics: Topics, job_name: str, is_created_again: bool
) -> None:
    topics.create(stream := f"{job_name}-orders", COMPACTED_AND_DELETED, partitions=2)
    task = make_task()
    checkpoint = committed(task)
    if is_created_again:
        topics.delete(stream)
        topics.create(stream, partitions=2)
    else:
        topics.delete_before(stream, 3, partition=1)
    end = 0 if is_created_again else 3
    expected = f"'orders' of task 'Partition 0' .* offset 2 of its changelog .* empty and continues at offset {end}"
    with pytest.raises(StoreNotRestored, match=expected):
        make_task().restore(checkpoint)
    assert dict(RocksDbStore(task.directory()).range()) == COMMITTED


@pytest.mark.scenario("CSM-04")
@pytest.mark.parametrize("config", [TRANSACTIONAL, NOT_TRANSACTIONAL, {}])
def test_the_directories_of_a_task_without_a_checkpoint_are_deleted(
    make_task: TaskMaker, config: dict[str, str]
) -> None:
    task = make_task(config=config)
    committed(task)
    (task.directory() / "stray").touch()
    restarted = make_task(config=config)
    restarted.restore(None)
    assert not (restarted.directory() / "stray").exists()
    assert [*checkpoint_directories(restarted.directory())] == []
    assert restarted.entries() == ({} if config == TRANSACTIONAL else COMMITTED)


@both_kinds
def test_a_directory_that_is_damaged_is_not_used(
    make_task: TaskMaker, config: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    task = make_task(config=config)
    checkpoint = committed(task)
    task.close()
    for path in task.directory().parent.glob("*/*.sst"):
        os.truncate(path, path.stat().st_size - 1)
    restarted = make_task(config=config, is_open=False)
    restarted.restore(checkpoint)
    assert restarted.entries() == COMMITTED
    assert "Restoring it from the beginning of its changelog." in caplog.text


def test_a_marker_of_another_changelog_is_refused(make_task: TaskMaker) -> None:
    task = make_task()
    task.write(COMMITTED)
    other = KafkaStateCheckpointMarker(SystemStreamPartition("kafka", "other", 1), "2").serialise()
    for marker, problem in ((other, "it names changelog kafka.other.1, but the store's is"), ("{", "is invalid")):
        checkpoint = CheckpointV2(CheckpointId.create(), {}, {KAFKA: {"orders": marker}})
        with pytest.raises(InvalidMarker, match=f"store 'orders' of task 'Partition 0'.*{problem}"):
            task.restore(checkpoint)
    task.open()
    assert task.entries() == COMMITTED


@pytest.mark.scenario("TCM-08", "TCM-19", "SCM-11")
def test_the_newest_offset_is_the_marker(make_task: TaskMaker, topics: Topics) -> None:
    task = make_task("orders", "empty")
    markers = committed(task).state_markers[KAFKA]
    found = {store: KafkaStateCheckpointMarker.parse(marker) for store, marker in markers.items()}
    assert found == {
        "orders": KafkaStateCheckpointMarker(task.partition(), "2"),
        "empty": KafkaStateCheckpointMarker(task.partition("empty"), None),
    }
    topics.delete(task.partition("empty").stream)
    with pytest.raises(CommitFailed, match="store 'empty'"):
        task.commit()


@pytest.mark.scenario("TCM-19")
def test_an_unknown_offset_is_not_that_of_an_empty_changelog(make_task: TaskMaker) -> None:
    task = make_task().task
    with KafkaChangelogs(KafkaOptions.parse("127.0.0.1:1")) as changelogs:
        backup = KafkaChangelogStateBackendFactory({"kafka": changelogs}).get_backup_manager(task, ["orders"])
        with pytest.raises(StoreNotBackedUp, match="does not answer"):
            backup.snapshot(CheckpointId(1, 1))


@pytest.mark.scenario("TCM-20")
@pytest.mark.parametrize("is_transactional", [True, False])
def test_offset_files_are_written_for_stores_on_disk(make_task: TaskMaker, is_transactional: bool) -> None:
    task = make_task(config={"task.transactional.state.checkpoint.enabled": str(is_transactional)})
    checkpoint_id = committed(task).checkpoint_id
    assert checkpoint_id is not None
    ((_, copy),) = checkpoint_directories(task.directory())
    found = [read_offset(path, task.partition()) for path in (task.directory(), copy)]
    assert found == ["2", "2" if is_transactional else None]
    empty = KafkaStateCheckpointMarker(task.partition(), None).serialise()
    task.commits.persist_to_filesystem(checkpoint_id, {KAFKA: {"orders": empty}})
    assert read_offset(task.directory(), task.partition()) is None
    in_memory = make_task("memory", in_memory=True)
    in_memory.commit()
    assert not in_memory.directory("memory").exists()


@both_kinds
def test_a_store_in_memory_leaves_the_offsets_of_earlier_files(make_task: TaskMaker, config: dict[str, str]) -> None:
    checkpoint = committed(make_task(config=config))
    in_memory = make_task(config=config, in_memory=True)
    in_memory.restore(checkpoint)
    with pytest.raises(TypeError, match="keys and values of a store must be bytes"):
        in_memory.write({"a": b"1"})  # type: ignore[dict-item]
    in_memory.write(UNCOMMITTED)
    restarted = make_task(config=config)
    restarted.restore(in_memory.commit())
    assert restarted.entries() == AFTER


def test_a_store_without_a_backup_starts_empty(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its files may have changes that were not committed, so that their input would be counted twice."""
    task = TaskWithStores(tmp_path, "orders", {}, ("cache",))
    task.open()
    task.write({b"count": b"1"})
    task.restore(None)
    assert task.entries() == {}
    assert "Store 'cache' of task 'Partition 0' has no backup and starts empty." in caplog.text


def test_a_store_whose_backup_the_checkpoint_does_not_name_starts_empty(
    make_task: TaskMaker, caplog: pytest.LogCaptureFixture
) -> None:
    """A checkpoint of version 1 has no markers of an object store: the store got this backup after it was written."""
    task = make_task(factories=(OBJECTS,))
    task.write(COMMITTED)
    task.restore(CheckpointV1({IN: "1"}))
    assert task.entries() == {}
    assert "Store 'orders' of task 'Partition 0' is not restored from its backup and starts empty." in caplog.text
