"""The report `checkpoint_progress`: commits and input offsets of each task, by time bucket."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf

from eventlog.partition import natural_order
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.picture import Cell, draw_heat_map
from spark_jobs.reports.progress import STALL_FACTOR, activity, read_checkpoints, read_commits, task_progress
from spark_jobs.reports.report import Inputs, Report, Result, Row, Tables, format_span, job_of

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
ROUND_WIDTHS: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(_MINUTE * number for number in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * number for number in (1, 2, 3, 6, 12)),
    *(_DAY * number for number in (1, 2, 7, 14, 30, 90, 365)),
)
MOST_BUCKETS: Final = 60
PROGRESS: Final = ("job_name", "job_id", "task_name", "bucket_start", "commits", "advanced", "rewound")


def tables(inputs: Inputs) -> Tables:
    """The tables `tasks` and `progress` (by task and bucket). Raises SparkJobError: there is no commit."""
    commits, time = read_commits(inputs), sf.col("record_time")
    extent = commits.agg(sf.count("*"), sf.min(time), sf.max(time), sf.count(time))
    count, first, last, timed = extent.toArrow().to_pylist()[0].values()
    if not count:
        jobs = "any job" if inputs.job is None else f"job '{inputs.job}'"
        raise SparkJobError(f"The database has no commit of {jobs}. Import its logs, or select another job.")
    seconds = width_for(first, last)
    by_bucket = activity(commits, read_checkpoints(inputs), seconds)
    tasks = task_progress(by_bucket, commits, inputs.latest, seconds, STALL_FACTOR)
    about = {"bucket_seconds": seconds, "stall_factor": STALL_FACTOR, "commits_without_usable_time": count - timed}
    note = (
        f"{count - timed:,} commits have no usable record time (missing, or outside the time range of the logs). "
        "The totals include them; buckets, ages, gaps and the picture do not."
    )
    frames = {"tasks": tasks, "progress": by_bucket.select(*PROGRESS)}
    return Tables(frames, has_ages=True, about=about, note=note if count > timed else "")


def width_for(first: datetime | None, last: datetime | None) -> int:
    """The narrowest round width, in seconds, that covers `first` to `last` (aware) with at most 60 buckets."""
    if first is None or last is None:
        return 1
    start, end = int(first.timestamp()), int(last.timestamp())
    return next((w for w in ROUND_WIDTHS if end // w - start // w < MOST_BUCKETS), ROUND_WIDTHS[-1])


def draw(path: Path, result: Result) -> None:
    """A row per task: the offsets that it advanced in each bucket."""
    progress, tasks = result.tables["progress"], {_task(row): row["stall"] is not None for row in result.rows}
    names = pa.array([row["task_name"] for row in result.rows], pa.string())
    is_drawn = pc.and_(pc.is_in(progress["task_name"], names), pc.is_valid(progress["bucket_start"]))
    cells = [
        Cell(_task(row), row["bucket_start"], row["advanced"] or 0, row["rewound"] or 0)
        for row in progress.filter(is_drawn).to_pylist()
        if _task(row) in tasks
    ]
    draw_heat_map(path, result.drawn_title, result.about["bucket_seconds"], tasks, cells)


def _task(row: Row) -> str:
    return f"{job_of(row)} {row['task_name']}"


def cells(row: Row) -> dict[str, Any]:
    stall = row["stall"] or ""
    if stall:
        silent = (row["newest_commit_at"] - row["stalled_since"]).total_seconds()
        stall += f" {format_span(row['checkpoint_age_seconds'] + silent)}"
    return {
        "task": _task(row),
        "commits": row["commits"],
        "advanced": "?" if row["advanced"] is None else row["advanced"],
        "rewound": "?" if row["rewound"] is None else row["rewound"],
        "newest commit": f"{format_span(row['checkpoint_age_seconds']) or '?'} ago",
        "median gap": format_span(row["median_gap_seconds"]),
        "stalled": stall,
    }


REPORT: Final = Report("checkpoint_progress", tables, cells, draw, lambda row: natural_order(_task(row)))
