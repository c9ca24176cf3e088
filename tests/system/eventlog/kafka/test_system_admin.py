"""An input system on a real broker."""

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from eventlog.events import NewEvent
from eventlog.kafka import client
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.system_admin import (
    InputMissing,
    PartitionBounds,
    ResolvedStartpoint,
    SystemStreamMetadata,
    SystemStreamPartitionMetadata,
)
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE

#: Deleted from, and not by age, since tests write in 1970.
INPUT = {"cleanup.policy": "delete", "retention.ms": "-1"}
OLDEST = StartpointOldest(1)
UPCOMING = StartpointUpcoming(1)
NOWHERE = KafkaOptions.parse("127.0.0.1:1")
MakeInput = Callable[..., str]


def at(ms: int) -> StartpointTimestamp:
    """A startpoint at a time."""
    return StartpointTimestamp(ms, 1)


def resolved(system: KafkaSystemAdmin, partition: SystemStreamPartition, ms: int) -> ResolvedStartpoint | None:
    return system.resolve_startpoints({partition: at(ms)})[partition]


def inputs(times: Sequence[int]) -> list[NewEvent]:
    """Records of these times."""
    return [NewEvent(None, b"%d" % ms, ms) for ms in times]


@pytest.fixture
def make_input(topics: Topics, job_name: str) -> MakeInput:
    """Makes a topic that no other test has: with events of these times, in partition 0 from an offset on."""
    numbers = itertools.count()

    def make(times: Sequence[int] = (), start: int = 0, *, partitions: int = 1, partition: int = 0) -> str:
        name = topics.create(f"{job_name}-input-{next(numbers)}", INPUT, partitions=partitions)
        topics.write(name, inputs(times), partition=partition)
        if start:
            topics.delete_before(name, start)
        return name

    return make


@pytest.fixture
def partition(make_input: MakeInput) -> SystemStreamPartition:
    """One with offsets 5 to 19, of times 5 to 19."""
    return SystemStreamPartition("input", make_input(range(20), 5), 0)


@pytest.mark.scenario("SPR-01")
def test_a_specific_offset_is_used_unchanged(system: KafkaSystemAdmin, partition: SystemStreamPartition) -> None:
    for offset in ("10", "0", "999", "any text"):
        specific = StartpointSpecific(offset, 1)
        assert system.resolve_startpoint_to_offset(partition, specific) == offset
    assert system.resolve_startpoint_to_offset(partition, StartpointSpecific(None, 1)) is None


@pytest.mark.scenario("SPR-02", "SPR-03")
def test_a_time_is_the_first_event_that_is_not_older_or_the_end(
    system: KafkaSystemAdmin, partition: SystemStreamPartition, make_input: MakeInput
) -> None:
    for ms, is_past_end in ((10, False), (20, True)):
        assert system.resolve_startpoint_to_offset(partition, at(ms)) == str(ms)
        assert resolved(system, partition, ms) == ResolvedStartpoint(str(ms), is_past_end=is_past_end)
    between = SystemStreamPartition("input", make_input([0, 100, 200]), 0)
    assert system.resolve_startpoint_to_offset(between, at(101)) == "2"
    for early in (0, 4, -1, -2, -(2**63)):
        assert resolved(system, partition, early) == ResolvedStartpoint("5")
    empty = SystemStreamPartition("input", make_input(), 0)
    assert resolved(system, empty, 0) == ResolvedStartpoint("0", is_past_end=True)


@pytest.mark.scenario("SPR-04")
def test_oldest_and_upcoming_are_the_ends(
    system: KafkaSystemAdmin, partition: SystemStreamPartition, make_input: MakeInput
) -> None:
    assert system.resolve_startpoint_to_offset(partition, OLDEST) == "5"
    assert system.resolve_startpoint_to_offset(partition, UPCOMING) == "20"
    name = make_input(range(10), 10)
    cut_off = SystemStreamPartition("input", name, 0)
    assert [system.resolve_startpoint_to_offset(cut_off, end) for end in (OLDEST, UPCOMING)] == ["10", "10"]
    described = system.get_system_stream_metadata([name])[name]  # the newest stays when its event is removed
    assert described.partitions == {0: SystemStreamPartitionMetadata("10", "9", "10")}


@pytest.mark.scenario("SPR-08")
def test_a_startpoint_without_offset_or_time_is_refused(
    system: KafkaSystemAdmin, partition: SystemStreamPartition
) -> None:
    number: Any = None
    cases: list[tuple[Any, Any]] = [
        (None, OLDEST),
        (SystemStreamPartition("input", partition.stream, number), OLDEST),
        (partition, StartpointTimestamp(None, 1)),
        (partition, None),
        (partition, "oldest"),
    ]
    for place, startpoint in cases:
        with pytest.raises((TypeError, ValueError)):
            system.resolve_startpoint_to_offset(place, startpoint)


@pytest.mark.parametrize("startpoint", [OLDEST, UPCOMING, at(1), at(2**40)], ids=lambda each: type(each).__name__)
def test_a_missing_partition_or_stream_is_reported(
    system: KafkaSystemAdmin, partition: SystemStreamPartition, startpoint: Startpoint
) -> None:
    beyond = SystemStreamPartition("input", partition.stream, 7)
    with pytest.raises(InputMissing, match=f"has no partition 7 of {partition.stream}. Check") as missing:
        system.resolve_startpoint_to_offset(beyond, startpoint)
    assert (missing.value.stream_name, missing.value.partition) == (partition.stream, 7)
    with pytest.raises(InputMissing, match="has no stream nothing-here") as missing:
        system.resolve_startpoint_to_offset(SystemStreamPartition("input", "nothing-here", 0), startpoint)
    assert (missing.value.stream_name, missing.value.partition) == ("nothing-here", None)
    with pytest.raises(InputMissing, match="has no stream nothing-here"):
        system.get_system_stream_metadata([partition.stream, "nothing-here"])


def test_streams_are_described_by_partition(
    system: KafkaSystemAdmin, partition: SystemStreamPartition, make_input: MakeInput, topics: Topics
) -> None:
    several = make_input(range(4), partitions=3, partition=2)
    described = system.get_system_stream_metadata([partition.stream, several, several])
    assert described[several].topic_id == topics.topic_id(several)
    assert described == {
        partition.stream: SystemStreamMetadata(partition.stream, {0: SystemStreamPartitionMetadata("5", "19", "20")}),
        several: SystemStreamMetadata(
            several,
            {
                0: SystemStreamPartitionMetadata("0", None, "0"),
                1: SystemStreamPartitionMetadata("0", None, "0"),
                2: SystemStreamPartitionMetadata("0", "3", "4"),
            },
        ),
    }
    assert system.get_system_stream_metadata([]) == {}


def test_bounds_are_the_offsets_that_can_be_read_and_the_newest_time(
    system: KafkaSystemAdmin, make_input: MakeInput
) -> None:
    stream, empty = make_input([1_000, 3_000, 2_000], 1, partitions=2), make_input()
    bounds = system.get_bounds([stream, "missing-stream", empty, stream])
    assert sorted(bounds, key=lambda one: (one.stream_name != stream, one.partition)) == [
        PartitionBounds(stream, 0, 1, 3, 3_000),
        PartitionBounds(stream, 1, 0, 0, None),
        PartitionBounds(empty, 0, 0, 0, None),
    ]
    assert list(system.get_bounds([])) == []


def test_after_a_processed_offset_comes_the_next(system: KafkaSystemAdmin, partition: SystemStreamPartition) -> None:
    other = SystemStreamPartition("input", "other", 0)
    assert system.get_offsets_after({partition: "41", other: "no number"}) == {partition: "42", other: None}
    assert system.get_offsets_after({}) == {}


def test_offsets_are_compared_by_number(system: KafkaSystemAdmin) -> None:
    compared = [system.offset_comparator(*pair) for pair in (("9", "10"), ("10", "10"), ("10", "9"), ("a", "9"))]
    assert compared == [-1, 0, 1, None]


def test_buckets_of_one_partition_can_have_different_startpoints(
    system: KafkaSystemAdmin, make_input: MakeInput
) -> None:
    name = make_input(range(9))
    buckets = [SystemStreamPartition("input", name, 0, bucket) for bucket in range(3)]
    startpoints: dict[SystemStreamPartition, Startpoint] = {
        buckets[0]: StartpointTimestamp(4, 1),
        buckets[1]: StartpointTimestamp(5, 1),
        buckets[2]: StartpointUpcoming(1),
    }
    found = system.resolve_startpoints(startpoints)
    assert [found[bucket] for bucket in buckets] == [ResolvedStartpoint(offset) for offset in ("4", "5", "9")]


def test_a_specific_offset_is_not_asked_for() -> None:
    with KafkaSystemAdmin(NOWHERE) as nowhere:
        partition = SystemStreamPartition("input", "orders", 0)
        assert nowhere.resolve_startpoint_to_offset(partition, StartpointSpecific("10", 1)) == "10"
        assert nowhere.get_offsets_after({partition: "1"}) == {partition: "2"}


def test_a_broker_that_does_not_answer_is_reported_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 1000)
    monkeypatch.setattr(client, "REACH_SECONDS", 1.0)
    started = time.monotonic()
    with KafkaSystemAdmin(NOWHERE) as nowhere:
        for ask in (
            lambda: nowhere.resolve_startpoint_to_offset(
                SystemStreamPartition("input", "orders", 0), StartpointOldest(1)
            ),
            lambda: nowhere.get_system_stream_metadata(["orders"]),
        ):
            with pytest.raises(SourceUnavailable, match=r"Kafka at 127.0.0.1:1 does not answer .*\. Check that"):
                ask()
    assert time.monotonic() - started < PATIENCE / 2


def test_asking_for_a_topic_does_not_make_it(system: KafkaSystemAdmin, topics: Topics, job_name: str) -> None:
    name = f"{job_name}-not-there"
    with pytest.raises(InputMissing, match=rf"Kafka at .* has no stream {name}. Check its name"):
        system.resolve_startpoint_to_offset(SystemStreamPartition("input", name, 0), StartpointOldest(1))
    with pytest.raises(InputMissing):
        system.get_system_stream_metadata([name])
    assert not topics.is_there(name)


def test_an_invalid_topic_name_is_reported(system: KafkaSystemAdmin) -> None:
    with pytest.raises(InputMissing, match="has no stream a b"):
        system.get_system_stream_metadata(["a b"])


def test_records_of_transactions_count_before_they_are_committed(
    system: KafkaSystemAdmin, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"{job_name}-input", INPUT)
    partition = SystemStreamPartition("input", name, 0)
    with topics.transaction(name, inputs(range(3))) as open_transaction:
        assert system.resolve_startpoint_to_offset(partition, StartpointUpcoming(1)) == "3"
        assert system.get_system_stream_metadata([name])[name].partitions[0].newest_offset == "2"
        open_transaction.commit_transaction()
