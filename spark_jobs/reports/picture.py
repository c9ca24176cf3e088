"""The pictures of the reports: horizontal bars, stacked bars by day, and a heat map of tasks over time."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
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
"""More would be narrower than the pixels of a picture."""

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
    """Write a PNG with a bar for each day, or for several in a history of years, stacked from a count per series.

    ``unit`` has a place for the days of a bar.
    """
    days = [day for series in counts.values() for day in series]
    first, span = min(days, default=date.min), (max(days) - min(days)).days + 1 if days else 0
    width = -(-span // MOST_BARS) or 1
    edges: Any = np.datetime64(first) + np.arange(-(-span // width) + 1) * width
    with _figure(path, title, 4.5) as figure:
        axes = figure.subplots()
        look: dict[str, Any] = {"rwidth": 0.8 if width == 1 else 1, "label": [*map(_short, counts)]}
        look["color"] = [colormaps["tab10"](number) for number in range(len(counts))]
        if days:
            look["weights"] = [[*series.values()] for series in counts.values()]
            axes.hist([np.array([*series], edges.dtype) for series in counts.values()], edges, stacked=True, **look)
        axes.locator_params(axis="y", integer=True)
        axes.set_ylabel(unit.format("day" if width == 1 else f"{width} days"), fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        if days:
            beside = np.timedelta64(max(LEAST_DAYS - span, 2 * width) // 2, "D")
            axes.set_xlim(edges[0] - beside, edges[-1] + beside)
            axes.tick_params(axis="x", labelsize=8)
            for text in figure.legend(loc="outside right upper", frameon=False, fontsize=8).get_texts():
                text.set_parse_math(False)


class Cell(NamedTuple):
    """The offsets that a task advanced and rewound in the bucket that begins at `start` (aware)."""

    task: str
    start: datetime
    advanced: int
    rewound: int


def draw_heat_map(path: Path, title: str, seconds: int, tasks: Mapping[str, bool], cells: Sequence[Cell]) -> None:
    """Write a PNG with a row per task and a column per bucket of `seconds`; crosses are rewinds.

    ``tasks``: whether the label of each is red. Columns narrower than a pixel become one.
    """
    starts = [int(cell.start.timestamp()) for cell in cells]
    seconds *= (max(starts) - min(starts)) // (seconds * MOST_BARS) + 1 if starts else 1
    first, lines = min(starts, default=0) // seconds, {task: line for line, task in enumerate(tasks)}
    advanced = np.zeros((len(tasks), max(starts, default=0) // seconds - first + 1))
    rewinds = set()
    for start, cell in zip(starts, cells, strict=True):
        line, column = lines[cell.task], start // seconds - first
        advanced[line, column] += cell.advanced
        if cell.rewound:
            rewinds.add((np.datetime64(int((first + column + 0.5) * seconds * 1_000_000), "us"), line + 0.5))
    edges = np.datetime64(first * seconds, "s") + np.arange(advanced.shape[1] + 1) * np.timedelta64(seconds, "s")
    shown = np.ma.masked_equal(advanced, 0)
    with _figure(path, title, 1.8 + 0.24 * len(tasks)) as figure:
        axes = figure.subplots()
        axes.set_facecolor(QUIET)
        least = float(shown.min()) if shown.count() else 1.0
        rows = np.arange(len(tasks) + 1)
        norm = LogNorm(least, max(float(advanced.max(initial=0)), 2 * least))
        mesh = axes.pcolormesh(edges, rows, shown, cmap="YlGnBu", norm=norm)
        bar = figure.colorbar(mesh, ax=axes, pad=0.01, aspect=40)
        bar.set_label(f"offsets advanced per {precisedelta(seconds)} (log scale; blank: none)", fontsize=9)
        if rewinds:
            axes.plot(*zip(*rewinds, strict=True), "x", ms=4, color=ALARM)
        axes.set_yticks(rows[:-1] + 0.5, [_short(task) for task in tasks], fontsize=8, parse_math=False)
        for label, is_alarm in zip(axes.get_yticklabels(), tasks.values(), strict=True):
            label.set_color(ALARM if is_alarm else "black")
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
