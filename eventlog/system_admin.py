"""What an input system is asked: where its partitions begin and end, and which offset an order means there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from eventlog.errors import EventLogError, WireError
from eventlog.frozen_dict import frozen
from eventlog.partition import SystemStreamPartition, parse_int64
from eventlog.startpoint import Startpoint


@dataclass(frozen=True, slots=True)
class SystemStreamPartitionMetadata:
    """How far one partition of an input reaches (SystemStreamMetadata.SystemStreamPartitionMetadata of Samza).

    ``oldest_offset`` is that of the first event that is there or will be, ``newest_offset`` that of the last one, None
    where there was none yet; ``upcoming_offset`` is the one that the next event will have. Other systems than Kafka
    may leave any of them out (None).
    """

    oldest_offset: str | None
    newest_offset: str | None
    upcoming_offset: str | None


@dataclass(frozen=True, slots=True)
class SystemStreamMetadata:
    """The partitions of one stream of an input, by number (SystemStreamMetadata of Samza); read-only."""

    stream_name: str
    partitions: Mapping[int, SystemStreamPartitionMetadata]

    def __post_init__(self) -> None:
        object.__setattr__(self, "partitions", frozen(self.partitions))

    def __hash__(self) -> int:
        return hash((self.stream_name, frozenset(self.partitions.items())))


@dataclass(frozen=True, slots=True)
class ResolvedStartpoint:
    """The first offset to read. ``is_past_end``: a time was asked for that no event has reached, so it is the end."""

    offset: str
    is_past_end: bool = False


class InputMissing(EventLogError):
    """An input system has no such stream, or (``partition`` given) the stream no such partition."""

    def __init__(self, stream_name: str, partition: int | None, place: str) -> None:
        self.stream_name = stream_name
        self.partition = partition
        what = f"stream {stream_name}" if partition is None else f"partition {partition} of {stream_name}"
        super().__init__(f"{place} has no {what}: look at its name again, or at which system it is in")


class SystemAdmin(Protocol):
    """Answers for one system of a job (``systems.<system>…``), by the job's name for it (SystemAdmin of Samza).

    Methods that ask the system raise `InputMissing`, or what the system raises where it can't be reached.
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


def offset_after(offset: str) -> str | None:
    """The offset after a processed one: one more. None if it is not an integer, or the last of 64 bits."""
    number = _parse_offset(offset)
    following = None if number is None else _parse_offset(str(number + 1))
    return None if following is None else str(following)


def compare_offsets(one: str, other: str) -> int | None:
    """-1, 0 or 1 if ``one`` is before, at or after ``other``; None if either is not an integer."""
    first, second = _parse_offset(one), _parse_offset(other)
    return None if first is None or second is None else (first > second) - (first < second)


def _parse_offset(offset: str) -> int | None:
    try:
        return parse_int64(offset, "bad_number", "an offset")
    except WireError:
        return None
