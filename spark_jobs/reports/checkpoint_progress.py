"""The report `checkpoint_progress`: commits and input offsets of each task, by time bucket."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import functions as sf

from eventlog.partition import natural_order
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.picture import Cell, TaskRow, draw_heat_map
from spark_jobs.reports.progress import (
    PROGRESS,
    TASK,
    Extent,
    activity,
    bucket_start,
    find_extent,
    median_gaps,
    offset_steps,
    preferred_checkpoints,
    preferred_commits,
    task_progress,
)
from spark_jobs.reports.report import Column, Drawing, Inputs, Report, Tables, collect, driver_rows, format_span

UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
ROUND_WIDTHS: Final = [
    number * UNITS[unit]
    for unit, numbers in (
        ("s", (1, 2, 5, 10, 15, 30)),
        ("m", (1, 2, 5, 10, 15, 30)),
        ("h", (1, 2, 3, 6, 12)),
        ("d", (1, 2, 7, 14, 30, 90, 365)),
    )
    for number in numbers
]
MOST_BUCKETS: Final = 60
MOST_DRAWN: Final = 500
"""More would be narrower than the pixels of a picture."""


def report(bucket_seconds: int | None, stall_factor: float) -> Report:
    """The report with buckets of this width (None: at most 60 buckets).

    A task stalls after `stall_factor` times the median gap between its commits.
    """
    tables = partial(progress_tables, bucket_seconds=bucket_seconds, stall_factor=stall_factor)
    return Report(
        "checkpoint_progress",
        tables,
        "tasks",
        lambda tasks: tasks.orderBy(sf.col("stall").isNull(), sf.col("checkpoint_age_seconds").desc(), *TASK),
        COLUMNS,
        draw,
        lambda rows: sorted(rows, key=lambda row: natural_order(_task(row))),
    )


def progress_tables(inputs: Inputs, bucket_seconds: int | None, stall_factor: float) -> Tables:
    """The tables `progress` (by task and bucket) and `tasks`. Raises SparkJobError: there is no commit."""
    extent = find_extent(inputs)
    if not extent.commits:
        jobs = "any job" if inputs.job is None else f"job '{inputs.job}'"
        raise SparkJobError(f"The database has no commit of {jobs}. Import its logs, or select another job.")
    seconds = bucket_seconds or width_for(extent.first, extent.last)
    commits = preferred_commits(inputs).persist()
    steps = offset_steps(preferred_checkpoints(inputs))
    by_bucket = activity(commits, steps, seconds).persist()
    tasks = task_progress(by_bucket, median_gaps(commits), inputs.as_of, seconds, stall_factor)
    about = {
        "bucket_seconds": seconds,
        "stall_factor": stall_factor,
        "commits_without_usable_time": extent.untimed,
    }
    frames = {"progress": by_bucket.select(*PROGRESS), "tasks": tasks}
    return Tables(frames, inputs.as_of, about, _describe_untimed(extent))


def _describe_untimed(extent: Extent) -> str:
    if not extent.untimed:
        return ""
    have = "1 commit has" if extent.untimed == 1 else f"{extent.untimed:,} commits have"
    return (
        f"{have} no usable record time (missing, or outside the time range of the logs). "
        "The totals include them; buckets, ages, gaps and the picture do not."
    )


def draw(drawing: Drawing) -> None:
    """A row per task: the offsets that it advanced in each bucket. Several buckets become one if there are too many."""
    names = {tuple(row[name] for name in TASK): row for row in drawing.rows}
    progress = drawing.read("progress")
    wanted = driver_rows(progress.sparkSession, dict.fromkeys(TASK, pa.string()), list(names))
    timed = progress.join(sf.broadcast(wanted), on=list(TASK), how="left_semi").where("bucket_start is not null")
    ((first, last),) = timed.agg(*(sf.unix_seconds(edge("bucket_start")) for edge in (sf.min, sf.max))).collect()
    seconds = drawn_width(drawing.about["bucket_seconds"], (last or 0) - (first or 0))
    sums = [sf.try_sum(name).alias(name) for name in ("advanced", "rewound")]
    cells: dict[tuple[str, ...], list[Cell]] = {name: [] for name in names}
    for row in collect(timed.groupBy(*TASK, bucket_start("bucket_start", seconds).alias("start")).agg(*sums)):
        cells[tuple(row[name] for name in TASK)].append(Cell(row["start"], row["advanced"] or 0, row["rewound"] or 0))
    tasks = [TaskRow(_task(row), row["stall"] is not None, cells[name]) for name, row in names.items()]
    draw_heat_map(drawing.path, drawing.title + drawing.subtitle, format_width(seconds), seconds, tasks)


def format_width(seconds: int) -> str:
    """The shortest form of a width, such as `90s` or `2m`."""
    unit, size = max(((u, s) for u, s in UNITS.items() if seconds % s == 0), key=lambda pair: pair[1])
    return f"{seconds // size}{unit}"


def width_for(first: datetime | None, last: datetime | None) -> int:
    """The narrowest round width, in seconds, that covers `first` to `last` (aware) with at most 60 buckets."""
    if first is None or last is None:
        return 1
    start, end = int(first.timestamp()), int(last.timestamp())
    return next((w for w in ROUND_WIDTHS if end // w - start // w < MOST_BUCKETS), ROUND_WIDTHS[-1])


def drawn_width(seconds: int, span: int) -> int:
    """The width to draw buckets of `seconds` with: a multiple that has at most 500 buckets, if possible a round one."""
    narrowest = seconds * (span // (seconds * (MOST_DRAWN - 1)) + 1)
    widths = (width for width in ROUND_WIDTHS if narrowest <= width <= 4 * narrowest and width % seconds == 0)
    return seconds if narrowest == seconds else next(widths, narrowest)


def _task(row: Mapping[str, Any]) -> str:
    return f"{row['job_name']}/{row['job_id']} {row['task_name']}"


def _span(row: Mapping[str, Any], name: str) -> str | None:
    return None if row[name] is None else format_span(row[name])


def _count(row: Mapping[str, Any], name: str) -> object:
    return "?" if row[name] is None else row[name]


def _stall(row: Mapping[str, Any]) -> str:
    if row["stall"] is None:
        return ""
    silent = row["checkpoint_age_seconds"]
    return f"{row['stall']} {format_span(silent + (row['newest_commit_at'] - row['stalled_since']).total_seconds())}"


COLUMNS: Final = (
    Column("task", _task),
    Column("commits", lambda row: row["commits"], is_number=True),
    Column("advanced", lambda row: _count(row, "advanced"), is_number=True),
    Column("rewound", lambda row: _count(row, "rewound"), is_number=True),
    Column("newest commit", lambda row: f"{_span(row, 'checkpoint_age_seconds') or '?'} ago", is_number=True),
    Column("median gap", lambda row: _span(row, "median_gap_seconds"), is_number=True),
    Column("stalled", _stall),
)
