"""The filters of a query that the data source applies itself: on the stream, the incarnation and the offset."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from spark_jobs.data_source.log_range import Log, LogRange

FIRST_OFFSET: Final = 0
LAST_OFFSET: Final = 2**63 - 1

_OF_THE_LOG: Final = ("stream_name", "stream_kind", "incarnation")
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "EqualTo": lambda found, value: found == value,
    "In": lambda found, values: found in values,
    "GreaterThan": lambda found, value: found > value,
    "GreaterThanOrEqual": lambda found, value: found >= value,
    "LessThan": lambda found, value: found < value,
    "LessThanOrEqual": lambda found, value: found <= value,
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
class Condition:
    """A filter on a column of the log: the name of Spark's filter class, and its value."""

    column: str
    kind: str
    value: Any

    def holds(self, log: Log) -> bool:
        """Whether events of the log pass the filter; false where the column is null, as in SQL."""
        found = getattr(log, self.column)
        return found is not None and _COMPARISONS[self.kind](found, self.value)


@dataclass(frozen=True)
class Selection:
    """The conditions on the log, and the offsets from `first` to before `until`."""

    conditions: tuple[Condition, ...] = ()
    first: int = FIRST_OFFSET
    until: int = LAST_OFFSET

    def with_filter(self, column: str, kind: str, value: Any) -> Self | None:
        """The selection with one more filter; None if Spark must apply it."""
        if column == "log_offset" and kind in _RANGES:
            first, until = _RANGES[kind](value)
            return replace(self, first=max(self.first, first), until=min(self.until, until))
        if column in _OF_THE_LOG and kind in _COMPARISONS:
            return replace(self, conditions=(*self.conditions, Condition(column, kind, value)))
        return None

    def apply(self, ranges: Iterable[LogRange]) -> list[LogRange]:
        """The parts of the ranges that pass the filters."""
        selected = (found for found in ranges if all(condition.holds(found.log) for condition in self.conditions))
        return [part for found in selected if len(part := found.within(self.first, self.until))]
