"""The pictures of the reports: horizontal bars and stacked bars by day."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

PLAIN, ALARM = "#2a6f97", "#c1121f"
LONGEST_LABEL: Final = 48
MOST_SERIES: Final = 8


def draw_bars(path: Path, title: str, unit: str, bars: Sequence[tuple[str, float, bool]]) -> None:
    """Write a PNG with a horizontal bar for each (label, length, whether it is an alarm), which is red then."""
    with _figure(path, title, 1.5 + 0.28 * len(bars)) as figure:
        axes = figure.subplots()
        places = np.arange(len(bars))
        axes.barh(places, [length for _, length, _ in bars], color=[ALARM if red else PLAIN for _, _, red in bars])
        axes.set_yticks(places, [_short(label) for label, _, _ in bars], fontsize=8, parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel(unit, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)


def draw_days(path: Path, title: str, unit: str, counts: Mapping[str, Mapping[date, int]]) -> None:
    """Write a PNG with a bar for each day, stacked from a count per series. Small series are added up."""
    with _figure(path, title, 4.5) as figure:
        axes = figure.subplots()
        days = sorted({day for series in counts.values() for day in series})
        bottom = np.zeros(len(days))
        for number, (name, series) in enumerate(_largest(counts).items()):
            heights = np.array([series.get(day, 0) for day in days])
            color = colormaps["tab10"](number)
            axes.bar(np.arange(len(days)), heights, bottom=bottom, label=_short(name), color=color)
            bottom += heights
        axes.set_xticks(np.arange(len(days)), [day.isoformat() for day in days], fontsize=8)
        axes.tick_params(axis="x", rotation=45 if len(days) > 8 else 0)
        axes.locator_params(axis="y", integer=True)
        axes.set_ylabel(unit, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        if days:
            for text in axes.legend(frameon=False, fontsize=8).get_texts():
                text.set_parse_math(False)


def _largest(counts: Mapping[str, Mapping[date, int]]) -> dict[str, Mapping[date, int]]:
    by_size = sorted(counts, key=lambda name: (-sum(counts[name].values()), name))
    rest: dict[date, int] = {}
    for name in by_size[MOST_SERIES:]:
        for day, count in counts[name].items():
            rest[day] = rest.get(day, 0) + count
    others = {f"{len(by_size) - MOST_SERIES} others": rest} if rest else {}
    return {name: counts[name] for name in by_size[:MOST_SERIES]} | others


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
