"""An input system on a real broker."""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from kafka.errors import KafkaError, KafkaStorageError, LeaderNotAvailableError, NoError, UnknownError

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
NOWHERE = KafkaOptions.parse("127.0.0.1:1")


def inputs(times: Sequence[int]) -> list[NewEvent]:
    """Records of these times."""
    return [NewEvent(None, b"%d" % ms, ms) for ms in times]


OLDEST = StartpointOldest(1)
UPCOMING = StartpointUpcoming(1)


def at(ms: int) -> StartpointTimestamp:
    """A startpoint at a time."""
    return StartpointTimestamp(ms, 1)


@pytest.fixture
def system(kafka_options: KafkaOptions) -> Iterator[KafkaSystemAdmin]:
    """An admin of the run's broker."""
    with KafkaSystemAdmin(kafka_options) as admin:
        yield admin


class TestKafkaSystemAdmin:
    """Offsets are numbers from 0 here, in each partition."""

    @pytest.fixture(autouse=True)
    def broker(self, topics: Topics, job_name: str) -> None:
        self._topics = topics
        self._names = (f"{job_name}-input-{number}" for number in itertools.count())

    def make_stream(self, partitions: int = 1) -> str:
        """Make an empty stream that no other test has."""
        return self._topics.create(next(self._names), INPUT, partitions=partitions)

    def write(self, stream_name: str, times: Sequence[int], partition: int = 0) -> None:
        """Append records of these times (ms since 1970)."""
        self._topics.write(stream_name, inputs(times), partition=partition)

    def delete_before(self, stream_name: str, offset: int) -> None:
        """Let partition 0 begin at an offset."""
        self._topics.delete_before(stream_name, offset)

    @pytest.fixture
    def partition(self) -> SystemStreamPartition:
        """One with offsets 5 to 19, of times 5 to 19."""
        name = self.make_stream()
        self.write(name, range(20))
        self.delete_before(name, 5)
        return SystemStreamPartition("input", name, 0)

    @pytest.mark.scenario("SPR-01")
    def test_a_specific_offset_is_used_unchanged(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        for offset in ("10", "0", "999", "any text"):
            specific = StartpointSpecific(offset, 1)
            assert system.resolve_startpoint_to_offset(partition, specific) == offset
            assert system.resolve_startpoint(partition, specific) == ResolvedStartpoint(offset)

    def test_an_invalid_specific_offset_has_no_position(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        assert system.resolve_startpoint(partition, StartpointSpecific(None, 1)) is None
        assert system.resolve_startpoint_to_offset(partition, StartpointSpecific(None, 1)) is None

    @pytest.mark.scenario("SPR-02")
    def test_a_time_is_the_first_event_that_is_not_older(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        assert system.resolve_startpoint_to_offset(partition, at(10)) == "10"
        assert system.resolve_startpoint(partition, at(10)) == ResolvedStartpoint("10", is_past_end=False)
        name = self.make_stream()
        self.write(name, [0, 100, 200])
        between = SystemStreamPartition("input", name, 0)
        assert system.resolve_startpoint_to_offset(between, at(101)) == "2"

    @pytest.mark.scenario("SPR-03")
    def test_a_time_after_all_events_is_the_end(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        assert system.resolve_startpoint_to_offset(partition, at(20)) == "20"
        assert system.resolve_startpoint(partition, at(20)) == ResolvedStartpoint("20", is_past_end=True)
        empty = SystemStreamPartition("input", self.make_stream(), 0)
        assert system.resolve_startpoint(empty, at(0)) == ResolvedStartpoint("0", is_past_end=True)

    @pytest.mark.scenario("SPR-04")
    def test_oldest_and_upcoming_are_the_ends(self, system: KafkaSystemAdmin, partition: SystemStreamPartition) -> None:
        assert system.resolve_startpoint_to_offset(partition, OLDEST) == "5"
        assert system.resolve_startpoint_to_offset(partition, UPCOMING) == "20"
        name = self.make_stream()
        self.write(name, range(10))
        self.delete_before(name, 10)
        cut_off = SystemStreamPartition("input", name, 0)
        assert [system.resolve_startpoint_to_offset(cut_off, end) for end in (OLDEST, UPCOMING)] == ["10", "10"]

    def test_a_bucket_of_a_partition_has_its_offsets(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        bucket = SystemStreamPartition(partition.system, partition.stream, 0, 1)
        assert system.resolve_startpoint_to_offset(bucket, OLDEST) == "5"

    @pytest.mark.scenario("SPR-08")
    def test_a_startpoint_without_offset_or_time_is_refused(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
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
            with pytest.raises((TypeError, ValueError)):
                system.resolve_startpoint(place, startpoint)

    @pytest.mark.parametrize("startpoint", [OLDEST, UPCOMING, at(1), at(2**40)], ids=lambda each: type(each).__name__)
    def test_a_missing_partition_or_stream_is_reported(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition, startpoint: Startpoint
    ) -> None:
        beyond = SystemStreamPartition("input", partition.stream, 7)
        with pytest.raises(InputMissing, match=f"has no partition 7 of {partition.stream}. Check") as missing:
            system.resolve_startpoint(beyond, startpoint)
        assert (missing.value.stream_name, missing.value.partition) == (partition.stream, 7)
        with pytest.raises(InputMissing, match="has no stream nothing-here") as missing:
            system.resolve_startpoint(SystemStreamPartition("input", "nothing-here", 0), startpoint)
        assert (missing.value.stream_name, missing.value.partition) == ("nothing-here", None)
        with pytest.raises(InputMissing, match="has no stream nothing-here"):
            system.get_system_stream_metadata([partition.stream, "nothing-here"])

    def test_streams_are_described_by_partition(
        self, system: KafkaSystemAdmin, partition: SystemStreamPartition
    ) -> None:
        several = self.make_stream(3)
        self.write(several, range(4), partition=2)
        described = system.get_system_stream_metadata([partition.stream, several, several])
        assert described == {
            partition.stream: SystemStreamMetadata(
                partition.stream, {0: SystemStreamPartitionMetadata("5", "19", "20")}
            ),
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

    def test_bounds_are_the_offsets_that_can_be_read_and_the_newest_time(self, system: KafkaSystemAdmin) -> None:
        stream, empty = self.make_stream(2), self.make_stream()
        self.write(stream, [1_000, 3_000, 2_000])
        self.delete_before(stream, 1)
        bounds = system.get_bounds([stream, "missing-stream", empty, stream])
        assert sorted(bounds, key=lambda one: (one.stream_name != stream, one.partition)) == [
            PartitionBounds(stream, 0, 1, 3, 3_000),
            PartitionBounds(stream, 1, 0, 0, None),
            PartitionBounds(empty, 0, 0, 0, None),
        ]
        assert list(system.get_bounds([])) == []


def test_several_partitions_are_asked_for_at_once(
    system: KafkaSystemAdmin, topics: Topics, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = topics.create(f"{job_name}-input", INPUT, partitions=6)
    for number in range(6):
        topics.write(name, inputs(range(number)), partition=number)
    requests: list[int] = []
    listed = KafkaSystemAdmin._list_offsets

    def noting(self: KafkaSystemAdmin, batch: Mapping[Any, int]) -> Mapping[Any, Any]:
        requests.append(len(batch))
        return listed(self, batch)

    monkeypatch.setattr(KafkaSystemAdmin, "_list_offsets", noting)
    partitions = [SystemStreamPartition("input", name, number) for number in range(6)]
    startpoints: list[Startpoint] = [
        StartpointOldest(1),
        StartpointUpcoming(1),
        StartpointTimestamp(1, 1),
        StartpointTimestamp(9, 1),
        StartpointSpecific("77", 1),
        StartpointSpecific(None, 1),
    ]
    assert system.resolve_startpoints(dict(zip(partitions, startpoints, strict=True))) == {
        partitions[0]: ResolvedStartpoint("0"),
        partitions[1]: ResolvedStartpoint("1"),
        partitions[2]: ResolvedStartpoint("1"),
        partitions[3]: ResolvedStartpoint("3", is_past_end=True),
        partitions[4]: ResolvedStartpoint("77"),
        partitions[5]: None,
    }
    assert requests == [4, 1]  # the second for the one whose time lies past its end
    requests.clear()
    assert len(system.get_system_stream_metadata([name])[name].partitions) == 6
    assert requests == [6, 6]


def test_buckets_of_one_partition_can_have_different_startpoints(
    system: KafkaSystemAdmin, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"{job_name}-input", INPUT)
    topics.write(name, inputs(range(9)))
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
            lambda: nowhere.resolve_startpoint(SystemStreamPartition("input", "orders", 0), StartpointOldest(1)),
            lambda: nowhere.get_system_stream_metadata(["orders"]),
        ):
            with pytest.raises(SourceUnavailable, match=r"Kafka at 127.0.0.1:1 does not answer .*\. Check that"):
                ask()
    assert time.monotonic() - started < PATIENCE / 2


@pytest.mark.parametrize("error", [LeaderNotAvailableError, KafkaStorageError, UnknownError])
def test_a_stream_of_which_the_cluster_knows_only_an_error_has_no_partitions_by_that(error: type[KafkaError]) -> None:
    with KafkaSystemAdmin(NOWHERE) as nowhere:
        nowhere._check("orders", NoError)
        with pytest.raises(error):
            nowhere._check("orders", error)


def test_records_of_transactions_count_before_they_are_committed(
    system: KafkaSystemAdmin, topics: Topics, job_name: str
) -> None:
    name = topics.create(f"{job_name}-input", INPUT)
    partition = SystemStreamPartition("input", name, 0)
    with topics.transaction(name, inputs(range(3))) as open_transaction:
        assert system.resolve_startpoint_to_offset(partition, StartpointUpcoming(1)) == "3"
        assert system.get_system_stream_metadata([name])[name].partitions[0].newest_offset == "2"
        open_transaction.commit_transaction()
