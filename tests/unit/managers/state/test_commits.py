"""Commits of offsets and state together: their steps, their failures, and when they are skipped."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as threads
from typing import Any, Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointId, CheckpointV1, CheckpointV2
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire.checkpoint_topic import decode_key, decode_v1, decode_v2
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.state.key_value_store import DictStore, RocksDbStore
from managers.state.state_backend import Markers, StatefulTask, TaskBackupManager
from managers.state.state_errors import CommitFailed, CommitTimedOut
from managers.state.store_directories import CHECKPOINT_FILE, read_checkpoint_file
from managers.state.task_committer import CommitSettings, TaskCommitter
from managers.state.task_storage import TaskStorageCommitManager
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.waiting import PATIENCE, wait_until

TASK: Final = "Partition 0"
ID: Final = CheckpointId(7, 12)
IN: Final = SystemStreamPartition("kafka", "in", 0)
CHANGELOG: Final = SystemStreamPartition("kafka", "counts-changelog", 3)
KAFKA, BLOBS = KAFKA_STATE_BACKEND_FACTORY, "blobs"
CHECKPOINT: Final = CheckpointV2(ID, {IN: "4"}, {BLOBS: {"LI": "5"}})
SKIPPING: Final = {"task.commit.skip.commit.during.failures.enabled": "true"}
STEPS: Final = {"persist_to_filesystem": "persist", "clean_up": "clean up"}
AT_ONCE: Final = {"task.commit.max.delay.ms": "0", "task.commit.timeout.ms": "0"}


def fail(*_: object) -> None:
    raise OSError("The disk is full.")


def marker(offset: str | None) -> Markers:
    return {"LP": KafkaStateCheckpointMarker(CHANGELOG, offset).serialise()}


class Backend(TaskBackupManager):
    """A backend whose snapshot and upload have these markers."""

    def __init__(self, markers: Markers) -> None:
        self.snapshot_markers = self.upload_markers = markers

    def snapshot(self, checkpoint_id: CheckpointId) -> Markers:  # noqa: ARG002
        return self.snapshot_markers

    def upload(self, *_: object) -> Markers:
        return self.upload_markers


class Recorded:
    """Records the calls to a store or a backend. ``during`` says what happens in them."""

    def __init__(self, name: str, of: DictStore | RocksDbStore | Backend, calls: list[tuple[object, ...]]) -> None:
        self.name, self.recorded, self.calls = name, of, calls
        self.during: dict[str, Callable[[], object]] = {}

    def __getattr__(self, method: str) -> Any:
        found = getattr(self.recorded, method)
        return partial(self._call, STEPS.get(method, method), found) if callable(found) else found

    def _call(self, step: str, call: Callable[..., object], *arguments: object) -> object:
        self.calls.append((self.name, step, *(each for each in arguments if not isinstance(each, Event))))
        self.during.get(step, bool)()
        return call(*arguments)

    def of(self, step: str) -> list[tuple[object, ...]]:
        return [each[2:] for each in self.calls if each[:2] == (self.name, step)]


class Task:
    """A task whose time stands still, with two backends and a checkpoint topic.

    It has a durable (L) and a temporary store on disk (P), and both in memory (I).
    """

    def __init__(self, base: Path) -> None:
        self.config = {
            "stores.LP.changelog": "kafka.lp",
            "stores.LI.backup.factories": BLOBS,
            "systems.kafka.samza.offset.default": "oldest",
            "task.checkpoint.read.versions": "2,1",
        }
        self.base = base
        self.calls: list[tuple[object, ...]] = []
        self.seconds = 0.0
        self.backend = Backend(marker("5"))
        self.kafka: Any = Recorded("kafka", self.backend, self.calls)
        self.blobs: Any = Recorded("blobs", Backend({"LI": "blob"}), self.calls)
        on_disk = {name: RocksDbStore(self.directory(name)) for name in ("LP", "P")}
        stores: dict[str, DictStore | RocksDbStore] = {**on_disk, "LI": DictStore(), "I": DictStore()}
        self.stores: dict[str, Any] = {name: Recorded(name, of, self.calls) for name, of in stores.items()}
        self.topic = MemoryEventLog(identify(checkpoint_stream_name("orders")))
        self.checkpoints = KafkaCheckpointManager(self.topic)

    @property
    def manager(self) -> TaskStorageCommitManager:
        task = StatefulTask(TASK, self.config, self.base, self.stores.__getitem__)
        return TaskStorageCommitManager(task, self.stores, {KAFKA: self.kafka, BLOBS: self.blobs})

    def directory(self, name: str) -> Path:
        return self.base / name / "Partition_0"

    @contextmanager
    def started(self, config: Mapping[str, str] = {}, *, processed: str | None = "4") -> Iterator[TaskCommitter]:
        self.config.update(config)
        admins = {"kafka": StatedAdmin()}
        self.offsets = OffsetManager(self.config, system_admins=admins, checkpoint_manager=self.checkpoints)
        self.offsets.register(TASK, [IN])
        with self.offsets:
            self.process(processed)
            yield TaskCommitter(
                self.config,
                self.offsets,
                self.manager,
                flush_outputs=lambda: self.calls.append(("outputs", "flush", self.written())),
                flush_tables=lambda: self.calls.append(("tables", "flush")),
                monotonic=lambda: self.seconds,
            )

    def process(self, offset: str | None) -> None:
        self.offsets.update(TASK, IN, offset)

    def written(self) -> list[Checkpoint]:
        found = [(decode_key(event.key or b"").key_type, event.value or b"") for event in self.topic.read(0)]
        return [decode_v1(value) if kind == "checkpoint" else decode_v2(value) for kind, value in found]

    @contextmanager
    def held(self, call: str) -> Iterator[Event]:
        """A call of the first backend that does not end until the event is set, or the block ends."""
        release = Event()
        self.kafka.during[call] = lambda: release.wait(PATIENCE)
        try:
            yield release
        finally:
            release.set()
            self.kafka.during.clear()


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(tmp_path)


def commit(committer: TaskCommitter) -> None:
    assert committer.commit()
    committer.wait()


def wait_for_threads(committer: TaskCommitter) -> None:
    wait_until(lambda: not any(committer.task_name in thread.name for thread in threads()))


@pytest.mark.scenario("TCM-01")
def test_all_backends_start_after_the_last_checkpoint(task: Task) -> None:
    for checkpoint in (CHECKPOINT, None):
        task.manager.init(checkpoint)
    assert task.kafka.of("init") == task.blobs.of("init") == [(CHECKPOINT,), (None,)]


@pytest.mark.scenario("TCM-02", "TCM-03", "TCM-06", "TCM-07")
def test_the_steps_of_a_commit_are_in_this_order(task: Task) -> None:
    task.backend.upload_markers = marker("6")
    task.kafka.during["snapshot"] = lambda: task.process("9")  # processed after the offsets were taken
    task.kafka.during["persist"] = lambda: task.calls.append(("topic", "written", len(task.written())))
    with task.started() as committer:
        commit(committer)
    first, second = task.written()
    assert isinstance(second, CheckpointV2)
    number = second.checkpoint_id
    assert task.calls == [
        ("outputs", "flush", []),
        ("tables", "flush"),
        *((name, "flush") for name in ("LP", "P", "LI", "I")),
        ("LP", "checkpoint", number),
        ("kafka", "snapshot", number),
        ("blobs", "snapshot", number),
        ("kafka", "upload", number, marker("5")),
        ("blobs", "upload", number, {"LI": "blob"}),
        ("kafka", "persist", number, marker("6")),
        ("topic", "written", 2),
        ("blobs", "persist", number, {"LI": "blob"}),
        ("blobs", "clean up", number, {"LI": "blob"}),
        ("kafka", "clean up", number, marker("6")),
    ]
    assert second == CheckpointV2(number, {IN: "4"}, {KAFKA: marker("6"), BLOBS: {"LI": "blob"}})
    assert first == CheckpointV1({IN: "4", CHANGELOG: f"{number}:6"})


@pytest.mark.parametrize("versions", ["1,2", "2,1", "2", ""])
def test_state_is_committed_before_the_first_input_is_processed(task: Task, versions: str) -> None:
    """Version 1 has neither offsets nor the markers of this backend, and is not written without content."""
    task.backend.snapshot_markers = task.backend.upload_markers = {}
    with task.started({"task.checkpoint.write.versions": versions}, processed=None) as committer:
        commit(committer)
    (written,) = task.written()
    assert isinstance(written, CheckpointV2)
    assert (written.offsets, written.state_markers) == ({}, {KAFKA: {}, BLOBS: {"LI": "blob"}})


@pytest.mark.scenario("HRD-49", "TCM-22")
@pytest.mark.parametrize(
    ("step", "problem", "written"),
    [
        ("snapshot", "last checkpoint is unchanged", 0),
        ("upload", "last checkpoint is unchanged", 0),
        ("checkpoint", "Its checkpoint may be written", 0),
        ("persist", "Its checkpoint is written", 2),
        ("clean up", "Its checkpoint is written", 2),
    ],
)
def test_after_a_failed_step_the_next_commit_works(
    task: Task, step: str, problem: str, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    task.kafka.during[step] = fail
    with task.started() as committer:
        with monkeypatch.context() as broken:
            if step == "checkpoint":
                broken.setattr(task.checkpoints, "write_checkpoint", fail)
            with pytest.raises(CommitFailed, match=rf"step '{step}'.*: The disk is full\. .*{problem}") as caught:
                commit(committer)
        error = caught.value
        assert (error.task_name, error.step) == (TASK, step)
        assert error.factory == (None if step == "checkpoint" else KAFKA)
        assert len(task.written()) == written
        task.kafka.during.clear()
        task.process("5")
        commit(committer)
    assert (task.written()[-1].offsets[IN], committer.metrics.exceptions) == ("5", 0 if step == "snapshot" else 1)


@pytest.mark.parametrize("flush", ["_flush_outputs", "_flush_tables"])
def test_nothing_is_captured_unless_the_output_is_durable(task: Task, flush: str) -> None:
    with task.started() as committer:
        setattr(committer, flush, fail)
        with pytest.raises(CommitFailed, match="failed in step 'flush': The disk is full"):
            committer.commit()
    assert (task.kafka.of("snapshot"), task.written()) == ([], [])


@pytest.mark.scenario("TCM-04")
def test_no_backend_is_called_after_a_store_failed(task: Task) -> None:
    task.directory("LP").with_name(f"Partition_0-{ID}").write_text("in the way")
    with pytest.raises(CommitFailed, match="Commit 7-12 of task 'Partition 0' failed in step 'snapshot', store 'LP': "):
        task.manager.snapshot(ID)
    assert task.kafka.of("snapshot") == task.blobs.of("snapshot") == []


@pytest.mark.scenario("TCM-20")
def test_the_checkpoint_is_written_beside_durable_stores_on_disk(task: Task) -> None:
    task.manager.snapshot(ID)
    for checkpoint in (CHECKPOINT, CheckpointV1({IN: "4"})):
        task.manager.write_checkpoint_to_store_directories(checkpoint)
    written = sorted(task.base.rglob(CHECKPOINT_FILE))
    assert [path.parent.name for path in written] == ["Partition_0", f"Partition_0-{ID}"]
    assert {read_checkpoint_file(path.parent) for path in written} == {CHECKPOINT}


@pytest.mark.scenario("TCM-05")
def test_all_known_backends_are_cleaned_up_and_closed_though_one_fails(
    task: Task, caplog: pytest.LogCaptureFixture
) -> None:
    task.kafka.during.update({"clean up": fail, "close": fail})
    manager = task.manager
    manager.snapshot(CheckpointId(10**12, 0))
    with pytest.raises(CommitFailed, match=f"'clean up', state backend {KAFKA}: The disk is full"):
        manager.clean_up(ID, {KAFKA: marker("5"), BLOBS: {"LI": "blob"}, "factory3": {"LI": "x"}})
    assert (task.kafka.of("clean up"), task.blobs.of("clean up")) == ([(ID, marker("5"))], [(ID, {"LI": "blob"})])
    assert [record.levelno for record in caplog.records if "factory3" in record.getMessage()] == [logging.WARNING]
    assert not list(task.base.rglob("*-1000000000000-0"))
    with pytest.raises(OSError, match="The disk is full"):
        manager.close()
    assert task.blobs.of("close") == [()]


@pytest.mark.scenario("TCM-11")
@pytest.mark.parametrize("step", ["upload", "clean up"])
def test_a_commit_is_skipped_while_another_is_in_progress(task: Task, step: str) -> None:
    with task.started() as committer, task.held(step) as release:
        assert committer.commit()
        assert not committer.commit()
        assert (committer.metrics.commits, committer.metrics.skipped) == (1, 1)
        release.set()
        committer.wait()
        commit(committer)


@pytest.mark.scenario("TCM-12")
def test_a_commit_gives_up_an_upload_that_takes_too_long(task: Task) -> None:
    config = {"task.commit.max.delay.ms": "1000", "task.commit.timeout.ms": "0"}
    with task.started(config) as committer, task.held("upload") as release:
        committer.commit()
        task.seconds = 2.0
        with pytest.raises(CommitTimedOut, match="of task 'Partition 0' is still in step 'upload' after 2000 ms"):
            committer.commit()
        task.kafka.during.clear()
        task.process("5")
        commit(committer)
        release.set()
        wait_for_threads(committer)
    assert [each.offsets[IN] for each in task.written()] == ["5", "5"]


@pytest.mark.scenario("TCM-12")
@pytest.mark.parametrize("step", ["clean up", "persist"])
def test_a_commit_with_a_checkpoint_is_not_overtaken(task: Task, step: str) -> None:
    with task.started(AT_ONCE) as committer, task.held(step) as release:
        committer.commit()
        wait_until(lambda: task.kafka.of(step))
        for _ in range(2):
            with pytest.raises(CommitTimedOut, match=f"still in step '{step}'"):
                committer.commit()
        release.set()
        committer.wait()
        commit(committer)
    assert committer.metrics.timed_out == 2


@pytest.mark.scenario("TCM-12", "TCM-15")
def test_a_commit_waits_for_the_earlier_one_as_long_as_config_says(task: Task) -> None:
    config = {"task.commit.max.delay.ms": "1000", "task.commit.timeout.ms": str(2**63 - 1)}
    with task.started(config) as committer, task.held("upload") as release:
        committer.commit()
        task.seconds = 31.0  # the first version of SAMZA-2591 gave up after 30 s
        Thread(target=release.set).start()
        commit(committer)
    assert (committer.metrics.commits, committer.metrics.skipped, len(task.written())) == (2, 0, 4)


@pytest.mark.scenario("TCM-15")
def test_the_limits_are_those_of_samza() -> None:
    assert CommitSettings.of({}) == CommitSettings(60_000, 1_800_000, 0, 0)
    assert CommitSettings.of(SKIPPING) == CommitSettings(60_000, 1_800_000, 5, 2)


@pytest.mark.scenario("TCM-14")
def test_failures_in_a_row_are_skipped_up_to_a_limit(task: Task) -> None:
    with task.started({**SKIPPING, "task.commit.skip.commit.exception.max.limit": "1"}) as committer:
        for is_failing in (True, False, True, True):
            task.kafka.during = {"upload": fail} if is_failing else {}
            assert committer.commit()
            wait_for_threads(committer)
        with pytest.raises(CommitFailed, match="step 'upload'"):
            committer.commit()
    assert committer.metrics.exceptions == 3


@pytest.mark.scenario("TCM-14")
def test_timeouts_in_a_row_are_skipped_up_to_a_limit(task: Task) -> None:
    config = {**SKIPPING, **AT_ONCE, "task.commit.skip.commit.timeout.max.limit": "1"}
    with task.started(config) as committer, task.held("clean up") as release:
        committer.commit()
        wait_until(lambda: task.kafka.of("clean up"))
        assert not committer.commit()
        with pytest.raises(CommitTimedOut):
            committer.commit()
        release.set()
        committer.wait()
