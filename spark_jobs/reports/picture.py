"""The pictures of the reports: horizontal bars and stacked bars by day."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.dates import HOURLY, AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

PLAIN, ALARM = "#2a6f97", "#c1121f"
LONGEST_LABEL: Final = 48
LEAST_DAYS: Final = 7
"""So that the bar of a single day does not fill the picture."""

Counts = Mapping[str, Mapping[date, int]]


class Bar(NamedTuple):
    """A bar: its label, its length, the text beside it, and whether it is red."""

    label: str
    length: float
    text: str
    is_alarm: bool


def draw_bars(path: Path, title: str, unit: str, bars: Sequence[Bar]) -> None:
    """Write a PNG with horizontal bars. ``unit`` is that of their lengths."""
    with _figure(path, title, 1.5 + 0.28 * len(bars)) as figure:
        axes = figure.subplots()
        places = np.arange(len(bars))
        colors = [ALARM if bar.is_alarm else PLAIN for bar in bars]
        axes.barh(places, [bar.length for bar in bars], color=colors)
        for place, bar, color in zip(places, bars, colors, strict=True):
            beside = offset_copy(axes.transData, figure, 4, units="points")
            text = axes.text(
                max(bar.length, 0), float(place), _short(bar.text), transform=beside, color=color, fontsize=8
            )
            text.set(verticalalignment="center", parse_math=False)
        axes.set_yticks(places, [_short(bar.label) for bar in bars], fontsize=8, parse_math=False)
        axes.set_ylim(max(len(bars), 1) - 0.5, -0.5)  # from top to bottom
        if any(bar.length for bar in bars):
            axes.margins(x=0.25)  # for the texts
        else:
            axes.set_xlim(0, 1)
        axes.set_xlabel(unit, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)


def draw_days(path: Path, title: str, unit: str, counts: Counts) -> None:
    """Write a PNG with a bar for each day, stacked from a count per series."""
    with _figure(path, title, 4.5) as figure:
        axes = figure.subplots()
        days = sorted({day for series in counts.values() for day in series})
        bottom = np.zeros(len(days))
        for number, (name, series) in enumerate(counts.items()):
            heights = np.array([series.get(day, 0) for day in days])
            axes.bar(days, heights, bottom=bottom, label=_short(name), color=colormaps["tab10"](number))  # type: ignore[arg-type]  # dates
            bottom += heights
        axes.locator_params(axis="y", integer=True)
        axes.set_ylabel(unit, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        if days:
            _scale_days(axes, days)
            for text in figure.legend(loc="outside right upper", frameon=False, fontsize=8).get_texts():
                text.set_parse_math(False)


def _scale_days(axes: Axes, days: Sequence[date]) -> None:
    """Days are as wide as each other, whether they have a bar or not."""
    first, last = (datetime.combine(day, time()) for day in (days[0], days[-1]))
    beside = timedelta(days=0.5 + max(0, LEAST_DAYS - (last - first).days) / 2)
    axes.set_xlim(first - beside, last + beside)  # type: ignore[arg-type]  # dates
    locator = AutoDateLocator(minticks=3)  # type: ignore[no-untyped-call]
    locator.intervald[HOURLY] = [24]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.tick_params(axis="x", labelsize=8)


@contextmanager
def _figure(path: Path, title: str, height: float) -> Iterator[Figure]:
    with rc_context({"timezone": "UTC"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # no font has these characters
        figure = Figure(figsize=(10, height), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", parse_math=False)
        yield figure
        figure.savefig(path, dpi=110)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"…{label[1 - LONGEST_LABEL :]}"
