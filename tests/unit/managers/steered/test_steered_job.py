"""A steered job against a model of one thread: whatever fails in between, each record has its effect exactly once."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.events import NewEvent
from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest, StartpointSpecific, StartpointUpcoming
from eventlog.streams import StreamIdentity, checkpoint_stream_name, coordinator_stream_name, identify
from eventlog.system_admin import SystemStreamMetadata, SystemStreamPartitionMetadata
from managers.errors import ManagerError
from managers.offsets.resolved_starts import OffsetError
from managers.startpoints.next_starts import Stream, stream_of
from managers.startpoints.startpoint_manager import StartpointManager
from managers.steered.job_record import JobRecord
from managers.steered.steered_job import LIVE_STARTPOINTS, Committed, JobTakenOver, SteeredBatch, SteeredJob
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.managers.stated_admin import StatedAdmin

PARTITIONS = [SystemStreamPartition("kafka", "clicks", number) for number in range(2)]
CONFIG = {"task.inputs": "kafka.clicks", "systems.kafka.samza.offset.default": "oldest"}
MOST = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Crash(BaseException):
    """The process ends here."""


class Topic(StatedAdmin):
    """The input: partitions that grow."""

    def __init__(self) -> None:
        super().__init__(partitions=len(PARTITIONS))
        self.ends = [3, 5]
        self.topic_id = "first"

    def get_system_stream_metadata(self, stream_names: Any) -> Any:
        ends = enumerate(self.ends)
        parts = {number: SystemStreamPartitionMetadata("0", str(end - 1), str(end)) for number, end in ends}
        return {name: SystemStreamMetadata(name, parts, self.topic_id) for name in stream_names}

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        end = str(self.ends[partition.partition])
        return {"oldest": "0", "upcoming": end}.get(startpoint.kind, startpoint.value)


@dataclass
class World:
    """A job's logs, its sink and its input, and how many of their effects come before the next crash."""

    steps: int = 1_000_000
    config: dict[str, str] = field(default_factory=lambda: CONFIG)
    topic: Topic = field(default_factory=Topic)
    committed: Committed = field(default_factory=Committed)
    output: Counter[tuple[int, int]] = field(default_factory=Counter)
    inputs: Sequence[Stream] = (("kafka", "clicks"),)
    interval: float | None = None
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        names = coordinator_stream_name("clicks", "1"), checkpoint_stream_name("clicks", "1")
        self.logs = [CrashingLog(identify(name), self) for name in names]

    def step(self) -> None:
        """One effect, or the crash before it."""
        if self.steps == 0:
            raise Crash
        self.steps -= 1

    def request(self, number: int, startpoint: Startpoint) -> None:
        store = CoordinatorStreamStore(self.logs[0])
        with StartpointManager(store, clock=lambda: 0) as manager:
            manager.write_startpoint(PARTITIONS[number], startpoint)

    def run(self) -> None:
        """Run the job to the present ends, with an interval until it is stopped, or to the crash."""
        logs = dict(zip(("coordinator", "checkpoint"), self.logs, strict=True))
        with JobRecord("clicks", "1", **logs, source="test", clock=lambda: EPOCH) as record:
            job = SteeredJob(record, {"kafka": self.topic}, self.inputs, self.config)
            for batch in job.batches(lambda _: self.committed, self.commit, MOST, self.stop, interval=self.interval):
                self.commit(batch)
                job.record(batch)
            places = {each: offset for each, offset in self.committed.places.items() if stream_of(each) in self.inputs}
            assert self.checkpoint(record) == places

    def commit(self, batch: SteeredBatch) -> None:
        """Write output and position at once, as a sink does."""
        self.step()
        assert sum(map(len, batch.ranges.values())) <= MOST + len(batch.ranges)
        self.output.update((each.partition, offset) for each, found in batch.ranges.items() for offset in found)
        self.committed = Committed.of_json(batch.number, batch.places_json())
        self.step()

    def checkpoint(self, record: JobRecord) -> dict[SystemStreamPartition, int]:
        found = record.checkpoints.read_last_checkpoint("clicks")
        assert found is not None
        return {each: int(offset or "") + 1 for each, offset in found.offsets.items()}


class CrashingLog(MemoryEventLog):
    """A log whose appends are effects."""

    def __init__(self, stream: StreamIdentity, world: World) -> None:
        super().__init__(stream)
        self._world = world

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        self._world.step()
        offsets = super().append(events, expected_offset=expected_offset)
        self._world.step()
        return offsets


class Model:
    """The same in one thread that nothing interrupts."""

    def __init__(self) -> None:
        self.places = [0 for _ in PARTITIONS]
        self.output: Counter[tuple[int, int]] = Counter()
        self.requested: dict[int, int | None] = {}

    def run(self, ends: Sequence[int]) -> None:
        for number, start in self.requested.items():
            self.places[number] = ends[number] if start is None else start
        self.requested = {}
        for number, end in enumerate(ends):
            self.output.update((number, offset) for offset in range(self.places[number], end))
            self.places[number] = end


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 1), st.integers(1, 7)),
        st.tuples(st.just("rewind"), st.integers(0, 1), st.sampled_from(["oldest", "upcoming", "0", "2", "3"])),
        st.tuples(st.just("crash"), st.integers(0, 30), st.integers(0, 3)),
    ),
    max_size=12,
)


@given(OPERATIONS)
@settings(max_examples=150, deadline=None)
def test_each_record_has_its_effect_once(operations: list[tuple[str, int, Any]]) -> None:
    world, model = World(), Model()
    for now, (kind, number, value) in enumerate([*operations, ("crash", 5, 1)]):
        if kind == "write":
            world.topic.ends[number] += value
        elif kind == "rewind":
            order: dict[str, Startpoint] = {"oldest": StartpointOldest(now), "upcoming": StartpointUpcoming(now)}
            world.request(number, order.get(value) or StartpointSpecific(value, now))
            model.requested[number] = {"oldest": 0, "upcoming": None}[value] if value in order else int(value)
        else:
            crash_and_run(world, number, value)
            model.run(world.topic.ends)
            assert world.output == model.output
            assert [world.committed.places[each] for each in PARTITIONS] == model.places


def crash_and_run(world: World, steps: int, crashes: int) -> None:
    """Run to the end, after some runs that crash, each at a later step."""
    for crash in range(crashes):
        world.steps = steps + crash
        with suppress(Crash):
            world.run()
    world.steps = 1_000_000
    world.run()


def test_a_partition_that_is_added_starts_at_its_oldest_offset() -> None:
    world = World(config={"task.inputs": "kafka.clicks", "systems.kafka.samza.offset.default": "upcoming"})
    world.run()
    world.topic.ends.append(2)
    world.run()
    assert world.output == {(2, 0): 1, (2, 1): 1}


def test_a_partition_that_is_added_while_the_job_runs_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(interval=0.01, config={**CONFIG, "systems.kafka.samza.offset.default": "upcoming"})
    ends = iter([[3, 5, 0], [3, 5, 2]])

    def step() -> None:
        world.topic.ends = next(ends, world.topic.ends)
        if world.output:
            world.stop.set()

    monkeypatch.setattr(world, "step", step)
    world.run()
    assert world.output == {(2, 0): 1, (2, 1): 1}


def test_a_topic_that_is_made_again_is_read_from_a_startpoint_only(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    monkeypatch.setattr(world, "step", lambda: setattr(world.topic, "topic_id", "second" if world.output else "first"))
    for _ in range(2):
        with pytest.raises(ManagerError, match=r"but its topic was deleted and created again\. Request a startpoint"):
            world.run()
    for number in range(2):
        world.request(number, StartpointSpecific("2", 0))
    world.run()
    assert world.output == {(0, 0): 1, (0, 1): 1, (0, 2): 1, (1, 0): 1, (1, 1): 1, (1, 2): 2, (1, 3): 1, (1, 4): 1}


def test_an_input_that_is_left_out_for_a_run_keeps_its_place() -> None:
    clicks, views = ("kafka", "clicks"), ("kafka", "views")
    world = World()
    for world.inputs in (clicks, views), (clicks,), (clicks, views):
        world.run()
    assert set(world.output.values()) == {2}


def test_a_startpoint_that_is_requested_beside_a_fan_out_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(config={**CONFIG, LIVE_STARTPOINTS: "true"})
    world.run()
    world.request(0, StartpointOldest(1))

    def step() -> None:
        if world.steps and [*world.logs[0].read()][-1].value is None:  # the first fan-out deletes the first request
            world.steps = 0
            world.request(1, StartpointOldest(2))

    monkeypatch.setattr(world, "step", step)
    world.run()
    assert world.output == {(number, offset): 2 for number, end in enumerate(world.topic.ends) for offset in range(end)}


class Overtaken(World):
    """Another copy takes the sink over after the first records, and then a startpoint is requested."""

    def commit(self, batch: SteeredBatch) -> None:
        if self.output:
            raise JobTakenOver(batch.job)
        super().commit(batch)
        if batch.ranges:
            self.request(0, StartpointOldest(0))


def test_an_overtaken_copy_leaves_requests_to_the_other() -> None:
    world = Overtaken(config={**CONFIG, LIVE_STARTPOINTS: "true"})
    with pytest.raises(JobTakenOver):
        world.run()
    with StartpointManager(CoordinatorStreamStore(world.logs[0]), clock=lambda: 0) as manager:
        assert manager.read_startpoint(PARTITIONS[0]) == StartpointOldest(0)


def test_a_startpoint_that_is_no_offset_stops_the_job() -> None:
    world = World()
    world.request(0, StartpointSpecific("abc", 0))
    with pytest.raises(OffsetError, match=r"cannot start to read kafka\.clicks\.0 at 'abc', which is no offset"):
        world.run()
    assert not world.output
