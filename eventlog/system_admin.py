"""The interface of an input system: how far its partitions reach, what a startpoint means, and its changelogs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from eventlog.errors import EventLogError, WireError
from eventlog.frozen_dict import FrozenFields
from eventlog.partition import SystemStreamPartition, parse_int64
from eventlog.startpoint import Startpoint


@dataclass(frozen=True, slots=True)
class SystemStreamPartitionMetadata:
    """How far one partition of an input reaches (SystemStreamMetadata.SystemStreamPartitionMetadata of Samza).

    ``oldest_offset`` is that of the first event that exists or will exist, ``newest_offset`` that of the last one (None
    if there was none yet), ``upcoming_offset`` that of the next event. Systems other than Kafka may leave any of them
    None.
    """

    oldest_offset: str | None
    newest_offset: str | None
    upcoming_offset: str | None


@dataclass(frozen=True, slots=True)
class SystemStreamMetadata(FrozenFields):
    """The partitions of one stream of an input, by number (SystemStreamMetadata of Samza); read-only."""

    stream_name: str
    partitions: Mapping[int, SystemStreamPartitionMetadata]
    topic_id: str | None = field(default=None, compare=False)
    """Another one if the stream was deleted and created again; None: the system has no such ids."""


@dataclass(frozen=True, slots=True)
class PartitionBounds:
    """The offsets of a partition from the oldest to before the end. ``newest_time``: in ms since 1970; None if it is
    empty, or its system does not tell.
    """

    stream_name: str
    partition: int
    oldest_offset: int
    end_offset: int
    newest_time: int | None


@dataclass(frozen=True, slots=True)
class ResolvedStartpoint:
    """The first offset to read. ``is_past_end``: no event is as new as the requested time, so it is the end."""

    offset: str
    is_past_end: bool = False


class InputMissing(EventLogError):
    """An input system has no such stream, or the stream has no such partition."""

    def __init__(self, stream_name: str, partition: int | None, place: str) -> None:
        self.stream_name = stream_name
        self.partition = partition
        what = f"stream {stream_name}" if partition is None else f"partition {partition} of {stream_name}"
        super().__init__(f"{place} has no {what}. Check its name and system.")


class SystemAdmin(Protocol):
    """Metadata of one system of a job, ``systems.<system>`` in its config (SystemAdmin of Samza).

    Methods that query the system raise `InputMissing`, and the system's own errors if it cannot be reached.
    """

    def get_offsets_after(
        self, offsets: Mapping[SystemStreamPartition, str]
    ) -> Mapping[SystemStreamPartition, str | None]:
        """The next offset to read after each processed one; None if the system does not know it."""

    def get_system_stream_metadata(self, stream_names: Iterable[str]) -> Mapping[str, SystemStreamMetadata]:
        """How far the partitions of these streams reach, by stream."""

    def offset_comparator(self, one: str, other: str) -> int | None:
        """Negative, 0 or positive if ``one`` is before, at or after ``other``; None if they cannot be compared."""

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        """The first offset to read for a startpoint; None: it has no offset."""


def offset_after(offset: str) -> str | None:
    """The offset after a processed one: one more. None if it is not an integer, or the last of 64 bits."""
    number = _parse_offset(offset)
    following = None if number is None else _parse_offset(str(number + 1))
    return None if following is None else str(following)


def is_kafka_offset(offset: str | None) -> bool:
    """Whether Kafka can read from an offset: a number of 64 bits, 0 or more."""
    number = None if offset is None else _parse_offset(offset)
    return number is not None and number >= 0


def compare_offsets(one: str, other: str) -> int | None:
    """-1, 0 or 1 if ``one`` is before, at or after ``other``; None if either is not an integer."""
    first, second = _parse_offset(one), _parse_offset(other)
    return None if first is None or second is None else (first > second) - (first < second)


def _parse_offset(offset: str) -> int | None:
    try:
        return parse_int64(offset, "bad_number", "an offset")
    except WireError:
        return None


class Change(NamedTuple):
    """A change of a store; ``value`` None: the key was deleted."""

    offset: int
    key: bytes
    value: bytes | None


class Changelogs(Protocol):
    """The changelogs of one system. For one thread.

    `send`, `flush`, `discard`, `reach` and `read` raise `SourceUnavailable` if the system does not answer.
    """

    def send(self, partition: SystemStreamPartition, key: bytes, value: bytes | None) -> None:
        """Append a change, now or with later ones."""

    def flush(self) -> None:
        """Return when all changes are written. If it raises, the next call writes those that may be missing."""

    def discard(self, partition: SystemStreamPartition) -> None:
        """Forget the unwritten changes of a partition; afterwards no earlier change is on its way."""

    def reach(self, partition: SystemStreamPartition) -> SystemStreamPartitionMetadata:
        """The offsets of a partition. Raises `InputMissing`."""

    def read(self, partition: SystemStreamPartition, first: int, until: int) -> Iterator[Sequence[Change]]:
        """The committed changes at offsets from ``first`` to before ``until``, in batches. Raises `OffsetLost`."""

    def close(self) -> None:
        """Close the connections. Changes that were not flushed may be lost."""
