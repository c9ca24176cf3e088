"""Ranges of logs: which ones the filters of a query select, and how Spark's partitions share them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypeAlias, TypeVar

from pyspark.sql.datasource import InputPartition

from eventlog.streams import StreamKind

MOST_PARTITIONS: Final = 2_000
"""A compacted topic may have a few events at offsets that are billions apart, and a task without events takes time."""

FIRST_OFFSET: Final = 0
LAST_OFFSET: Final = 2**63 - 1

Whole = TypeVar("Whole")
Part: TypeAlias = tuple[Whole, range]

OF_THE_LOG: Final = ("stream_name", "stream_kind", "incarnation")
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "EqualTo": lambda found, value: found == value,
    "In": lambda found, values: found in values,
    "StringStartsWith": lambda found, value: found.startswith(value),
}
_RANGES: Final[dict[str, Callable[[int], tuple[int, int]]]] = {
    "EqualTo": lambda value: (value, value + 1),
    "GreaterThan": lambda value: (value + 1, LAST_OFFSET),
    "GreaterThanOrEqual": lambda value: (value, LAST_OFFSET),
    "LessThan": lambda value: (FIRST_OFFSET, value),
    "LessThanOrEqual": lambda value: (FIRST_OFFSET, value + 1),
}


@dataclass(frozen=True)
class Log:
    """One log. `log_id` is the archive's or 0, `incarnation` also a lake's, `topic_id` Kafka's, `path` a recording's.

    `horizon`: the offset below which a retention has detached events of the archive; 0 if none has.
    """

    stream_name: str
    stream_kind: StreamKind
    incarnation: int | None = None
    log_id: int = 0
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
        return replace(self, first=max(self.first, first), until=min(self.until, until))


class RangePartition(InputPartition):
    def __init__(self, ranges: Sequence[LogRange]) -> None:
        super().__init__(None)
        self.ranges = tuple(ranges)


def partitions_of(ranges: Sequence[LogRange], offsets: int) -> list[RangePartition]:
    """Partitions of `offsets` offsets, or of more if there would be more than `MOST_PARTITIONS`."""
    offsets = max(offsets, -(-sum(map(len, ranges)) // MOST_PARTITIONS))
    splits = not any(each.log.path for each in ranges)  # each part of a recording would read the whole file
    shares = share_offsets([(each, range(each.first, each.until)) for each in ranges], offsets, splits=splits)
    return [RangePartition([each.within(part.start, part.stop) for each, part in share]) for share in shares]


def share_offsets(ranges: Iterable[Part[Whole]], offsets: int, *, splits: bool = True) -> list[list[Part[Whole]]]:
    """Parts of ranges in lists that have this many offsets each; the last may have fewer, and whole ranges more."""
    shares: list[list[Part[Whole]]] = []
    room = 0
    for each, whole in ranges:
        first = whole.start
        while first < whole.stop:
            if not room:
                shares.append([])
                room = offsets
            part = range(first, min(first + room, whole.stop) if splits else whole.stop)
            shares[-1].append((each, part))
            room = max(0, room - len(part))
            first = part.stop
    return shares


class Selection:
    """The filters of a query on the log and on offsets."""

    def __init__(self) -> None:
        self._filters: list[tuple[str, str, Any]] = []

    def take(self, column: str, kind: str, value: Any) -> bool:
        """Add a filter, by the name of Spark's class for it; False if Spark must apply it."""
        is_known = kind in _RANGES if column == "log_offset" else column in OF_THE_LOG and kind in _COMPARISONS
        if is_known:
            self._filters.append((column, kind, value))
        return is_known

    def apply(self, ranges: Iterable[LogRange]) -> list[LogRange]:
        """The selected parts of ranges, without empty ones."""
        return [part for part in map(self._part, ranges) if len(part)]

    def _part(self, found: LogRange) -> LogRange:
        for column, kind, value in self._filters:
            if column == "log_offset":
                found = found.within(*_RANGES[kind](value))
            elif (have := getattr(found.log, column)) is None or not _COMPARISONS[kind](have, value):  # as in SQL
                return found.within(0, 0)
        return found
