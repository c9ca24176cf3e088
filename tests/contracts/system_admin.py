"""What every admin of an input system must do; a system says how its streams are made, written to and cut off.

Offsets are numbers from 0 here, in each partition.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.system_admin import (
    BoundedSystemAdmin,
    InputMissing,
    PartitionBounds,
    ResolvedStartpoint,
    SystemAdmin,
    SystemStreamMetadata,
    SystemStreamPartitionMetadata,
)

OLDEST = StartpointOldest(1)
UPCOMING = StartpointUpcoming(1)


def at(ms: int) -> StartpointTimestamp:
    """A startpoint at a time."""
    return StartpointTimestamp(ms, 1)


class SystemAdminContract(ABC):
    """Each test gets an admin that has been asked nothing."""

    @abstractmethod
    def make_admin(self) -> BoundedSystemAdmin:
        """Open the admin."""

    @abstractmethod
    def close_admin(self, admin: SystemAdmin) -> None:
        """Give up what it holds open."""

    @abstractmethod
    def make_stream(self, partitions: int = 1) -> str:
        """Make an empty stream that no other test has."""

    @abstractmethod
    def write(self, stream_name: str, times: Sequence[int], partition: int = 0) -> None:
        """Append events of these times (ms since 1970)."""

    @abstractmethod
    def delete_before(self, stream_name: str, offset: int) -> None:
        """Let partition 0 begin at an offset."""

    @pytest.fixture
    def admin(self) -> Iterator[SystemAdmin]:
        admin = self.make_admin()
        yield admin
        self.close_admin(admin)

    @pytest.fixture
    def partition(self) -> SystemStreamPartition:
        """One with offsets 5 to 19, of times 5 to 19."""
        name = self.make_stream()
        self.write(name, range(20))
        self.delete_before(name, 5)
        return SystemStreamPartition("input", name, 0)

    @pytest.mark.scenario("SPR-01")
    def test_a_specific_offset_is_used_unchanged(self, admin: SystemAdmin, partition: SystemStreamPartition) -> None:
        for offset in ("10", "0", "999", "any text"):
            specific = StartpointSpecific(offset, 1)
            assert admin.resolve_startpoint_to_offset(partition, specific) == offset
            assert admin.resolve_startpoint(partition, specific) == ResolvedStartpoint(offset)
        assert admin.resolve_startpoint(partition, StartpointSpecific(None, 1)) is None
        assert admin.resolve_startpoint_to_offset(partition, StartpointSpecific(None, 1)) is None

    @pytest.mark.scenario("SPR-02")
    def test_a_time_is_the_first_event_that_is_not_older(
        self, admin: SystemAdmin, partition: SystemStreamPartition
    ) -> None:
        assert admin.resolve_startpoint_to_offset(partition, at(10)) == "10"
        assert admin.resolve_startpoint(partition, at(10)) == ResolvedStartpoint("10", is_past_end=False)
        name = self.make_stream()
        self.write(name, [0, 100, 200])
        between = SystemStreamPartition("input", name, 0)
        assert admin.resolve_startpoint_to_offset(between, at(101)) == "2"
        for early in (0, 4, -1, -2, -(2**63)):
            assert admin.resolve_startpoint(partition, at(early)) == ResolvedStartpoint("5")

    @pytest.mark.scenario("SPR-03")
    def test_a_time_after_all_events_is_the_end(self, admin: SystemAdmin, partition: SystemStreamPartition) -> None:
        assert admin.resolve_startpoint_to_offset(partition, at(20)) == "20"
        assert admin.resolve_startpoint(partition, at(20)) == ResolvedStartpoint("20", is_past_end=True)
        empty = SystemStreamPartition("input", self.make_stream(), 0)
        assert admin.resolve_startpoint(empty, at(0)) == ResolvedStartpoint("0", is_past_end=True)

    @pytest.mark.scenario("SPR-04")
    def test_oldest_and_upcoming_are_the_ends(self, admin: SystemAdmin, partition: SystemStreamPartition) -> None:
        assert admin.resolve_startpoint_to_offset(partition, OLDEST) == "5"
        assert admin.resolve_startpoint_to_offset(partition, UPCOMING) == "20"
        name = self.make_stream()
        self.write(name, range(10))
        self.delete_before(name, 10)
        cut_off = SystemStreamPartition("input", name, 0)
        assert [admin.resolve_startpoint_to_offset(cut_off, end) for end in (OLDEST, UPCOMING)] == ["10", "10"]
        described = admin.get_system_stream_metadata([name])[name]  # the newest stays when its event is removed
        assert described.partitions == {0: SystemStreamPartitionMetadata("10", "9", "10")}

    @pytest.mark.scenario("SPR-08")
    def test_a_startpoint_without_offset_or_time_is_refused(
        self, admin: SystemAdmin, partition: SystemStreamPartition
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
                admin.resolve_startpoint_to_offset(place, startpoint)
            with pytest.raises((TypeError, ValueError)):
                admin.resolve_startpoint(place, startpoint)

    @pytest.mark.parametrize("startpoint", [OLDEST, UPCOMING, at(1), at(2**40)], ids=lambda each: type(each).__name__)
    def test_a_missing_partition_or_stream_is_reported(
        self, admin: SystemAdmin, partition: SystemStreamPartition, startpoint: Startpoint
    ) -> None:
        beyond = SystemStreamPartition("input", partition.stream, 7)
        with pytest.raises(InputMissing, match=f"has no partition 7 of {partition.stream}. Check") as missing:
            admin.resolve_startpoint(beyond, startpoint)
        assert (missing.value.stream_name, missing.value.partition) == (partition.stream, 7)
        with pytest.raises(InputMissing, match="has no stream nothing-here") as missing:
            admin.resolve_startpoint(SystemStreamPartition("input", "nothing-here", 0), startpoint)
        assert (missing.value.stream_name, missing.value.partition) == ("nothing-here", None)
        with pytest.raises(InputMissing, match="has no stream nothing-here"):
            admin.get_system_stream_metadata([partition.stream, "nothing-here"])

    def test_streams_are_described_by_partition(self, admin: SystemAdmin, partition: SystemStreamPartition) -> None:
        several = self.make_stream(3)
        self.write(several, range(4), partition=2)
        described = admin.get_system_stream_metadata([partition.stream, several, several])
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
        assert admin.get_system_stream_metadata([]) == {}

    def test_bounds_are_the_offsets_that_can_be_read_and_the_newest_time(self, admin: BoundedSystemAdmin) -> None:
        stream, empty = self.make_stream(2), self.make_stream()
        self.write(stream, [1_000, 3_000, 2_000])
        self.delete_before(stream, 1)
        bounds = admin.get_bounds([stream, "missing-stream", empty, stream])
        assert sorted(bounds, key=lambda one: (one.stream_name != stream, one.partition)) == [
            PartitionBounds(stream, 0, 1, 3, 3_000),
            PartitionBounds(stream, 1, 0, 0, None),
            PartitionBounds(empty, 0, 0, 0, None),
        ]
        assert list(admin.get_bounds([])) == []

    def test_after_a_processed_offset_comes_the_next(
        self, admin: SystemAdmin, partition: SystemStreamPartition
    ) -> None:
        other = SystemStreamPartition("input", "other", 0)
        assert admin.get_offsets_after({partition: "41", other: "no number"}) == {partition: "42", other: None}
        assert admin.get_offsets_after({}) == {}

    def test_offsets_are_compared_by_number(self, admin: SystemAdmin) -> None:
        compared = [admin.offset_comparator(*pair) for pair in (("9", "10"), ("10", "10"), ("10", "9"), ("a", "9"))]
        assert compared == [-1, 0, 1, None]
