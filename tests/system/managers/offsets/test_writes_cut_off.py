"""A program that dies between any two of its writes, or is not alone: the next start begins at the right places."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import pytest

from eventlog.checkpoint import CheckpointId, CheckpointV2
from eventlog.events import NewEvent
from eventlog.log import EventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import EXPIRY_MS, StartpointOldest, StartpointSpecific, StartpointTimestamp, StartpointUpcoming
from eventlog.wire import checkpoint_topic
from eventlog.wire.coordinator import decode_key
from managers.checkpoints.checkpoint_manager import KafkaCheckpointManager
from managers.offsets.offset_manager import OffsetManager
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import checkpoint_v1, checkpoint_v2, fan_out, startpoint
from tests.fixtures.managers.log_makers import LogMaker
from tests.fixtures.managers.stated_admin import StatedAdmin
from tests.fixtures.managers.watched_log import Cut, CutLog, Lifetime, WatchedLog

NOW: Final = 1_700_000_000_000
IN: Final = [SystemStreamPartition("k", "in", number) for number in range(4)]
RULES: Final = SystemStreamPartition("k", "rules", 0)
TASKS: Final = {"t0": [IN[0], IN[2], RULES], "t1": [IN[1], IN[3], RULES]}
TIMED: Final = StartpointTimestamp(5, NOW)

#: two tasks with checkpoints, one with a startpoint; requests of both kinds, an older and an expired one
BEFORE: Final = (
    fan_out("t0", {"k.in.2": StartpointUpcoming(NOW - 3 * EXPIRY_MS)}),
    startpoint("k.in.0", StartpointSpecific("7", NOW)),
    startpoint("k.in.0.t0", StartpointSpecific("1", NOW - 1)),
    startpoint("k.in.1.t1", StartpointOldest(NOW)),
    startpoint("k.rules.0", TIMED),
    startpoint("k.in.3", StartpointOldest(NOW - EXPIRY_MS - 1)),
)
CHECKPOINTS: Final = tuple(
    make(task, {str(partition): "45" for partition in partitions})
    for task, partitions in TASKS.items()
    for make in (checkpoint_v1, checkpoint_v2)
)

Starts = dict[tuple[str, str], str | None]
RIGHT: Final[Starts] = {
    ("t0", "k.in.0"): "7",
    ("t0", "k.in.2"): "2",
    ("t0", "k.rules.0"): "5",
    ("t1", "k.in.1"): "0",
    ("t1", "k.in.3"): "46",
    ("t1", "k.rules.0"): "5",
}


def now_ms() -> int:
    return NOW


@dataclass
class Job:
    """A job's two logs, on which programs come and go."""

    coordinator: EventLog
    topic: EventLog
    config: dict[str, str] = field(default_factory=dict)

    def next_start(self) -> Starts:
        """What a new deployment does: a coordinator hands orders out, containers ask where to begin."""
        self.fan_out(self.coordinator)
        with self.container(self.coordinator, self.topic) as manager:
            return {
                (task, str(partition)): manager.get_starting_offset(task, partition)
                for task, partitions in TASKS.items()
                for partition in partitions
            }

    def fan_out(self, coordinator: EventLog) -> None:
        with CoordinatorStreamStore(coordinator) as store, StartpointManager(store, clock=now_ms) as startpoints:
            startpoints.fan_out(TASKS)

    def order(self, offset: str, task_name: str | None = None) -> None:
        with CoordinatorStreamStore(self.coordinator) as store, StartpointManager(store, clock=now_ms) as startpoints:
            startpoints.write_startpoint(IN[0], StartpointSpecific(offset, NOW + 1), task_name=task_name)

    def container(self, coordinator: EventLog, topic: EventLog) -> OffsetManager:
        store = CoordinatorStreamStore(coordinator)
        manager = OffsetManager(
            self.config,
            system_admins={"k": StatedAdmin()},
            checkpoint_manager=KafkaCheckpointManager(topic, config=self.config),
            startpoint_manager=StartpointManager(store, clock=now_ms),
        )
        for task, partitions in TASKS.items():
            manager.register(task, partitions)
        return manager


def job_on(logs: LogMaker, config: Mapping[str, str] | None = None) -> Job:
    """A job that stands before its first start with these orders."""
    job = Job(logs.create(), logs.create("checkpoint"), dict(config or {}))
    job.coordinator.append(BEFORE)
    job.topic.append(CHECKPOINTS)
    return job


def step(event: NewEvent | None) -> str:
    assert event is not None
    assert event.key is not None
    what = "delete" if event.value is None else "put"
    if event.key.startswith(b"{"):
        topic_key = checkpoint_topic.decode_key(event.key)
        return f"{what} {topic_key.key_type} {topic_key.task_name}"
    key = decode_key(event.key)
    return f"{what} {key.message_type.removeprefix('samza-startpoint-v1') or 'request'} {key.key}".replace(" -", " ")


def cut_everywhere(run: Callable[[Lifetime], object]) -> Iterator[tuple[int, str]]:
    """Let a program die at its first event, then at its second, and so on until it lives to its end."""
    for events in count():
        lifetime = Lifetime(events)
        try:
            run(lifetime)
        except Cut:
            yield events, step(lifetime.undone)
        else:
            return


@pytest.mark.scenario("SPM-15")
def test_a_fan_out_that_is_cut_off_anywhere_is_done_by_the_next_start(logs: LogMaker) -> None:
    job = job_on(logs)
    assert job.next_start() == RIGHT

    def run(lifetime: Lifetime) -> None:
        nonlocal job
        job = job_on(logs)
        job.fan_out(CutLog(job.coordinator, lifetime))

    cut_at = []
    for _, at in cut_everywhere(run):
        cut_at.append(at)
        assert job.next_start() == RIGHT, at
        assert job.next_start() == RIGHT, at
    assert sorted(cut_at) == sorted(
        [
            "put fan-out t0",
            "put fan-out t1",
            "delete request k.in.0",
            "delete request k.in.0.t0",
            "delete request k.in.1.t1",
            "delete request k.rules.0",
        ]
    )
    assert all(at.startswith("put") for at in cut_at[:2]), "fan-outs are written before requests are deleted"


COMMITS: Final = (
    "put checkpoint t0",
    "put checkpoint-v2 t0",
    "put fan-out t0",
    "put checkpoint t0",
    "put checkpoint-v2 t0",
    "delete fan-out t0",
)
"""The first commit after partition 0 has moved, then one after the two others have."""


def two_commits(job: Job, lifetime: Lifetime) -> None:
    with job.container(CutLog(job.coordinator, lifetime), CutLog(job.topic, lifetime)) as manager:
        for offset in ("7", "8"):
            manager.update("t0", IN[0], offset)
        commit(manager)
        manager.update("t0", IN[2], "2")
        manager.update("t0", RULES, "5")
        commit(manager)


def commit(manager: OffsetManager) -> None:
    said = manager.build_checkpoint("t0")
    manager.write_checkpoint("t0", said, CheckpointV2(CheckpointId(1, 2), said.offsets, {}))


@pytest.mark.scenario("HRD-37", "HRD-14")
@pytest.mark.parametrize("versions", ["1", "2,1"])
def test_a_commit_that_is_cut_off_anywhere_loses_no_startpoint(logs: LogMaker, versions: str) -> None:
    job = job_on(logs)

    def run(lifetime: Lifetime) -> None:
        nonlocal job
        job = job_on(logs, {"task.checkpoint.read.versions": versions})
        job.fan_out(job.coordinator)
        two_commits(job, lifetime)

    cut_at = []
    for events, at in cut_everywhere(run):
        cut_at.append(at)
        moved = {("t0", "k.in.0"): "9"} if events >= 3 else {}
        assert job.next_start() == {**RIGHT, **moved}, at
    assert tuple(cut_at) == COMMITS
    all_moved = {("t0", "k.in.0"): "9", ("t0", "k.in.2"): "3", ("t0", "k.rules.0"): "6"}
    assert job.next_start() == {**RIGHT, **all_moved}


@pytest.mark.parametrize("task_name", [None, "t0"])
def test_a_request_written_during_a_fan_out_is_not_lost(logs: LogMaker, task_name: str | None) -> None:
    job = job_on(logs)
    log = WatchedLog(job.coordinator)
    log.meanwhile = lambda: job.order("99", task_name)
    job.fan_out(log)
    assert job.next_start() == {**RIGHT, ("t0", "k.in.0"): "99"}


def test_a_startpoint_fanned_out_during_a_commit_is_not_lost(logs: LogMaker) -> None:
    job = job_on(logs)
    job.fan_out(job.coordinator)

    def fan_out_another() -> None:
        job.order("99")
        job.fan_out(job.coordinator)

    log = WatchedLog(job.coordinator)
    log.meanwhile = fan_out_another
    with job.container(log, job.topic) as manager:
        manager.update("t0", IN[0], "7")
        commit(manager)
    assert job.next_start() == {**RIGHT, ("t0", "k.in.0"): "99"}
