"""Requests are written, read and fanned out as by Samza 1.8.0, in many situations."""

import json
import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import pytest

from eventlog.log import MemoryEventLog
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    EXPIRY_MS,
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import STREAM
from tests.fixtures import samza_startpoints as asked
from tests.fixtures.samza import Call, Samza

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.long]

#: Samza judges by this machine's clock whether a request has expired, and so do we here; nothing else depends on it.
#: These are taken when the session begins, which may last for hours.
NOW_MS: Final = time.time_ns() // 1_000_000
FRESH: Final = NOW_MS - EXPIRY_MS // 2
STALE: Final = NOW_MS - EXPIRY_MS - 60_000
AWKWARD: Final = 'task "\u0436" \U0001f680'


class Request(NamedTuple):
    """A startpoint request."""

    partition: SystemStreamPartition
    startpoint: Startpoint
    task_name: str | None = None


class Situation(NamedTuple):
    """The requests at a start, and the tasks of the job."""

    requests: list[Request]
    tasks: dict[str, list[SystemStreamPartition]]

    def readable(self) -> list[Request]:
        """Those whose keys have one meaning without assignments."""
        return [each for each in self.requests if "." not in (each.task_name or "")]

    def calls(self) -> list[Call]:
        deleted = [asked.delete(each.partition, each.task_name) for each in self.requests[:1]]
        return [
            asked.CLEAR,
            *(asked.write(*request) for request in self.requests),
            *deleted,
            *(asked.read(each.partition, each.task_name) for each in self.readable()),
            asked.fan_out(self.tasks),
            asked.STORED,
            *(asked.remove(task, partitions[:1]) for task, partitions in self.tasks.items()),
            *(asked.get_fan_out(task) for task in self.tasks),
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
        lambda: StartpointSpecific(chance.choice(["", 'a:\u2713 \U0001f680 "\\', str(chance.randint(0, 99))]), created),
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


def test_both_do_the_same(samza: Samza) -> None:
    chance = random.Random(7)
    situations = [situation(chance) for _ in range(200)]
    said = iter(samza.ask(asked.PROGRAM, {}, [call for each in situations for call in each.calls()]))
    fanned_out_count = 0
    for each in situations:
        answers = iter([next(said) for _ in each.calls()][1 + len(each.requests) + bool(each.requests) :])
        log = MemoryEventLog(STREAM)
        with CoordinatorStreamStore(log) as store, StartpointManager(store, clock=lambda: NOW_MS) as manager:
            for request in each.requests:
                manager.write_startpoint(request.partition, request.startpoint, task_name=request.task_name)
            for request in each.requests[:1]:
                manager.delete_startpoint(request.partition, task_name=request.task_name)
            for request in each.readable():
                assert manager.read_startpoint(request.partition, task_name=request.task_name) == next(answers)
            fanned_out = manager.fan_out(each.tasks)
            assert fanned_out == next(answers)
            assert timeless(stored_by(log)) == timeless(next(answers))
            for task, partitions in each.tasks.items():
                manager.remove_fan_out_for_task_ssps(task, partitions[:1])
                next(answers)
            for task in each.tasks:
                assert manager.get_fan_out_for_task(task) == next(answers)
            assert timeless(stored_by(log)) == timeless(next(answers))
        fanned_out_count += len(fanned_out)
    assert fanned_out_count > 200
