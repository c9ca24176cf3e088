"""What comes of a startpoint that was asked for; the input is in memory."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from coordstream.cli.arguments.input import GivenInput
from coordstream.cli.job.lookup import Job
from coordstream.cli.startpoint import request
from coordstream.cli.startpoint.input_system import InputUnknown
from coordstream.cli.startpoint.job import StartpointJob
from coordstream.cli.startpoint.request import Order, make_order, order_rows, warnings
from eventlog.memory import MemoryEventLog
from eventlog.messages import Message, SetConfig, SetStartpoint, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import KAFKA_SYSTEM_FACTORY
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific
from eventlog.streams import identify
from eventlog.system_admin import SystemAdmin
from managers.startpoints.startpoint_plan import StartpointFacts
from tests.fixtures.memory_system_admin import MemorySystemAdmin

NOW = 1_700_000_000_000
SEVEN = StartpointSpecific("7", NOW)
IN = GivenInput("kafka", "in")


def job(*said: Message, partitions: int = 2) -> StartpointJob:
    """A job whose task ``t`` reads partitions of kafka.in, processed up to 9."""
    read = [SystemStreamPartition("kafka", "in", number) for number in range(partitions)]
    assigned = [SetTaskPartitionMapping(partition=each, task_names=("t",)) for each in read]
    factory = SetConfig(config_key="systems.kafka.samza.factory", config_value=KAFKA_SYSTEM_FACTORY)
    facts = StartpointFacts.of([factory, *assigned, *said])
    log = MemoryEventLog(identify("__samza_coordinator_counts_1"))
    return StartpointJob(Job("counts", "1"), log, facts, {"t": dict.fromkeys(read, "9")}, None)


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> MemorySystemAdmin:
    """The input of the job: three partitions of twenty events each."""
    system = MemorySystemAdmin()
    system.create("in", 3)
    for number in range(3):
        system.write("in", list(range(20)), number)

    @contextmanager
    def opened(config: object, name: str, servers: str | None) -> Iterator[SystemAdmin]:
        if servers is not None:
            raise InputUnknown(f"nobody answers at {servers}")
        yield system

    monkeypatch.setattr(request, "open_input", opened)
    return system


def ordered(
    found: StartpointJob, startpoint: Startpoint = SEVEN, given: GivenInput = IN, servers: str | None = None
) -> Order:
    return make_order(found, given, startpoint, (), servers=servers)


def test_the_input_tells_its_partitions_and_what_is_read_again(inputs: MemorySystemAdmin) -> None:
    order = ordered(job())
    assert list(order.requests) == ["kafka.in.0", "kafka.in.1", "kafka.in.2"]
    rows = [
        (row["task_name"], row["partition_id"], row["resolved_offset"], row["events_again"])
        for row in order_rows(order)
    ]
    assert rows == [("t", 0, "7", 3), ("t", 1, "7", 3), (None, 2, None, None)]
    assert list(warnings(order)) == []


def test_tasks_that_are_not_meant_are_not_told_of(inputs: MemorySystemAdmin) -> None:
    shared = SetTaskPartitionMapping(partition=SystemStreamPartition("kafka", "all", 0), task_names=("t", "u"))
    inputs.create("all")
    order = make_order(job(shared), GivenInput("kafka", "all"), SEVEN, ["u"])
    assert [row["task_name"] for row in order_rows(order)] == ["u"]
    assert list(warnings(order)) == [
        "partition 0: the offset is beyond the end: the job starts where its consumer's auto.offset.reset says"
    ]


def test_an_input_that_cant_be_asked_is_one_warning(inputs: MemorySystemAdmin) -> None:
    order = ordered(job(), servers="b:1")
    assert list(order.requests) == ["kafka.in.0", "kafka.in.1"]
    assert [row["resolved_offset"] for row in order_rows(order)] == [None, None]
    assert list(warnings(order)) == ["not checked with the input: nobody answers at b:1"]
    gone = job(SetConfig(config_key="task.inputs", config_value="kafka.in,kafka.gone"))
    sentence = (
        "not checked with the input: memory has no stream gone: look at its name again, or at which system it is in"
    )
    assert list(warnings(ordered(gone, given=GivenInput("kafka", "gone", (0,))))) == [
        sentence,
        "no task of the job reads kafka.gone.0: nobody follows this unless a task is assigned it",
    ]


def test_requests_that_live_are_replaced_and_said_so(inputs: MemorySystemAdmin) -> None:
    old = [
        SetStartpoint(key_text="kafka.in.0", startpoint=StartpointOldest(NOW - 1)),
        SetStartpoint(key_text="kafka.in.1", startpoint=StartpointOldest(NOW - EXPIRY_MS - 1)),
    ]
    order = ordered(job(*old))
    assert list(order.replaced) == ["kafka.in.0"]
    assert list(warnings(order)) == ["this replaces what was requested for kafka.in.0, to start at the oldest event"]


def test_many_warnings_of_one_kind_are_cut_short(inputs: MemorySystemAdmin) -> None:
    newer = [SetStartpoint(key_text=f"kafka.in.{n}.t", startpoint=StartpointOldest(NOW + 1)) for n in range(5)]
    told = list(warnings(ordered(job(*newer, partitions=5), given=GivenInput("kafka", "in", (0, 1, 2, 3, 4)))))
    assert told[1:] == [
        f"task 't' would start kafka.in.{n} at the oldest event (startpoint) nevertheless: "
        "something newer goes before this"
        for n in range(3)
    ]
    assert told[0] == "partitions 3-4: the input has none of that number"
