"""What an input system is asked: where its partitions begin and end, and which offset an order means there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint


@dataclass(frozen=True, slots=True)
class SystemStreamPartitionMetadata:
    """How far one partition of an input reaches (SystemStreamMetadata.SystemStreamPartitionMetadata of Samza).

    ``oldest_offset`` and ``newest_offset`` are those of the first and the last event that is there, None where the
    partition is empty; ``upcoming_offset`` is the one that the next event will have, None where the system can't tell.
    """

    oldest_offset: str | None
    newest_offset: str | None
    upcoming_offset: str | None


@dataclass(frozen=True, slots=True)
class SystemStreamMetadata:
    """The partitions of one stream of an input, by number (SystemStreamMetadata of Samza)."""

    stream_name: str
    partitions: Mapping[int, SystemStreamPartitionMetadata]

    def __hash__(self) -> int:
        return hash((self.stream_name, frozenset(self.partitions.items())))


@dataclass(frozen=True, slots=True)
class ResolvedStartpoint:
    """The first offset to read. ``is_past_end``: a time was asked for that no event has reached, so it is the end."""

    offset: str
    is_past_end: bool = False


class SystemAdmin(Protocol):
    """Answers for one system of a job (``systems.<system>…``), by the job's name for it (SystemAdmin of Samza).

    Every method raises what its system raises where that can't be reached.
    """

    def get_offsets_after(
        self, offsets: Mapping[SystemStreamPartition, str]
    ) -> Mapping[SystemStreamPartition, str | None]:
        """For each processed offset the next one to read; None where the system can't tell."""

    def get_system_stream_metadata(self, stream_names: Iterable[str]) -> Mapping[str, SystemStreamMetadata]:
        """How far the partitions of these streams reach, by stream."""

    def offset_comparator(self, one: str, other: str) -> int | None:
        """Negative, 0 or positive as ``one`` is before, at or after ``other``; None: they can't be compared."""

    def resolve_startpoint(self, partition: SystemStreamPartition, startpoint: Startpoint) -> ResolvedStartpoint | None:
        """The first offset to read for an order, and whether it lies past all events; None: it names no place."""

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        """The offset of `resolve_startpoint` alone (seed 004); None: the order names no place."""
