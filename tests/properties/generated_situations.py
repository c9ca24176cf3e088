"""Jobs before a start, made up from a seed: what its tasks find on the two logs when they ask where to begin."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from eventlog.events import NewEvent, RecordedEvent
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    EXPIRY_MS,
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from tests.builders import (
    checkpoint_v1,
    checkpoint_v2,
    config_set,
    fan_out,
    recorded,
    set_checkpoint,
    startpoint,
    task_partition,
    tombstone,
)

JUDGED_MS: Final = 1_750_000_000_000
"""When every start is judged, later than every record."""

WRITTEN_MS: Final = JUDGED_MS - 3_600_000
MINUTE: Final = 60_000
KAFKA_FACTORY: Final = "org.apache.samza.system.kafka.KafkaSystemFactory"

#: who reads what: a partition of each task's own, one that both read, and the ways to read ``kafka.s.1.2``
ASSIGNED: Final = {
    "kafka.in.0": ("t0",),
    "kafka.in.1": ("t1",),
    "kafka.rules.0": ("t0", "t1"),
    "files.lines.0": ("t0",),
    "kafka.s.1.2": ("t1",),
    "kafka.s.1": ("2",),
    "kafka.dropped.0": ("t0",),
}
INPUTS: Final = "kafka.in,files.lines,kafka.s,kafka.s.1"
BROADCAST: Final = "kafka.rules#0"

_AGES: Final = (0, 1, MINUTE, EXPIRY_MS - 1, EXPIRY_MS, EXPIRY_MS + 1, 2 * EXPIRY_MS)
"""How old requests are, in ms: the last two have expired."""

_APART: Final = (-MINUTE, 0, MINUTE, 10 * MINUTE, 10 * MINUTE + 1, 30 * MINUTE)
"""How much later the second version of a checkpoint is written than the first, in ms."""


@dataclass(frozen=True)
class Situation:
    """A job that is about to start: its config, who reads what of its inputs, and its logs.

    ``assigned`` None: the job has no assignments, so its checkpoints alone name what the tasks read.
    """

    config: dict[str, str]
    assigned: dict[str, list[SystemStreamPartition]] | None
    coordinator: list[RecordedEvent]
    checkpoints: list[RecordedEvent] | None

    @property
    def name(self) -> str:
        """The job's name."""
        return self.config["job.name"]

    @property
    def coordinator_stream(self) -> str:
        """The name of its coordinator stream."""
        return coordinator_stream_name(self.name)

    @property
    def checkpoint_stream(self) -> str:
        """The name of its checkpoint topic."""
        return checkpoint_stream_name(self.name)


def generate_situation(number: int) -> Situation:
    """The situation of this number; the same number always gives the same one."""
    rng = random.Random(number)
    is_assigned = number % 4 != 0
    read = {partition: tasks for partition, tasks in ASSIGNED.items() if rng.random() < 0.9}
    config = _config(rng, number)
    has_topic = rng.random() < 0.75
    events = [
        *(config_set(key, value) for key, value in config.items()),
        *(task_partition(partition, *tasks) for partition, tasks in read.items() if is_assigned),
        *_shuffled(rng, [*_requests(rng), *_fan_outs(rng), *([] if has_topic else _old_checkpoints(rng))]),
    ]
    checkpoints = _checkpoints(rng) if has_topic else None
    assigned = _assigned(read) if is_assigned else None
    return Situation(config, assigned, recorded(events, at=WRITTEN_MS), checkpoints)


def _assigned(read: dict[str, tuple[str, ...]]) -> dict[str, list[SystemStreamPartition]]:
    """The partitions of each task that are inputs of the job."""
    found: dict[str, list[SystemStreamPartition]] = {}
    for partition, tasks in read.items():
        for task in tasks if "dropped" not in partition else ():
            found.setdefault(task, []).append(SystemStreamPartition.parse(partition))
    return found


def _config(rng: random.Random, number: int) -> dict[str, str]:
    config = {
        "job.name": f"start-{number}",
        "job.id": "1",
        "task.inputs": INPUTS,
        "task.broadcast.inputs": BROADCAST,
        "systems.kafka.samza.factory": KAFKA_FACTORY,
        "systems.files.samza.factory": "demo.FilesFactory",
        "job.default.system": "kafka",
        "streams.lines-id.samza.system": "files",
        "streams.lines-id.samza.physical.name": "lines",
    }
    maybe = {
        "systems.kafka.samza.offset.default": ("oldest", "upcoming"),
        "systems.kafka.default.stream.samza.offset.default": (" Oldest", "UPCOMING"),
        "systems.kafka.streams.in.samza.offset.default": ("oldest", "upcoming"),
        "systems.files.samza.offset.default": ("oldest", "upcoming"),
        "streams.lines-id.samza.offset.default": ("oldest", "upcoming"),
        "systems.kafka.streams.in.samza.reset.offset": ("true", "false"),
        "streams.in.samza.reset.offset": ("true", "false"),
        "systems.kafka.default.stream.samza.reset.offset": ("TRUE", "false", "yes"),
        "task.checkpoint.read.versions": ("1", "2", "1,2", "2, 1"),
        "task.live.checkpoint.max.age": ("600000", "0", "60000"),
    }
    chosen = {key: rng.choice(values) for key, values in maybe.items() if rng.random() < 0.3}
    return config | chosen


def _startpoint(rng: random.Random, created: int) -> Startpoint:
    kinds: list[Startpoint] = [
        StartpointSpecific(str(rng.randrange(1000)), created),
        StartpointTimestamp(WRITTEN_MS - rng.randrange(10**6), created),
        StartpointOldest(created),
        StartpointUpcoming(created),
    ]
    nowhere: list[Startpoint] = [
        StartpointSpecific(rng.choice([None, ""]), created),
        StartpointTimestamp(None, created),
    ]
    return rng.choice(nowhere if rng.random() < 0.06 else kinds)


def _requests(rng: random.Random) -> Iterator[NewEvent]:
    """Requests for every task and for one; some with equal times, some overwritten, some deleted."""
    is_calm = rng.random() < 0.3
    for partition, tasks in ASSIGNED.items():
        age = rng.choice(_AGES)
        for key in (partition, *(f"{partition}.{task}" for task in tasks)):
            if is_calm or rng.random() < 0.7:
                continue
            created = JUDGED_MS - (age if rng.random() < 0.4 else rng.choice(_AGES))
            request = startpoint(key, _startpoint(rng, created))
            yield from rng.choice([[request], [request], [request], [request, tombstone(request)]])


def _fan_outs(rng: random.Random) -> Iterator[NewEvent]:
    """Startpoints from an earlier fan-out that were not consumed; they never expire."""
    for task in ("t0", "t1", "2"):
        if rng.random() < 0.4:
            own = [partition for partition, tasks in ASSIGNED.items() if task in tasks]
            picked = rng.sample(own, rng.randint(1, len(own)))
            yield fan_out(task, {each: _startpoint(rng, JUDGED_MS - 3 * EXPIRY_MS) for each in picked})


def _offsets(rng: random.Random, task: str) -> dict[str, str | None]:
    own = [partition for partition, tasks in ASSIGNED.items() if task in tasks and rng.random() < 0.8]
    return {
        partition: rng.choice([*(str(rng.randrange(10**6)),) * 6, None, "-1", str(2**63 - 2), "0", "+7"])
        for partition in own
    }


def _old_checkpoints(rng: random.Random) -> Iterator[NewEvent]:
    for task in ("t0", "t1", "2"):
        for _ in range(rng.choice([0, 1, 2])):
            yield set_checkpoint(task, _offsets(rng, task))


def _checkpoints(rng: random.Random) -> list[RecordedEvent]:
    """Commits of each task in one version or both, at times that make the one or the other count."""
    events: list[tuple[int, NewEvent]] = []
    for task in ("t0", "t1", "2"):
        at = WRITTEN_MS - rng.randrange(10**6)
        forms = rng.choice(["", "1", "2", "12", "12", "21", "11"])
        for place, form in enumerate(forms):
            apart, offsets = rng.choice(_APART), _offsets(rng, task)
            second = {partition: offset for partition, offset in offsets.items() if offset is not None}
            made = checkpoint_v1(task, offsets) if form == "1" else checkpoint_v2(task, second)
            events.append((at + place * apart, made))
        if forms and rng.random() < 0.05:
            events.append((at + 40 * MINUTE, tombstone(checkpoint_v1(task))))
    in_time = sorted(events, key=lambda event: event[0]) if rng.random() < 0.8 else events
    return recorded([event._replace(timestamp=at) for at, event in in_time])


def _shuffled(rng: random.Random, events: Sequence[NewEvent]) -> list[NewEvent]:
    """In any order, but that of one key."""
    by_key: dict[bytes | None, list[NewEvent]] = {}
    for event in events:
        by_key.setdefault(event.key, []).append(event)
    left = list(by_key.values())
    shuffled = []
    while left:
        group = rng.choice(left)
        shuffled.append(group.pop(0))
        left = [each for each in left if each]
    return shuffled
