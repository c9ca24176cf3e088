"""The pictures of the reports: horizontal bars, stacked bars by day, and a heat map of tasks over time."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from humanize import precisedelta
from matplotlib import colormaps, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

PLAIN, ALARM, QUIET = "#2a6f97", "#c1121f", "#f1f1ee"
LONGEST_LABEL: Final = 48
LEAST_DAYS: Final = 7
"""So that the bar of a single day does not fill the picture."""

MOST_BARS: Final = 500
"""In a history of years, the bar of a day is wider than a day: it would be narrower than a pixel."""

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
        look: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 8, "parse_math": False}
        for place, bar, color in zip(places, bars, colors, strict=True):
            axes.annotate(_short(bar.text), (max(bar.length, 0), float(place)), (4, 0), color=color, **look)
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
        span = (days[-1] - days[0]).days if days else 0
        width = max(0.8, span / MOST_BARS)
        bottom = np.zeros(len(days))
        for number, (name, series) in enumerate(counts.items()):
            heights = np.array([series.get(day, 0) for day in days])
            look = {"label": _short(name), "color": colormaps["tab10"](number)}
            axes.bar(days, heights, width, bottom=bottom, **look)  # type: ignore[arg-type]  # dates
            bottom += heights
        axes.locator_params(axis="y", integer=True)
        axes.set_ylabel(unit, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        if days:
            beside = max(LEAST_DAYS - span, width) / 2 + 0.5
            axes.set_xlim(days[0] - timedelta(beside), days[-1] + timedelta(beside))  # type: ignore[arg-type]  # dates
            axes.tick_params(axis="x", labelsize=8)
            for text in figure.legend(loc="outside right upper", frameon=False, fontsize=8).get_texts():
                text.set_parse_math(False)


class Cell(NamedTuple):
    """The offsets that a task advanced and rewound in the bucket that begins at `start` (aware)."""

    start: datetime
    advanced: int
    rewound: int


class TaskRow(NamedTuple):
    """A row of a heat map: its label, whether that is red, and its buckets."""

    label: str
    is_alarm: bool
    cells: list[Cell]


def draw_heat_map(path: Path, title: str, seconds: int, tasks: Sequence[TaskRow]) -> None:
    """Write a PNG with a row per task and a column per `seconds`; crosses are rewinds."""
    starts = [int(cell.start.timestamp()) // seconds for task in tasks for cell in task.cells]
    first = min(starts, default=0)
    advanced = np.zeros((len(tasks), max(starts, default=first) - first + 1))
    rewinds = []
    for line, task in enumerate(tasks):
        for cell in task.cells:
            column = int(cell.start.timestamp()) // seconds - first
            advanced[line, column] += cell.advanced
            if cell.rewound:
                rewinds.append((np.datetime64(int((first + column + 0.5) * seconds * 1_000_000), "us"), line + 0.5))
    edges = np.datetime64(first * seconds, "s") + np.arange(advanced.shape[1] + 1) * np.timedelta64(seconds, "s")
    with _figure(path, title, 1.8 + 0.24 * len(tasks)) as figure:
        axes = figure.subplots()
        axes.set_facecolor(QUIET)
        scale = LogNorm(1, max(advanced.max(initial=1.0), 2.0))
        rows = np.arange(len(tasks) + 1)
        mesh = axes.pcolormesh(edges, rows, np.ma.masked_equal(advanced, 0), cmap="YlGnBu", norm=scale)
        bar = figure.colorbar(mesh, ax=axes, pad=0.01, aspect=40)
        bar.set_label(f"offsets advanced per {precisedelta(seconds)} (log scale; blank: none)", fontsize=9)
        if rewinds:
            axes.plot(*zip(*rewinds, strict=True), "x", ms=4, color=ALARM)
        axes.set_yticks(rows[:-1] + 0.5, [_short(task.label) for task in tasks], fontsize=8, parse_math=False)
        for label, task in zip(axes.get_yticklabels(), tasks, strict=True):
            label.set_color(ALARM if task.is_alarm else "black")
        axes.invert_yaxis()
        axes.tick_params(axis="x", labelsize=8)
        axes.set_xlabel("record time, UTC (red: stalled tasks; crosses: rewinds)", fontsize=9)


@contextmanager
def _figure(path: Path, title: str, height: float) -> Iterator[Figure]:
    with rc_context({"date.converter": "concise", "timezone": "UTC"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # no font has these characters
        figure = Figure(figsize=(10, height), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", parse_math=False)
        yield figure
        figure.savefig(path, dpi=110)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST_LABEL else f"…{label[1 - LONGEST_LABEL :]}"
