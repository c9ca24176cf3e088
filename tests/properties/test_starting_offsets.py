"""`starting_offset` says where the offset manager lets each task start: of every task of many generated jobs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, get_args

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.checkpoint import CheckpointV1
from eventlog.config import inputs
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.messages import SetStartpointFanOut
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection, connect
from eventlog.starting_offset import IgnoredReason, StartingOffset
from eventlog.startpoint import Startpoint
from eventlog.streams import identify
from eventlog.wire.coordinator import decode_key
from managers.checkpoints.checkpoint_manager import JobCheckpoints, KafkaCheckpointManager, checkpoint_manager
from managers.checkpoints.checkpoint_tool import CheckpointTool
from managers.offsets.offset_manager import OffsetManager
from managers.startpoints.next_starts import StartpointFacts, next_starts
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.fixtures.postgres import CloneSeries
from tests.managers.stated_admin import StatedAdmin
from tests.properties.generated_situations import JUDGED_MS, Situation, generate_situation
from tests.properties.importing import import_events

JOBS: Final = 200
SITUATIONS: Final = 1_000
SHOWN: Final = """
select s.job_name, s.task_name, concat_ws('.', s.system_name, s.stream_name, s.partition_id),
  s.decided_by, s.startpoint_type, s.startpoint_value, s.starting_offset, s.ignored_reason, s.startpoint_log_offset,
  s.assigned_by
from (select distinct job_name, job_id from projection.job_log) j
cross join lateral
  coordinator.starting_offset_as_of(j.job_name, j.job_id, timestamptz 'epoch' + {at} * interval '1 ms') s
"""

Place = tuple[str, str, str]
"""Job, task and partition."""
Reads = dict[str, list[SystemStreamPartition]]
"""The partitions of each task."""


@dataclass(frozen=True)
class Shown:
    """What the relation says of a place; ``request_offset`` is the log offset of the startpoint's event."""

    decision: StartingOffset
    ignored: IgnoredReason | None
    request_offset: int | None
    assigned_by: str


@dataclass(frozen=True)
class Began:
    """What the offset manager says of a place, and which checkpoint it read."""

    decision: StartingOffset
    offset: str | None
    checkpoint: str


def reads(situation: Situation) -> Reads:
    """What each task reads; without assignments it is what its checkpoint names of the job's inputs."""
    if situation.assigned is not None:
        return situation.assigned
    named, found = inputs(situation.config), Reads()
    with checkpoints_of(situation) as manager:
        for task_name in manager.task_names():
            manager.register(task_name)
            checkpoint = manager.read_last_checkpoint(task_name)
            partitions = [] if checkpoint is None else list(checkpoint.offsets)
            read = [each for each in partitions if named is None or (each.system, each.stream) in named]
            if read:
                found[task_name] = read
    return found


def checkpoints_of(situation: Situation) -> JobCheckpoints:
    coordinator = log_of(situation.coordinator_stream, situation.coordinator)
    topic = None if situation.checkpoints is None else log_of(situation.checkpoint_stream, situation.checkpoints)
    return checkpoint_manager(situation.config, coordinator=coordinator, checkpoint=topic)


def log_of(name: str, events: list[RecordedEvent]) -> MemoryEventLog:
    log = MemoryEventLog(identify(name))
    log.append([NewEvent(event.key, event.value, event.timestamp) for event in events])
    return log


def began(situation: Situation, *, is_replacing: bool) -> dict[Place, Began]:
    """Start a job at the time of judgement: fan its startpoints out, then ask the manager.

    ``is_replacing``: as Samza's coordinator does it, whose new fan-out of a task takes the place of all that it held;
    ours keeps startpoints of partitions without a new request.
    """
    read = reads(situation)
    if not read:
        return {}
    with CoordinatorStreamStore(log_of(situation.coordinator_stream, situation.coordinator)) as store:
        startpoints = StartpointManager(store, clock=lambda: JUDGED_MS)
        with startpoints:
            if is_replacing:
                for task_name in fanned_out_again(situation):
                    startpoints.remove_fan_out_for_task(task_name)
            startpoints.fan_out(read)
        checkpoints = checkpoints_of(situation)
        manager = OffsetManager(
            situation.config,
            system_admins={"kafka": StatedAdmin(), "files": StatedAdmin()},
            checkpoint_manager=checkpoints,
            startpoint_manager=startpoints,
        )
        for task_name, partitions in read.items():
            manager.register(task_name, partitions)
        with manager:
            return dict(told(situation.name, read, manager, isinstance(checkpoints, KafkaCheckpointManager)))


def fanned_out_again(situation: Situation) -> set[str]:
    """The tasks that the next fan-out hands anything to."""
    with (
        CoordinatorStreamStore(log_of(situation.coordinator_stream, situation.coordinator)) as store,
        StartpointManager(store, clock=lambda: JUDGED_MS) as startpoints,
    ):
        return set(startpoints.fan_out(reads(situation)))


def pending(situation: Situation) -> dict[tuple[str, str], Startpoint]:
    """What the tasks hold before the next fan-out, by task and partition."""
    with (
        CoordinatorStreamStore(log_of(situation.coordinator_stream, situation.coordinator)) as store,
        StartpointManager(store, clock=lambda: JUDGED_MS) as startpoints,
    ):
        return {
            (task_name, str(partition)): startpoint
            for task_name in reads(situation)
            for partition, startpoint in startpoints.get_fan_out_for_task(task_name).items()
        }


def told(name: str, read: Reads, manager: OffsetManager, is_topic: bool) -> Iterator[tuple[Place, Began]]:
    for task_name, partitions in read.items():
        checkpoint = manager.get_last_task_checkpoint(task_name)
        version = "V1" if isinstance(checkpoint, CheckpointV1) else "V2"
        form = "none" if checkpoint is None else version if is_topic else "set-checkpoint"
        for partition in partitions:
            decision = manager.get_starting_decision(task_name, partition)
            assert decision is not None
            offset = manager.get_starting_offset(task_name, partition)
            yield (name, task_name, str(partition)), Began(decision, offset, form)


@pytest.fixture(scope="module")
def situations() -> list[Situation]:
    return [generate_situation(number) for number in range(JOBS)]


@pytest.fixture(scope="module")
def shown(postgres_server: EmbeddedPostgres, template_database: str, situations: list[Situation]) -> dict[Place, Shown]:
    """What the relation says of all jobs at once, at the time of judgement."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        for situation in situations:
            import_events(connection, situation.coordinator_stream, situation.coordinator)
            if situation.checkpoints is not None:
                import_events(connection, situation.checkpoint_stream, situation.checkpoints)
        connection.execute("analyze")
        return rows(connection)


def rows(connection: Connection) -> dict[Place, Shown]:
    query = SHOWN.format(at=JUDGED_MS).encode()
    return {row[:3]: Shown(StartingOffset(*row[3:7]), *row[7:]) for row in connection.execute(query)}


def decided(decision: StartingOffset) -> tuple[str | None, ...]:
    return decision.decided_by, decision.startpoint_type, decision.startpoint_value, decision.starting_offset


def test_the_relation_is_what_the_offset_manager_does(situations: list[Situation], shown: dict[Place, Shown]) -> None:
    begun = {place: one for each in situations for place, one in began(each, is_replacing=True).items()}
    assert len(begun) >= SITUATIONS
    assert begun.keys() == shown.keys()
    differing = {place: (begun[place], shown[place]) for place in begun if not is_same(begun[place], shown[place])}
    assert list(differing.items())[:3] == []
    events = {each.name: each.coordinator for each in situations}
    counts = Counter(name for place in begun for name in classes(place, begun[place], shown[place], events[place[0]]))
    print(f"\n{len(begun)} situations:", *(f"  {count:5} {name}" for name, count in sorted(counts.items())), sep="\n")
    assert set(CLASSES) == set(counts)


def test_our_fan_out_keeps_what_samzas_would_replace_and_differs_in_nothing_else(
    situations: list[Situation], shown: dict[Place, Shown]
) -> None:
    begun = {place: one for each in situations for place, one in began(each, is_replacing=False).items()}
    differing = {place: (begun[place], shown[place]) for place in begun if not is_same(begun[place], shown[place])}
    print(f"\n{len(differing)} of {len(begun)} situations start from what their task still held")
    assert differing
    held = {each.name: pending(each) for each in situations}
    for (name, *place), (kept, replaced) in differing.items():
        startpoint = held[name][place[0], place[1]]
        assert decided(kept.decision)[:3] == ("startpoint", startpoint.kind, startpoint.value)
        assert (replaced.decision.decided_by != "startpoint", replaced.ignored is not None) == (True, True)


def test_our_commands_predict_the_same_starts(situations: list[Situation], shown: dict[Place, Shown]) -> None:
    assigned_by: dict[Place, str] = {}
    starts: dict[Place, StartingOffset] = {}
    for each in situations:
        facts = StartpointFacts.read(log_of(each.coordinator_stream, each.coordinator))
        with CheckpointTool(checkpoints_of(each), facts.job) as tool:
            checkpoints = tool.current_inputs()
        facts = facts.with_checkpoints(checkpoints)
        read = facts.reads().items()
        assigned_by |= {
            (each.name, task, str(one)): facts.assigned_by for task, partitions in read for one in partitions
        }
        predicted = next_starts(facts, checkpoints, facts.requests, JUDGED_MS).items()
        starts |= {(each.name, task, str(one)): start for (task, one), start in predicted}
    assert assigned_by == {place: one.assigned_by for place, one in shown.items()}
    assert starts.keys() == shown.keys()
    differing = {
        place: (starts[place], shown[place]) for place in starts if not is_predicted(starts[place], shown[place])
    }
    assert list(differing.items())[:3] == []


def is_predicted(start: StartingOffset, shown: Shown) -> bool:
    """Both decide alike for the same reasons; the command does not name a second candidate (`older`, `ambiguous`)."""
    is_same_reason = start.ignored_reason == shown.ignored or shown.ignored in ("older", "ambiguous", "expired")
    return decided(start) == decided(shown.decision) and is_same_reason


IGNORED_BY_A_FAN_OUT: Final[set[IgnoredReason]] = {"older", "expired", "ambiguous", "replaced"}
"""Reasons that the offset manager does not know, because the fan-out before it has left these startpoints out."""


def is_same(begun: Began, shown: Shown) -> bool:
    """Both decide alike for the same reasons, and if SQL knows the offset, the manager starts there."""
    known = shown.decision.starting_offset
    return (
        decided(begun.decision) == decided(shown.decision)
        and known in (None, begun.offset)
        and (begun.decision.ignored_reason == shown.ignored or shown.ignored in IGNORED_BY_A_FAN_OUT)
    )


CLASSES: Final = (
    *(f"startpoint {kind}" for kind in ("oldest", "specific", "timestamp", "upcoming")),
    *(f"{rule} {end}" for rule in ("default", "reset") for end in ("oldest", "upcoming")),
    *(f"checkpoint {read}" for read in ("V1", "V2", "set-checkpoint")),
    "checkpoint whose next offset only the system can tell",
    *(f"startpoint {asked}" for asked in ("asked for every task", "asked for the task", "held since an earlier start")),
    *(f"partition known by {source}" for source in ("assignment", "checkpoint")),
    *(f"ignored {why}" for why in sorted({*get_args(IgnoredReason)} - {"unresolved"})),
)


def classes(place: Place, begun: Began, shown: Shown, events: list[RecordedEvent]) -> Iterator[str]:
    """What a situation is an example of."""
    decision = shown.decision
    if decision.decided_by == "checkpoint":
        yield f"checkpoint {begun.checkpoint}"
        if decision.starting_offset is None:
            yield "checkpoint whose next offset only the system can tell"
    else:
        yield f"{decision.decided_by} {decision.startpoint_type}"
    if shown.request_offset is not None and decision.decided_by == "startpoint":
        yield f"startpoint {asked(place, events[shown.request_offset])}"
    yield f"partition known by {shown.assigned_by}"
    if shown.ignored is not None:
        yield f"ignored {shown.ignored}"


def asked(place: Place, event: RecordedEvent) -> str:
    key = decode_key(event.key)
    if key.message_type == SetStartpointFanOut.message_type:
        return "held since an earlier start"
    return "asked for every task" if key.key == place[2] else "asked for the task"
