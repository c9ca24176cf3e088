"""The report `fleet`: each job with its tasks, containers, last commit and stalled tasks."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs.reports.picture import Bar, draw_bars
from spark_jobs.reports.progress import JOB, TASK, preferred, read_progress
from spark_jobs.reports.report import (
    Column,
    Drawing,
    Inputs,
    Report,
    Tables,
    columns,
    format_span,
    instant,
    job_of,
)

BUCKET_SECONDS: Final = 365 * 86_400
"""The buckets are of no use here."""

STALL_FACTOR: Final = 10.0
LEAST_LIMIT_SECONDS: Final = 60


def tables(inputs: Inputs) -> Tables:
    as_of = inputs.as_of
    commits = preferred(inputs, "commit_history").persist()
    _, tasks = read_progress(inputs, commits, BUCKET_SECONDS, LEAST_LIMIT_SECONDS, STALL_FACTOR)
    tasks.persist()
    jobs = inputs.read("job", "job_name", "job_id", "task_count", "container_count")
    return Tables({"jobs": fleet_jobs(jobs, tasks, as_of), "stalled": stalled_tasks(tasks)}, as_of)


def draw(drawing: Drawing) -> None:
    """A bar per job: the age of its last commit, red if tasks stall."""
    ages = [row["seconds_since_commit"] or 0.0 for row in drawing.rows]
    unit, size = _unit(max(ages, default=0.0))
    bars = [
        Bar(job_of(row), age / size, _status(row), row["stalled_tasks"] > 0)
        for row, age in zip(drawing.rows, ages, strict=True)
    ]
    title = drawing.title + drawing.subtitle
    draw_bars(drawing.path, title, f"{unit} since the last commit (red: with stalled tasks)", bars)


def _unit(seconds: float) -> tuple[str, int]:
    """The largest unit in which these seconds are 2 or more, and its length in seconds."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return unit, size
    return "seconds", 1


def _status(row: Mapping[str, Any]) -> str:
    stalled = row["stalled_tasks"]
    return (_age(row) or "no commits") + (f", {stalled:,} of {row['tasks'] or 0:,} tasks stalled" if stalled else "")


def _age(row: Mapping[str, Any]) -> str:
    seconds = row["seconds_since_commit"]
    return "" if seconds is None else format_span(seconds)


def fleet_jobs(jobs: DataFrame, tasks: DataFrame, as_of: datetime) -> DataFrame:
    """A row per job, with sums over its tasks (`task_progress`); ages count to `as_of` (aware)."""
    totals = tasks.groupBy(*JOB).agg(
        sf.sum("commits").alias("commits"),
        sf.max("newest_commit_at").alias("last_commit_at"),
        sf.count("stall").alias("stalled_tasks"),
    )
    age = (sf.unix_micros(instant(as_of)) - sf.unix_micros("last_commit_at")) / 1e6
    return jobs.join(totals, on=list(JOB), how="left").select(
        *JOB,
        sf.col("task_count").alias("tasks"),
        sf.col("container_count").alias("containers"),
        sf.coalesce("commits", sf.lit(0)).alias("commits"),
        "last_commit_at",
        age.alias("seconds_since_commit"),
        sf.coalesce("stalled_tasks", sf.lit(0)).alias("stalled_tasks"),
    )


def stalled_tasks(tasks: DataFrame) -> DataFrame:
    return tasks.where(sf.col("stall").isNotNull()).select(
        *TASK, "stall", "stalled_since", "newest_commit_at", "checkpoint_age_seconds"
    )


def report() -> Report:
    return Report(
        "fleet",
        tables,
        "jobs",
        lambda jobs: jobs.orderBy(
            sf.desc("stalled_tasks"), sf.desc_nulls_last("seconds_since_commit"), "job_name", "job_id"
        ),
        (
            Column("job", job_of),
            *columns("tasks", "containers", "commits", is_number=True),
            Column("last commit (UTC)", "last_commit_at"),
            Column("age", _age, is_number=True),
            *columns("stalled_tasks", is_number=True),
        ),
        draw,
    )
