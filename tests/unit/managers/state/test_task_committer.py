"""Commits of offsets and state together: their order, their failures, and when they are skipped."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as threads
from typing import Final

import pytest

from eventlog.checkpoint import Checkpoint, CheckpointV1, CheckpointV2
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import checkpoint_stream_name, identify
from eventlog.wire.checkpoint_topic import decode_key, decode_v1, decode_v2
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.state.state_backend import StatefulTask
from managers.state.state_errors import CommitFailed, CommitTimedOut, Step
from managers.state.task_committer import CommitSettings, TaskCommitter
from managers.state.task_storage import TaskStorageCommitManager
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.waiting import PATIENCE, wait_until
from tests.unit.managers.state.recording_backup_manager import RecordingBackupManager, fail, no_opener

TASK: Final = "Partition 0"
IN: Final = SystemStreamPartition("kafka", "in", 0)
CHANGELOG: Final = SystemStreamPartition("kafka", "counts-changelog", 3)
FACTORY: Final = KAFKA_STATE_BACKEND_FACTORY
OLDEST: Final = {"systems.kafka.samza.offset.default": "oldest"}
SKIPPING: Final = {"task.commit.skip.commit.during.failures.enabled": "true"}
STEPS: Final[tuple[Step, ...]] = ("snapshot", "upload", "persist", "clean up")


def marker(offset: str | None) -> dict[str, str]:
    return {"counts": KafkaStateCheckpointMarker(CHANGELOG, offset).serialise()}


@dataclass
class Job:
    """A task with one backend, whose time stands still."""

    base: Path
    config: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    factory: str = FACTORY
    processed: str | None = "4"

    def __post_init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.topic = MemoryEventLog(identify(checkpoint_stream_name("orders")))
        self.backend = RecordingBackupManager("backend", marker("5"), self.calls)
        self.checkpoints = KafkaCheckpointManager(self.topic)

    @contextmanager
    def started(self) -> Iterator[TaskCommitter]:
        config = {**OLDEST, **self.config}
        offsets = OffsetManager(config, system_admins={"kafka": StatedAdmin()}, checkpoint_manager=self.checkpoints)
        offsets.register(TASK, [IN])
        task = StatefulTask(TASK, config, self.base, no_opener)
        manager = TaskStorageCommitManager(task, {}, {self.factory: self.backend})
        with offsets:
            self.offsets = offsets
            self.process(self.processed)
            yield TaskCommitter(
                config,
                offsets,
                manager,
                flush_outputs=lambda: self.calls.append(("outputs", "flush", self.written())),
                flush_tables=lambda: self.calls.append(("tables", "flush")),
                monotonic=lambda: self.seconds,
            )

    def process(self, offset: str | None) -> None:
        self.offsets.update(TASK, IN, offset)

    def written(self) -> list[Checkpoint]:
        found = [(decode_key(event.key or b"").key_type, event.value or b"") for event in self.topic.read(0)]
        return [decode_v1(value) if kind == "checkpoint" else decode_v2(value) for kind, value in found]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


@contextmanager
def held(job: Job, call: str) -> Iterator[Event]:
    """A call of the backend that does not end until the event is set, or the block ends."""
    release = Event()
    job.backend.during[call] = lambda: release.wait(PATIENCE)
    try:
        yield release
    finally:
        release.set()
        job.backend.during.clear()


@pytest.mark.scenario("TCM-06", "TCM-07")
def test_the_steps_of_a_commit_are_in_this_order(job: Job) -> None:
    job.backend.uploaded = marker("6")
    job.backend.during["snapshot"] = lambda: job.process("9")  # processed after the offsets were taken
    job.backend.during["persist"] = lambda: job.calls.append(("topic", "written", len(job.written())))
    with job.started() as committer:
        commit(committer)
    first, second = job.written()
    assert isinstance(second, CheckpointV2)
    number = second.checkpoint_id
    assert job.calls == [
        ("outputs", "flush", []),
        ("tables", "flush"),
        ("backend", "snapshot", number),
        ("backend", "upload", number, marker("5")),
        ("backend", "persist", number, marker("6")),
        ("topic", "written", 2),
        ("backend", "clean up", number, marker("6")),
    ]
    assert second == CheckpointV2(number, {IN: "4"}, {FACTORY: marker("6")})
    assert first == CheckpointV1({IN: "4", CHANGELOG: f"{number}:6"})


@pytest.mark.parametrize("versions", ["1,2", "2,1", "2", ""])
def test_state_is_committed_before_the_first_input_is_processed(tmp_path: Path, versions: str) -> None:
    """Version 1 has neither offsets nor the markers of this backend, and is not written without content."""
    job = Job(tmp_path, {"task.checkpoint.write.versions": versions}, factory="objects", processed=None)
    job.backend.markers = {"counts": "snapshot"}
    with job.started() as committer:
        commit(committer)
    (written,) = job.written()
    assert isinstance(written, CheckpointV2)
    assert (written.offsets, written.state_markers) == ({}, {"objects": {"counts": "snapshot"}})


@pytest.mark.scenario("HRD-49", "TCM-22")
@pytest.mark.parametrize("step", STEPS)
def test_after_a_failed_step_the_next_commit_works(job: Job, step: Step) -> None:
    job.backend.during[step] = fail
    with job.started() as committer:
        with pytest.raises(CommitFailed) as caught:
            commit(committer)
        error = caught.value
        assert (error.task_name, error.step, error.factory) == (TASK, step, FACTORY)
        assert len(job.written()) == (0 if step in ("snapshot", "upload") else 2)
        job.backend.during.clear()
        job.process("5")
        commit(committer)
    last = job.written()[-1]
    assert (last.offsets[IN], committer.metrics.exceptions) == ("5", 0 if step == "snapshot" else 1)


def test_after_a_failed_write_of_the_checkpoint_the_next_commit_works(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    with job.started() as committer:
        with monkeypatch.context() as broken:
            broken.setattr(job.checkpoints, "write_checkpoint", lambda *_: fail())
            with pytest.raises(CommitFailed, match=r"in step 'checkpoint': The disk is full\. Its checkpoint may be"):
                commit(committer)
        assert not job.backend.of("persist")
        commit(committer)
    assert len(job.written()) == 2


@pytest.mark.parametrize("is_output", [True, False])
def test_nothing_is_captured_unless_the_output_is_durable(job: Job, is_output: bool) -> None:
    with job.started() as committer:
        setattr(committer, "_flush_outputs" if is_output else "_flush_tables", fail)
        with pytest.raises(CommitFailed, match="failed in step 'flush': The disk is full"):
            committer.commit()
    assert job.backend.of("snapshot") == []
    assert job.written() == []


@pytest.mark.scenario("TCM-11")
@pytest.mark.parametrize("step", ["upload", "clean up"])
def test_a_commit_is_skipped_while_another_is_in_progress(job: Job, step: str) -> None:
    with job.started() as committer, held(job, step) as release:
        assert committer.commit()
        assert not committer.commit()
        assert (committer.metrics.commits, committer.metrics.skipped) == (1, 1)
        release.set()
        committer.wait()
        commit(committer)


@pytest.mark.scenario("TCM-12")
def test_a_commit_gives_up_an_upload_that_takes_too_long(tmp_path: Path) -> None:
    job = Job(tmp_path, {"task.commit.max.delay.ms": "1000", "task.commit.timeout.ms": "0"})
    with job.started() as committer, held(job, "upload") as release:
        committer.commit()
        job.seconds = 2.0
        with pytest.raises(CommitTimedOut, match="still in step 'upload' after 2000 ms") as caught:
            committer.commit()
        job.backend.during.clear()
        job.process("5")
        commit(committer)
        release.set()
        wait_for_threads(committer)
    assert [each.offsets[IN] for each in job.written()] == ["5", "5"]
    assert caught.value.task_name == TASK


@pytest.mark.scenario("TCM-12")
@pytest.mark.parametrize("step", ["clean up", "persist"])
def test_a_commit_with_a_checkpoint_is_not_overtaken(tmp_path: Path, step: str) -> None:
    job = Job(tmp_path, {"task.commit.max.delay.ms": "0", "task.commit.timeout.ms": "0"})
    with job.started() as committer, held(job, step) as release:
        committer.commit()
        wait_until(lambda: job.backend.of(step))
        for _ in range(2):
            with pytest.raises(CommitTimedOut, match=f"still in step '{step}'"):
                committer.commit()
        release.set()
        committer.wait()
        commit(committer)
    assert committer.metrics.timed_out == 2


@pytest.mark.scenario("TCM-12", "TCM-15")
def test_a_commit_waits_for_the_earlier_one_as_long_as_config_says(tmp_path: Path) -> None:
    job = Job(tmp_path, {"task.commit.max.delay.ms": "1000", "task.commit.timeout.ms": "1000000"})
    with job.started() as committer, held(job, "upload") as release:
        committer.commit()
        job.seconds = 31.0  # the first version of SAMZA-2591 gave up after 30 s
        Thread(target=release.set).start()
        commit(committer)
    assert (committer.metrics.commits, committer.metrics.skipped, len(job.written())) == (2, 0, 4)


@pytest.mark.scenario("TCM-15")
def test_the_limits_are_those_of_samza() -> None:
    assert CommitSettings.of({}) == CommitSettings(60_000, 1_800_000, 0, 0)
    assert CommitSettings.of(SKIPPING) == CommitSettings(60_000, 1_800_000, 5, 2)


@pytest.mark.scenario("TCM-14")
def test_failures_in_a_row_are_skipped_up_to_a_limit(tmp_path: Path) -> None:
    job = Job(tmp_path, {**SKIPPING, "task.commit.skip.commit.exception.max.limit": "1"})
    with job.started() as committer:
        for is_failing in (True, False, True, True):
            job.backend.during = {"upload": fail} if is_failing else {}
            assert committer.commit()
            wait_for_threads(committer)
        with pytest.raises(CommitFailed, match="step 'upload'"):
            committer.commit()
    assert committer.metrics.exceptions == 3


@pytest.mark.scenario("TCM-14")
def test_timeouts_in_a_row_are_skipped_up_to_a_limit(tmp_path: Path) -> None:
    job = Job(
        tmp_path,
        {
            **SKIPPING,
            "task.commit.skip.commit.timeout.max.limit": "1",
            "task.commit.max.delay.ms": "0",
            "task.commit.timeout.ms": "0",
        },
    )
    with job.started() as committer, held(job, "clean up") as release:
        committer.commit()
        wait_until(lambda: job.backend.of("clean up"))
        assert not committer.commit()
        with pytest.raises(CommitTimedOut):
            committer.commit()
        release.set()
        committer.wait()


def commit(committer: TaskCommitter) -> None:
    assert committer.commit()
    committer.wait()


def wait_for_threads(committer: TaskCommitter) -> None:
    wait_until(lambda: not any(committer.task_name in thread.name for thread in threads()))
