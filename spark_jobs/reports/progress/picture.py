"""The picture of checkpoint_progress: a panel per task, or a heat map for many tasks."""

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.text import Text

from spark_jobs.reports.progress.rows import BucketProgress, TaskProgress
from spark_jobs.reports.progress.summary import format_span
from spark_jobs.reports.progress.time_buckets import format_width

MOST_PANELS = 12
LONGEST_LABEL = 48
LONGEST_LINE = 150
SHORTEST_LINE = 20
TITLE_LEFT = 0.01
ADVANCED, REWOUND, COMMIT, QUIET = "#2a6f97", "#c1121f", "#222222", "#f1f1ee"

Buckets = Mapping[TaskProgress, Sequence[BucketProgress]]


def draw(path: Path, buckets: Buckets, seconds: int, title: str, subtitle: str) -> None:
    """Write a PNG of `buckets` (each `seconds` wide) to `path`."""
    with rc_context({"date.converter": "concise", "timezone": "UTC"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # no font has these characters
        _figure(buckets, seconds, (title, subtitle)).savefig(path, dpi=110)


def _figure(buckets: Buckets, seconds: int, titles: Sequence[str]) -> Figure:
    rows = len(buckets)
    figure = Figure(figsize=(12, _height(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    heading = figure.suptitle("", fontsize=11, x=TITLE_LEFT, ha="left", parse_math=False)
    _wrap(heading, titles, figure.bbox.width * (1 - 2 * TITLE_LEFT))
    if rows <= MOST_PANELS:
        _panels(figure, buckets, seconds)
    else:
        _heat_map(figure, buckets, seconds)
    return figure


def _wrap(text: Text, lines: Sequence[str], width: float) -> None:
    """Break the lines so that the text fits into `width` pixels."""
    for most in range(LONGEST_LINE, SHORTEST_LINE - 1, -5):
        text.set_text("\n".join(textwrap.fill(line, most, break_on_hyphens=False) for line in lines))
        if text.get_window_extent().width <= width:
            return


def _height(rows: int) -> float:
    return 1.2 + 1.75 * -(-rows // _columns(rows)) if rows <= MOST_PANELS else 1.8 + 0.24 * rows


def _columns(rows: int) -> int:
    return 1 if rows <= 3 else 2


def _panels(figure: Figure, buckets: Buckets, seconds: int) -> None:
    columns = _columns(len(buckets))
    shape = (-(-len(buckets) // columns), columns)
    grid = figure.subplots(*shape, sharex=True, sharey=True, squeeze=False).ravel()
    with_job = _several_jobs(buckets)
    for axes, (task, rows) in zip(grid, buckets.items(), strict=False):
        _panel(axes, task, rows, seconds, with_job=with_job)
    for axes in grid[len(buckets) :]:
        axes.set_axis_off()
    for axes in grid[max(0, len(buckets) - columns) : len(buckets)]:
        axes.tick_params(labelbottom=True)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=len(labels), frameon=False, fontsize=9)
    figure.supylabel(f"offsets per {format_width(seconds)}", fontsize=10)


def _panel(axes: Axes, task: TaskProgress, rows: Sequence[BucketProgress], seconds: int, *, with_job: bool) -> None:
    starts = np.array([_utc(row.start) for row in rows], dtype="datetime64[us]")
    width = np.timedelta64(seconds, "s")
    committed = starts[[row.commits > 0 for row in rows]] + width / 2
    axes.bar(starts, [row.advanced for row in rows], width, align="edge", color=ADVANCED, label="offsets advanced")
    axes.bar(starts, [-row.rewound for row in rows], width, align="edge", color=REWOUND, label="offsets rewound")
    (dots,) = axes.plot(
        committed, [0] * len(committed), "o", ms=2.5, color=COMMIT, label="bucket with a commit", clip_on=False
    )
    dots.set_in_layout(False)  # an empty plot counts as a dot in the corner, which would distort the layout
    axes.set_title(_label(task, with_job=with_job), loc="left", fontsize=9, fontweight="bold", parse_math=False)
    axes.set_title(_note(task), loc="right", fontsize=8, color=REWOUND if task.stall else "#555555")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    axes.locator_params(axis="y", integer=True)
    axes.tick_params(labelsize=8)


def _note(task: TaskProgress) -> str:
    age = "" if task.age is None else f", newest {format_span(task.age)} old"
    stall = f"{task.stall}: " if task.stall else ""
    return f"{stall}{task.commits:,} commits{age}"


def _heat_map(figure: Figure, buckets: Buckets, seconds: int) -> None:
    axes = figure.subplots()
    cells, edges = _cells(list(buckets.values()), seconds)
    axes.set_facecolor(QUIET)
    most = np.nanmax(cells, initial=1.0)
    mesh = axes.pcolormesh(
        edges, np.arange(len(buckets) + 1), np.ma.masked_invalid(cells), cmap="YlGnBu", norm=LogNorm(1, max(most, 2.0))
    )
    bar = figure.colorbar(mesh, ax=axes, pad=0.01, aspect=40)
    bar.set_label(f"offsets advanced per {format_width(seconds)} (log scale; blank: none)", fontsize=9)
    with_job = _several_jobs(buckets)
    labels = [_label(task, with_job=with_job) for task in buckets]
    axes.set_yticks(np.arange(len(buckets)) + 0.5, labels, fontsize=8, parse_math=False)
    for label, task in zip(axes.get_yticklabels(), buckets, strict=True):
        label.set_color(REWOUND if task.stall else "black")
    axes.invert_yaxis()
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("record time, UTC; stalled tasks in red", fontsize=9)


def _cells(rows: Sequence[Sequence[BucketProgress]], seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets advanced by task and bucket (NaN: none), and the buckets' edges."""
    starts = [bucket.start for task in rows for bucket in task]
    first = min(starts, default=datetime(1970, 1, 1, tzinfo=UTC))
    count = (max(starts, default=first) - first) // timedelta(seconds=seconds) + 1
    cells = np.full((len(rows), count), np.nan)
    for line, task in enumerate(rows):
        for bucket in task:
            if bucket.advanced:
                cells[line, (bucket.start - first) // timedelta(seconds=seconds)] = bucket.advanced
    return cells, np.datetime64(_utc(first), "us") + np.arange(count + 1) * np.timedelta64(seconds, "s")


def _utc(moment: datetime) -> datetime:
    """The same moment as a naive datetime in UTC, which numpy expects."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def _label(task: TaskProgress, *, with_job: bool) -> str:
    text = task.label(with_job=with_job)
    return text if len(text) <= LONGEST_LABEL else f"…{text[1 - LONGEST_LABEL :]}"


def _several_jobs(tasks: Mapping[TaskProgress, object]) -> bool:
    return len({(task.job_name, task.job_id) for task in tasks}) > 1
