"""Startpoints are read by Samza 1.8.0 itself, and the other way round, on a real broker."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import pytest

from eventlog.kafka.log import KafkaEventLog
from eventlog.kafka.options import KafkaOptions
from eventlog.log import EventLog, MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    EXPIRY_MS,
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.streams import identify
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import clock
from tests.fixtures import samza_startpoints as asked
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.samza import Call, Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

#: Samza judges by this machine's clock whether a request has expired, and so do we here; nothing else depends on it.
#: These are taken when the session begins, which may last for hours.
NOW_MS: Final = time.time_ns() // 1_000_000
MINUTE: Final = 60_000
FRESH: Final = NOW_MS - EXPIRY_MS // 2
STALE: Final = NOW_MS - EXPIRY_MS - MINUTE
IN: Final = [SystemStreamPartition("kafka", "in", number) for number in range(6)]
OTHER: Final = SystemStreamPartition("kafka", "other_views-1", 10)
TASKS: Final = {
    "Partition 0": [IN[0], IN[1]],
    'task "\u0436" \U0001f680': [IN[0], IN[2], OTHER],
    "SystemStreamPartition [kafka, in, 3]": [IN[3]],
    "Partition 4": [IN[4]],
}
AWKWARD: Final = 'task "\u0436" \U0001f680'


class Request(NamedTuple):
    """A startpoint request."""

    partition: SystemStreamPartition
    startpoint: Startpoint
    task_name: str | None = None


REQUESTS: Final = [
    Request(IN[0], StartpointSpecific("42", FRESH)),
    Request(IN[0], StartpointTimestamp(1732147200000, FRESH + 1), "Partition 0"),
    Request(IN[1], StartpointOldest(FRESH)),
    Request(IN[2], StartpointUpcoming(FRESH), AWKWARD),
    Request(OTHER, StartpointTimestamp(-1, FRESH)),
    Request(IN[3], StartpointSpecific('a:\u2713 \U0001f680 "\\', NOW_MS + EXPIRY_MS)),
    Request(IN[4], StartpointSpecific("1", STALE)),
    Request(IN[5], StartpointSpecific("", FRESH), "unread"),
]


@contextmanager
def managing(log: EventLog, now_ms: int = NOW_MS) -> Iterator[StartpointManager]:
    with CoordinatorStreamStore(log) as store, StartpointManager(store, clock=lambda: now_ms) as manager:
        yield manager


@pytest.fixture
def log(kafka_options: KafkaOptions, coordinator_topic: str) -> Iterator[KafkaEventLog]:
    with KafkaEventLog(kafka_options, identify(coordinator_topic)) as opened:
        yield opened


def memory_log() -> MemoryEventLog:
    return MemoryEventLog(identify("__samza_coordinator_a_1"), clock=clock)


def write_all(manager: StartpointManager) -> None:
    for request in REQUESTS:
        manager.write_startpoint(request.partition, StartpointOldest(FRESH - 1), task_name=request.task_name)
        manager.write_startpoint(request.partition, request.startpoint, task_name=request.task_name)
    manager.write_startpoint(OTHER, StartpointOldest(FRESH), task_name="deleted")
    manager.delete_startpoint(OTHER, task_name="deleted")


#: The same by Samza.
WRITE_ALL: Final = [
    *(
        asked.write(request.partition, startpoint, request.task_name)
        for request in REQUESTS
        for startpoint in (StartpointOldest(FRESH - 1), request.startpoint)
    ),
    asked.write(OTHER, StartpointOldest(FRESH), "deleted"),
    asked.delete(OTHER, "deleted"),
]
READ_ALL: Final = [
    *(asked.read(request.partition, request.task_name) for request in REQUESTS),
    asked.read(OTHER, "deleted"),
]
FAN_OUTS: Final = [asked.get_fan_out(task) for task in TASKS]


def read_all(manager: StartpointManager) -> list[Startpoint | None]:
    places = [*((request.partition, request.task_name) for request in REQUESTS), (OTHER, "deleted")]
    return [manager.read_startpoint(partition, task_name=task) for partition, task in places]


def fan_outs_of_all(manager: StartpointManager) -> list[Mapping[SystemStreamPartition, Startpoint]]:
    return [manager.get_fan_out_for_task(task) for task in TASKS]


def remove_some(manager: StartpointManager) -> None:
    for task, partitions in TASKS.items():
        manager.remove_fan_out_for_task_ssps(task, partitions[:1])
    manager.remove_fan_out_for_task("never fanned out")


REMOVE_SOME: Final = [
    *(asked.remove(task, partitions[:1]) for task, partitions in TASKS.items()),
    asked.remove("never fanned out"),
]


# Samza's store reads from the topic, a moment late, what it has written itself: another start of it reads all.


def test_samza_reads_what_we_write(samza: Samza, log: KafkaEventLog, job_name: str) -> None:
    config = samza.config(job_name)
    with managing(log) as manager:
        write_all(manager)
        assert samza.ask(asked.PROGRAM, config, READ_ALL) == read_all(manager)
        manager.fan_out(TASKS)
        ours = [*read_all(manager), *fan_outs_of_all(manager)]
        assert samza.ask(asked.PROGRAM, config, [*READ_ALL, *FAN_OUTS]) == ours
        samza.ask(asked.PROGRAM, config, REMOVE_SOME)
        assert samza.ask(asked.PROGRAM, config, FAN_OUTS) == fan_outs_of_all(manager)


def test_we_read_what_samza_writes_and_write_the_same(
    samza: Samza, log: KafkaEventLog, topics: Topics, job_name: str
) -> None:
    config = samza.config(job_name)
    samza.ask(asked.PROGRAM, config, WRITE_ALL)
    with managing(log) as manager:
        assert [each is None for each in read_all(manager)] == [False] * 6 + [True, False, True]  # stale, deleted
        (fanned_out,) = samza.ask(asked.PROGRAM, config, [asked.fan_out(TASKS)])
        assert [fanned_out.get(task, {}) for task in TASKS] == fan_outs_of_all(manager)
        remove_some(manager)
    theirs = [(each.key, unordered(each.value)) for each in topics.kept(log.stream_name)]
    ours = memory_log()
    with managing(ours, fanned_out_at(theirs)) as manager:
        write_all(manager)
        manager.fan_out(TASKS)
        remove_some(manager)
    assert sorted(theirs, key=repr) == sorted(((each.key, unordered(each.value)) for each in ours.read()), key=repr)


def fanned_out_at(records: list[tuple[bytes | None, Any]]) -> int:
    """The time of Samza's fan-out, by its own clock."""
    (time_ms,) = {json.loads(value)["timestamp"] for _, value in records if value and b"fanOuts" in value}
    assert isinstance(time_ms, int)
    return time_ms


def unordered(value: bytes | None) -> bytes | None:
    """A value with sorted maps: the order of Java's maps does not matter."""
    return None if value is None else json.dumps(json.loads(value), sort_keys=True).encode()


class Situation(NamedTuple):
    """The requests at a start, and the tasks of the job."""

    requests: list[Request]
    tasks: dict[str, list[SystemStreamPartition]]

    def calls(self) -> list[Call]:
        return [
            asked.CLEAR,
            *(asked.write(*request) for request in self.requests),
            asked.fan_out(self.tasks),
            asked.STORED,
            *(asked.remove(task, partitions[:1]) for task, partitions in self.tasks.items()),
            asked.STORED,
        ]


def situation(chance: random.Random) -> Situation:
    streams = [("kafka", name) for name in chance.sample(["in", "orders", "a-b_c"], 2)]
    partitions = [SystemStreamPartition(*stream, number) for stream in streams for number in range(3)]
    names = chance.sample(["Partition 0", "Partition 1", "Partition 10", "t.1", AWKWARD], 3)
    tasks = {name: chance.sample(partitions, chance.randint(1, 5)) for name in names}
    return Situation([random_request(chance, partitions, names) for _ in range(chance.randint(0, 9))], tasks)


def random_request(chance: random.Random, partitions: list[SystemStreamPartition], names: list[str]) -> Request:
    created = chance.choice([FRESH, FRESH, FRESH + 1, NOW_MS, STALE])
    kinds: list[Callable[[], Startpoint]] = [
        lambda: StartpointSpecific(str(chance.randint(0, 99)), created),
        lambda: StartpointTimestamp(chance.randint(0, NOW_MS), created),
        lambda: StartpointOldest(created),
        lambda: StartpointUpcoming(created),
    ]
    return Request(chance.choice(partitions), chance.choice(kinds)(), chance.choice([None, None, *names]))


def stored_by(log: MemoryEventLog) -> dict[tuple[str, str], bytes]:
    with CoordinatorStreamStore(log) as store:
        return {(name.namespace, name.key): value for name, value in store.all().items()}


def timeless(stored: Mapping[tuple[str, str], bytes]) -> Mapping[tuple[str, str], Any]:
    said = {name: json.loads(value) for name, value in stored.items()}
    return {name: {**each, "timestamp": type(each.get("timestamp"))} for name, each in said.items()}


def test_both_fan_out_the_same(samza: Samza) -> None:
    chance = random.Random(7)
    situations = [situation(chance) for _ in range(200)]
    said = iter(samza.ask(asked.PROGRAM, {}, [call for each in situations for call in each.calls()]))
    fanned_out_count = 0
    for each in situations:
        answers = [next(said) for _ in each.calls()]
        first = 1 + len(each.requests)
        log = memory_log()
        with managing(log) as manager:
            for request in each.requests:
                manager.write_startpoint(request.partition, request.startpoint, task_name=request.task_name)
            assert manager.fan_out(each.tasks) == answers[first]
            assert timeless(stored_by(log)) == timeless(answers[first + 1])
            for task, partitions in each.tasks.items():
                manager.remove_fan_out_for_task_ssps(task, partitions[:1])
            assert timeless(stored_by(log)) == timeless(answers[-1])
        fanned_out_count += len(answers[first])
    assert fanned_out_count > 200
