"""Ranges of logs, and how they are distributed over Spark's partitions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from pyspark.sql.datasource import InputPartition

from eventlog.streams import StreamKind

MOST_PARTITIONS: Final = 2_000
"""A compacted topic may have a few events at offsets that are billions apart, and a task without events takes time."""


@dataclass(frozen=True)
class Log:
    """One log. `log_id` is the archive's, `incarnation` also a lake's, `topic_id` Kafka's, `path` a recording's.

    `horizon`: the offset below which a retention has detached events of the archive; 0 if none has.
    """

    stream_name: str
    stream_kind: StreamKind
    incarnation: int | None = None
    log_id: int | None = None
    topic_id: str | None = None
    path: str | None = None
    horizon: int = 0


@dataclass(frozen=True)
class LogRange:
    """Offsets of a log, from `first` to before `until`; not every one has an event."""

    log: Log
    first: int
    until: int

    def __len__(self) -> int:
        return max(0, self.until - self.first)

    def within(self, first: int, until: int) -> Self:
        """The part of the range between two offsets."""
        return replace(self, first=max(self.first, first), until=min(self.until, until))


class RangePartition(InputPartition):
    """The ranges that one task reads, in order."""

    def __init__(self, ranges: Sequence[LogRange]) -> None:
        super().__init__(None)
        self.ranges = tuple(ranges)


def partitions_of(ranges: Sequence[LogRange], offsets: int) -> list[RangePartition]:
    """Partitions of at most `offsets` offsets, or of more if there would be more than `MOST_PARTITIONS`.

    Long ranges are split, short ones share a partition.
    """
    most_full = MOST_PARTITIONS // 2  # two neighbours have more than `offsets` together
    offsets = max(offsets, -(-sum(map(len, ranges)) // most_full))
    partitions: list[RangePartition] = []
    shared: list[LogRange] = []
    size = 0
    for piece in _pieces(ranges, offsets):
        if shared and size + len(piece) > offsets:
            partitions.append(RangePartition(shared))
            shared, size = [], 0
        shared.append(piece)
        size += len(piece)
    return [*partitions, *([RangePartition(shared)] if shared else [])]


def _pieces(ranges: Sequence[LogRange], offsets: int) -> Iterator[LogRange]:
    """Ranges of at most `offsets` offsets; those of one log have about the same size."""
    for whole in ranges:
        count = -(-len(whole) // offsets)
        for number in range(count):
            first = whole.first + len(whole) * number // count
            yield replace(whole, first=first, until=whole.first + len(whole) * (number + 1) // count)
