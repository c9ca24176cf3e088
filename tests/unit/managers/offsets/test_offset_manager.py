"""From where tasks start, how far they have come, and what is written of it: Samza's behaviour."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2, Offsets
from eventlog.errors import ConfigError
from eventlog.events import NewEvent
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp, StartpointUpcoming
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from managers.checkpoints.abstract_checkpoint_manager import AbstractCheckpointManager
from managers.checkpoints.checkpoint_manager import CheckpointManager, KafkaCheckpointManager
from managers.errors import CheckpointNotWritten, NotReady
from managers.offsets.offset_manager import END_OF_STREAM_OFFSET, CheckpointListener, OffsetManager
from managers.offsets.resolved_starts import OffsetError, UnusableOffset
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.wrapped_logs import Retry
from tests.builders import checkpoint_v1, fan_out
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.managers.watched_log import WatchedLog
from tests.fixtures.waiting import PATIENCE

SSP: Final = [SystemStreamPartition("test-system", "test-stream", number) for number in range(8)]
KEY: Final = [str(partition) for partition in SSP]
SECOND: Final = SystemStreamPartition("test-system", "stream2", 0)
OTHER: Final = SystemStreamPartition("test-system2", "test-stream2", 0)
OLDEST: Final = {"systems.test-system.samza.offset.default": "Oldest"}
RESET: Final = {**OLDEST, "systems.test-system.streams.test-stream.samza.reset.offset": "true"}
NOW: Final = 1_700_000_000_000
ASKED: Final = StartpointSpecific("23", NOW)
KINDS: Final = (ASKED, StartpointTimestamp(NOW, NOW), StartpointOldest(NOW), StartpointUpcoming(NOW))


class Job:
    """A job's two logs, and programs over them: each `started` manager is another container."""

    def __init__(self) -> None:
        self.coordinator = MemoryEventLog(identify(coordinator_stream_name("orders")))
        self.topic = MemoryEventLog(identify(checkpoint_stream_name("orders")))
        self.config: dict[str, str] = {}
        self.admins = {"test-system": StatedAdmin(), "test-system2": StatedAdmin()}
        self.listeners: dict[str, CheckpointListener] = {}
        self.startpoints: StartpointManager
        self.checkpoints: AbstractCheckpointManager
        self.store = CoordinatorStreamStore(self.coordinator)
        self.store.init()

    def write(self, *events: NewEvent) -> None:
        """Checkpoints go to the topic, what else there is to the coordinator stream."""
        for event in events:
            log = self.topic if event.key is not None and event.key.startswith(b"{") else self.coordinator
            log.append([event])

    def manager(self, tasks: Mapping[str, Sequence[SystemStreamPartition]] | None = None) -> OffsetManager:
        self.startpoints = StartpointManager(self.store, clock=lambda: NOW)
        self.checkpoints = KafkaCheckpointManager(self.topic)
        manager = OffsetManager(
            self.config,
            system_admins=self.admins,
            checkpoint_manager=self.checkpoints,
            startpoint_manager=self.startpoints,
            checkpoint_listeners=self.listeners,
        )
        for task_name, partitions in ({"c": SSP[:1]} if tasks is None else tasks).items():
            manager.register(task_name, partitions)
        return manager

    def started(self, tasks: Mapping[str, Sequence[SystemStreamPartition]] | None = None) -> OffsetManager:
        manager = self.manager(tasks)
        manager.start()
        return manager

    def written(self) -> Offsets | None:
        with KafkaCheckpointManager(self.topic) as checkpoints:
            checkpoints.register("c")
            checkpoint = checkpoints.read_last_checkpoint("c")
            return None if checkpoint is None else checkpoint.offsets

    def fan_out(self, task_name: str = "c") -> set[SystemStreamPartition]:
        with StartpointManager(self.store, clock=lambda: NOW) as startpoints:
            return set(startpoints.get_fan_out_for_task(task_name))

    def ends(self) -> tuple[int, int]:
        return self.coordinator.end_offset(), self.topic.end_offset()


@pytest.fixture
def job() -> Iterator[Job]:
    made = Job()
    with made.store:
        yield made


def commit(manager: OffsetManager, task_name: str = "c") -> None:
    manager.write_checkpoint(task_name, manager.build_checkpoint(task_name))


def at(manager: OffsetManager, number: int = 0, task_name: str = "c") -> str | None:
    return manager.get_starting_offset(task_name, SSP[number])


def over(checkpoints: AbstractCheckpointManager, *task_names: str) -> OffsetManager:
    """A started manager of these tasks (default: ``c``), each with a partition, without startpoints."""
    manager = OffsetManager({}, system_admins={"test-system": StatedAdmin()}, checkpoint_manager=checkpoints)
    for task_name, partition in zip(task_names or ("c",), SSP, strict=False):
        manager.register(task_name, [partition])
    manager.start()
    return manager


@pytest.mark.parametrize(
    ("config", "events", "starts"),
    [
        pytest.param(
            {**OLDEST, "systems.test-system.streams.test-stream.samza.offset.default": "Upcoming"},
            [],
            {SSP[0]: "2", SECOND: "0", OTHER: "2"},
            id="the default of the stream, of its system, of all",
            marks=pytest.mark.scenario("OFF-05", "OFF-01"),
        ),
        pytest.param(
            {},
            [fan_out("c", dict(zip(KEY, KINDS, strict=False))), checkpoint_v1("c", {KEY[0]: "9", KEY[4]: "9"})],
            dict(zip(SSP, ["23", str(NOW), "0", "2", "10", "2"], strict=False)),
            id="consumers get offsets alone",
            marks=pytest.mark.scenario("HRD-39", "OFF-13"),
        ),
    ],
)
def test_where_partitions_start(
    job: Job, config: dict[str, str], events: list[NewEvent], starts: dict[SystemStreamPartition, str]
) -> None:
    job.config = config
    job.write(*events)
    manager = job.started({"c": [*starts]})
    assert {partition: manager.get_starting_offset("c", partition) for partition in starts} == starts


@pytest.mark.scenario("OFF-02", "HRD-10")
def test_it_starts_after_the_checkpoint_and_writes_what_was_processed(job: Job) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45"}))
    manager = job.started()
    assert (at(manager), manager.get_last_processed_offset("c", SSP[0])) == ("46", "45")
    seen = []
    for offset in ("46", "47", None, ""):
        manager.update("c", SSP[0], offset)
        seen.append(manager.get_last_processed_offset("c", SSP[0]))
    commit(manager)
    assert (seen, at(manager), job.written()) == (["46", "47", "47", "47"], "46", {SSP[0]: "47"})
    manager.start()  # once more changes nothing
    assert manager.get_last_processed_offset("c", SSP[0]) == "47"


@pytest.mark.scenario("OFF-03")
def test_a_reset_leaves_the_checkpoint_aside_and_as_it_is(job: Job) -> None:
    job.config = RESET
    job.write(checkpoint_v1("c", {KEY[0]: "45"}))
    before = job.ends()
    manager = job.started()
    assert (at(manager), manager.get_last_processed_offset("c", SSP[0])) == ("0", None)
    commit(manager)  # nothing was processed: nothing takes the place of what is there
    assert (job.ends(), job.written()) == (before, {SSP[0]: "45"})


@pytest.mark.scenario("OFF-06")
@pytest.mark.parametrize("place", ["samza", "streams.test-stream.samza", "default.stream.samza"])
@pytest.mark.parametrize("named", [{}, {"task.inputs": "test-system.test-stream"}])
def test_another_word_for_a_default_is_refused_when_it_is_made(place: str, named: dict[str, str]) -> None:
    key = f"systems.test-system.{place}.offset.default"
    with pytest.raises(ConfigError, match=key) as refused:
        OffsetManager({key: "fail", **named}, system_admins={})
    assert isinstance(refused.value, ValueError)


@pytest.mark.scenario("OFF-07")
def test_one_missing_checkpoint_leaves_the_others_alone(job: Job) -> None:
    job.admins = {"test-system": StatedAdmin("3", "4", "5")}
    job.write(checkpoint_v1("P0", {KEY[0]: "45"}))
    manager = job.started({"P0": SSP[:1], "P1": SSP[1:2]})
    assert (at(manager, 0, "P0"), at(manager, 1, "P1")) == ("46", "5")
    for task_name in ("P0", "P1"):
        commit(manager, task_name)
    assert job.checkpoints.read_last_checkpoint("P1") is None


@pytest.mark.parametrize("offset", ["abc", "", "9223372036854775807", "-9223372036854775809", "1.5"])
def test_a_checkpoint_that_can_not_be_gone_on_from_ends_the_start(job: Job, offset: str) -> None:
    """As in Samza, whose container fails at such an offset (KafkaSystemAdmin.getOffsetsAfter)."""
    job.write(checkpoint_v1("c", {KEY[0]: "7", KEY[1]: offset, KEY[2]: offset}))
    manager = job.manager({"c": SSP[:3]})
    with pytest.raises(UnusableOffset) as caught:
        manager.start()
    error = caught.value
    assert (error.task_name, error.partition, error.offset, error.other_count) == ("c", SSP[1], offset, 1)
    with pytest.raises(NotReady):
        at(manager)
    assert not job.startpoints.is_running


@pytest.mark.parametrize(
    ("admins", "words"),
    [
        ({"test-system": StatedAdmin(lacks=frozenset({"test-stream"}))}, "does not have stream test-stream"),
        ({"test-system": StatedAdmin(partitions=0)}, "partition 0 of stream test-stream"),
        ({}, "System test-system has no admin"),
    ],
)
@pytest.mark.scenario("OFF-08")
def test_a_stream_or_partition_that_is_not_known_is_named(job: Job, admins: dict[str, StatedAdmin], words: str) -> None:
    job.admins = admins
    with pytest.raises(OffsetError, match=words):
        job.started()
    assert not job.startpoints.is_running
    with pytest.raises(NotReady):
        job.checkpoints.read_last_checkpoint("c")


def test_the_metadata_of_a_stream_is_queried_once_and_only_if_needed(job: Job) -> None:
    admin = job.admins["test-system"]
    job.write(checkpoint_v1("u", {KEY[2]: "5", str(SECOND): "5"}), fan_out("u", {KEY[3]: ASKED}))
    job.started({"u": [*SSP[2:4], SECOND]})
    assert (admin.streams_asked, admin.resolved) == ([], [(SSP[3], ASKED)])
    job.started({"t": [SSP[0], SECOND], "u": [SSP[1], SECOND]})
    assert admin.streams_asked == [("stream2", "test-stream")]


@pytest.mark.scenario("OFF-11", "HRD-57")
def test_the_gauge_follows_what_was_committed_and_no_line_is_logged(job: Job, caplog: pytest.LogCaptureFixture) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45"}))
    manager = job.started()
    caplog.clear()
    caplog.set_level(logging.INFO)
    gauge = manager.metrics.checkpointed_offsets
    seen = [gauge[SSP[0]]]
    for offsets in ([], ["46", "47"], ["48"]):
        for offset in offsets:
            manager.update("c", SSP[0], offset)
        before = gauge[SSP[0]]
        commit(manager)
        seen += [before, gauge[SSP[0]]]
    assert seen == ["", "", "45", "45", "47", "47", "48"]
    assert manager.metrics.commit_count == 3
    assert caplog.records == []


@pytest.mark.scenario("OFF-12")
def test_a_commit_is_never_ahead_of_its_snapshot(job: Job) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45"}), fan_out("c", {KEY[0]: ASKED}))
    manager = job.started()
    snapshot = manager.build_checkpoint("c")
    manager.update("c", SSP[0], "23")
    manager.write_checkpoint("c", snapshot)
    assert (job.written(), job.fan_out()) == ({SSP[0]: "45"}, {SSP[0]}), "the startpoint outlives this commit"
    assert at(job.started()) == "23"
    snapshot = manager.build_checkpoint("c")
    manager.update("c", SSP[0], "24")
    manager.write_checkpoint("c", snapshot)
    assert (job.written(), manager.metrics.checkpointed_offsets[SSP[0]]) == ({SSP[0]: "23"}, "23")
    assert manager.get_last_processed_offset("c", SSP[0]) == "24"
    commit(manager)
    assert (job.written(), job.fan_out()) == ({SSP[0]: "24"}, set())


def raising(error: Exception) -> Any:
    def resolve(_startpoint: object) -> str:
        raise error

    return resolve


@pytest.mark.scenario("OFF-14")
@pytest.mark.parametrize(
    ("resolve", "reason"),
    [
        *((lambda _, given=given: given, "its system has no such position") for given in (None, "", " ")),
        (raising(SourceUnavailable()), "its system failed (Brokers or a database"),
        (raising(RuntimeError("password=hunter2")), "its system failed (RuntimeError)"),
    ],
)
def test_a_startpoint_that_cannot_be_resolved_is_refused(
    job: Job, caplog: pytest.LogCaptureFixture, resolve: Any, reason: str
) -> None:
    job.admins = {"test-system": StatedAdmin(resolve=resolve)}
    job.write(checkpoint_v1("c", {KEY[0]: "45"}), fan_out("c", {KEY[0]: ASKED}))
    manager = job.started()
    assert at(manager) == "46"
    (refused,) = manager.refused_startpoints
    assert refused[:3] == ("c", SSP[0], ASKED)
    assert refused.reason.startswith(reason)
    assert manager.metrics.refused_startpoint_count == 1
    (warning,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert "'c' cannot start test-system.test-stream.0 at its startpoint (specific 23)" in warning.getMessage()
    assert job.fan_out() == {SSP[0]}, "it stays until the partition moves"


@pytest.mark.scenario("OFF-15")
def test_a_startpoint_belongs_to_a_task(job: Job) -> None:
    job.write(fan_out("c", {KEY[0]: StartpointOldest(NOW)}))
    manager = job.started()
    manager.set_startpoint("d", SSP[0], StartpointUpcoming(NOW))
    held = [manager.get_startpoint(task_name, SSP[0]) for task_name in ("c", "d", "e")]
    assert held == [StartpointOldest(NOW), StartpointUpcoming(NOW), None]
    assert job.fan_out("d") == set(), "it was not written"


@pytest.mark.scenario("OFF-16", "OFF-17")
def test_a_startpoint_is_used_up_by_the_first_commit_after_its_partition_moved(job: Job) -> None:
    job.write(
        checkpoint_v1("c", {KEY[0]: "45", KEY[1]: "100", KEY[2]: "200"}),
        fan_out("c", dict.fromkeys(KEY[:3], StartpointOldest(NOW))),
    )
    manager = job.started({"c": SSP[:3]})
    commit(manager)
    left = [job.fan_out()]
    for number, offset in enumerate(["46", "100", "201"]):
        manager.update("c", SSP[number], offset)
        assert job.startpoints.is_running
        commit(manager)
        left.append(job.fan_out())
    assert left == [set(SSP[:3]), set(SSP[1:3]), {SSP[2]}, set()]
    assert [manager.get_startpoint("c", partition) for partition in SSP[:3]] == [None] * 3
    with pytest.raises(NotReady):
        job.startpoints.get_fan_out_for_task("c")
    job.startpoints.start()
    assert job.startpoints.get_fan_out_for_task("c") == {}


@pytest.mark.scenario("OFF-18")
def test_without_any_fan_out_the_startpoint_manager_is_stopped_at_once(job: Job) -> None:
    foreign = fan_out("another container's", {KEY[0]: ASKED})
    job.write(checkpoint_v1("c", {KEY[0]: "45"}), foreign, fan_out("c", {KEY[1]: ASKED}))
    manager = job.started()
    assert not job.startpoints.is_running
    assert at(manager) == "46"


@pytest.mark.scenario("OFF-20")
def test_the_end_of_a_stream_is_no_offset_but_uses_up_a_startpoint(job: Job) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45"}), fan_out("c", {KEY[0]: ASKED}))
    manager = job.started()
    manager.update("c", SSP[0], END_OF_STREAM_OFFSET)
    assert manager.get_last_processed_offset("c", SSP[0]) == "45"
    commit(manager)
    assert (job.written(), job.fan_out()) == ({SSP[0]: "45"}, set())


class Plus(CheckpointListener):
    """Changes offsets, returns one of another system, and records its calls."""

    def __init__(self, more: int) -> None:
        self.more = more
        self.heard: list[Offsets] = []

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        return {**{each: str(int(offset) + self.more) for each, offset in offsets.items()}, OTHER: "0", SSP[7]: "0"}

    def on_checkpoint(self, offsets: Offsets) -> None:
        self.heard.append(dict(offsets))


@pytest.mark.scenario("OFF-21", "HRD-44", "OFF-22")
def test_a_listener_hears_and_moves_its_systems_registered_partitions_only(job: Job) -> None:
    listener = Plus(5)
    job.listeners = {"test-system": listener}
    job.write(checkpoint_v1("c", {KEY[0]: "45", str(OTHER): "100"}))
    manager = job.started({"c": [SSP[0], OTHER]})
    assert manager.get_last_processed_offsets("c") == {SSP[0]: "50", OTHER: "100"}
    assert manager.get_last_processed_offset("c", SSP[0]) == "45", "only what is written differs"
    manager.write_checkpoint("c", CheckpointV1({SSP[0]: "45", OTHER: "100", SSP[7]: "50"}))
    assert listener.heard == [{SSP[0]: "45"}]


@pytest.mark.scenario("HRD-11")
def test_an_input_that_was_dropped_for_a_while_starts_anew(job: Job) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45", KEY[1]: "7"}))
    without = job.started({"c": SSP[:1]})
    assert without.get_last_processed_offset("c", SSP[1]) is None
    commit(without)
    without.stop()
    back = job.started({"c": SSP[:2]})
    assert (at(back, 0), at(back, 1)) == ("46", "2")


@pytest.mark.scenario("HRD-13")
def test_a_start_writes_nothing_and_a_commit_of_nothing_neither(job: Job) -> None:
    job.write(fan_out("c", {KEY[0]: ASKED}))
    before = job.ends()
    manager = job.started()
    assert job.ends() == before
    commit(manager)
    manager.write_checkpoint("c", CheckpointV1({}), CheckpointV2(CheckpointId(1, 2), {}, {}))
    assert job.ends() == before


@pytest.mark.scenario("HRD-45")
def test_a_stop_commits_nothing_and_ends_cleanly(job: Job) -> None:
    job.write(checkpoint_v1("c", {KEY[0]: "45"}))
    listener = Plus(1)
    job.listeners = {"test-system": listener}
    with job.manager() as manager:
        manager.update("c", SSP[0], "46")
        before = job.ends()
    assert (job.ends(), listener.heard) == (before, [])
    calls: list[Callable[[], object]] = [lambda: commit(manager), lambda: manager.update("c", SSP[0], "47")]
    for call in calls:
        with pytest.raises(NotReady, match="OffsetManager is not running"):
            call()
    manager.stop()
    assert at(job.started()) == "46", "the last interval is read again"


def test_what_a_commit_could_not_write_the_next_one_does(job: Job) -> None:
    manager = over(KafkaCheckpointManager(WatchedLog(job.topic, failures=1), retry=Retry(longest=0)))
    manager.update("c", SSP[0], "46")
    with pytest.raises(CheckpointNotWritten):
        commit(manager)
    assert (manager.metrics.commit_count, manager.metrics.checkpointed_offsets[SSP[0]]) == (0, "")
    commit(manager)
    assert job.written() == {SSP[0]: "46"}


def test_a_commit_does_not_wait_for_the_retries_of_another_task(job: Job) -> None:
    is_retrying, may_end = Event(), Event()

    def pause(_seconds: float) -> None:
        is_retrying.set()
        may_end.wait(PATIENCE)

    retried_log = WatchedLog(job.topic, failures=1)
    manager = over(KafkaCheckpointManager(retried_log, retry=Retry(sleep=pause)), "c", "other")
    with manager, ThreadPoolExecutor(2) as threads:
        manager.update("c", SSP[0], "7")
        manager.update("other", SSP[1], "8")
        retried = threads.submit(commit, manager)
        assert is_retrying.wait(PATIENCE)
        try:
            threads.submit(commit, manager, "other").result(PATIENCE)
        finally:
            may_end.set()
        retried.result(PATIENCE)
    assert [b'"7"' in (event.value or b"") for event in job.topic.read()] == [False, True]


def test_checkpoints_of_seed_000_are_written_where_that_keeps_them(job: Job) -> None:
    for expected in ("2", "8"):
        manager = over(CheckpointManager(job.coordinator))
        assert at(manager) == expected
        manager.update("c", SSP[0], "7")
        commit(manager)
        manager.stop()
