"""The report `checkpoint_progress`: commits and input offsets of each task, by time bucket."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf

from eventlog.partition import natural_order
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.picture import Cell, TaskRow, draw_heat_map
from spark_jobs.reports.progress import PROGRESS, TASK, preferred, read_progress
from spark_jobs.reports.report import Column, Drawing, Inputs, Report, Tables, format_span, job_of

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
ROUND_WIDTHS: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(_MINUTE * number for number in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * number for number in (1, 2, 3, 6, 12)),
    *(_DAY * number for number in (1, 2, 7, 14, 30, 90, 365)),
)
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
    commits = preferred(inputs, "commit_history").persist()
    record_time = sf.col("record_time")
    extent = commits.agg(sf.count("*"), sf.min(record_time), sf.max(record_time), sf.count(record_time))
    count, first, last, timed = extent.toArrow().to_pylist()[0].values()
    if not count:
        jobs = "any job" if inputs.job is None else f"job '{inputs.job}'"
        raise SparkJobError(f"The database has no commit of {jobs}. Import its logs, or select another job.")
    seconds = bucket_seconds or width_for(first, last)
    by_bucket, tasks = read_progress(inputs, commits, seconds, seconds, stall_factor)
    about = {
        "bucket_seconds": seconds,
        "stall_factor": stall_factor,
        "commits_without_usable_time": count - timed,
    }
    frames = {"progress": by_bucket.select(*PROGRESS), "tasks": tasks}
    return Tables(frames, inputs.as_of, about, _describe_untimed(count - timed))


def _describe_untimed(commits: int) -> str:
    if not commits:
        return ""
    have = "1 commit has" if commits == 1 else f"{commits:,} commits have"
    return (
        f"{have} no usable record time (missing, or outside the time range of the logs). "
        "The totals include them; buckets, ages, gaps and the picture do not."
    )


def draw(drawing: Drawing) -> None:
    """A row per task: the offsets that it advanced in each bucket. Several buckets become one if there are too many."""
    rows = {_key(row): TaskRow(_task(row), row["stall"] is not None, []) for row in drawing.rows}
    progress = drawing.tables["progress"]
    key = pc.binary_join_element_wise(*(progress[name] for name in TASK), "\0")
    is_drawn = pc.and_(pc.is_in(key, pa.array(list(rows), pa.string())), pc.is_valid(progress["bucket_start"]))
    starts = []
    for row in progress.filter(is_drawn).to_pylist():
        starts.append(row["bucket_start"])
        rows[_key(row)].cells.append(Cell(row["bucket_start"], row["advanced"] or 0, row["rewound"] or 0))
    span = max(starts) - min(starts) if starts else timedelta()
    seconds = drawn_width(drawing.about["bucket_seconds"], int(span.total_seconds()))
    draw_heat_map(drawing.path, drawing.title + drawing.subtitle, seconds, list(rows.values()))


def width_for(first: datetime | None, last: datetime | None) -> int:
    """The narrowest round width, in seconds, that covers `first` to `last` (aware) with at most 60 buckets."""
    if first is None or last is None:
        return 1
    start, end = int(first.timestamp()), int(last.timestamp())
    return next((w for w in ROUND_WIDTHS if end // w - start // w < MOST_BUCKETS), ROUND_WIDTHS[-1])


def drawn_width(seconds: int, span: int) -> int:
    """The narrowest multiple of `seconds` with which a span has at most 500 buckets."""
    return seconds * (span // (seconds * (MOST_DRAWN - 1)) + 1)


def _key(row: Mapping[str, Any]) -> str:
    return "\0".join(row[name] for name in TASK)


def _task(row: Mapping[str, Any]) -> str:
    return f"{job_of(row)} {row['task_name']}"


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
    Column("commits", "commits", is_number=True),
    Column("advanced", partial(_count, name="advanced"), is_number=True),
    Column("rewound", partial(_count, name="rewound"), is_number=True),
    Column("newest commit", lambda row: f"{_span(row, 'checkpoint_age_seconds') or '?'} ago", is_number=True),
    Column("median gap", lambda row: _span(row, "median_gap_seconds"), is_number=True),
    Column("stalled", _stall),
)
