"""Plots as inline SVG: lines and bars in a box of `WIDTH` by `HEIGHT`, which the page stretches to the width it has.

Labels stand beside the box, so that they keep their size on a narrow screen.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final, NamedTuple

WIDTH: Final = 1_000
HEIGHT: Final = 100
MOST_POINTS: Final = 400
_MARGIN: Final = 4
"""Above and below a line, so that its ends are not cut off."""
_BINS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440))
_MOST_BINS: Final = 120

Point = tuple[datetime, int]


class Span(NamedTuple):
    """The times that a plot shows."""

    first: datetime
    last: datetime

    def x(self, time: datetime) -> float:
        """The place of a time in the box; the right edge if the span has no length."""
        length = (self.last - self.first).total_seconds()
        return round((time - self.first).total_seconds() / length * WIDTH, 1) if length else float(WIDTH)

    @property
    def middle(self) -> datetime:
        """The time in the middle."""
        return self.first + (self.last - self.first) / 2


class Line(NamedTuple):
    """Numbers over time. ``points`` is the attribute of a polyline; ``low`` and ``high`` are its ends."""

    title: str
    points: str
    low: int
    high: int
    newest: int


class Bar(NamedTuple):
    """A bar of the box."""

    x: float
    y: float
    width: float
    height: float


class Bars(NamedTuple):
    """Events per minute over time; ``minutes`` is the width of a bar, ``high`` the rate of the highest."""

    bars: list[Bar]
    minutes: int
    high: float
    total: int


def draw_line(title: str, points: Sequence[Point], span: Span) -> Line:
    """A line through at least one point, oldest first. Of points that would stand close together, the last is kept."""
    numbers = [number for _, number in points]
    low, high = min(numbers), max(numbers)
    bins = {int(span.x(time) * MOST_POINTS / WIDTH): (time, number) for time, number in points}
    kept = dict.fromkeys([points[0], *bins.values()])
    text = " ".join(f"{span.x(time):g},{_y(number, low, high):g}" for time, number in kept)
    return Line(title, text, low, high, numbers[-1])


def draw_rates(times: Sequence[datetime], span: Span) -> Bars:
    """The number of events per minute, in bars of one minute or more: of at most `_MOST_BINS` in the span."""
    length = span.last - span.first
    width = next(
        (each for each in _BINS if length / each <= _MOST_BINS), timedelta(days=ceil(length.days / _MOST_BINS))
    )
    counts: dict[datetime, int] = {}
    for time in times:
        start = begin_of(time, width)
        counts[start] = counts.get(start, 0) + 1
    minutes = int(width.total_seconds() // 60)
    high = max(counts.values(), default=0)
    return Bars(
        [_bar(start, count / high, width, span) for start, count in sorted(counts.items())],
        minutes,
        high / minutes,
        len(times),
    )


def begin_of(time: datetime, width: timedelta) -> datetime:
    """The begin of the bin that a time is in; bins are counted from 1970."""
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return epoch + (time - epoch) // width * width


def _bar(start: datetime, share: float, width: timedelta, span: Span) -> Bar:
    left = max(span.x(max(start, span.first)), 0)
    right = min(span.x(min(start + width, span.last)), WIDTH)
    height = round(share * (HEIGHT - _MARGIN), 1)
    return Bar(left, round(HEIGHT - height, 1), round(max(right - left - 1, 1), 1), height)


def _y(number: int, low: int, high: int) -> float:
    share = (number - low) / (high - low) if high > low else 0.5
    return round(HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN), 1)
