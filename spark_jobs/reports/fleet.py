"""The job `fleet`: each job with its tasks, containers, last commit and stalled tasks."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs.reports.arguments import add_now, report_parser
from spark_jobs.reports.picture import Bar, draw_bars
from spark_jobs.reports.progress import transforms
from spark_jobs.reports.progress.scope import find_scope
from spark_jobs.reports.progress.summary import format_span
from spark_jobs.reports.progress.transforms import JOB, TASK, instant
from spark_jobs.reports.runner import Inputs, Report, Rows, Tables, run_report
from spark_jobs.reports.table import Column

STALL_FACTOR = 10.0
LEAST_LIMIT_SECONDS = 60
"""The buckets of `activity` are of no use here: they are as wide as the history of all jobs is long."""


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the job and return its exit code: 0, or 1 with a message on standard error. `parse` exits with 2."""
    return run_report(REPORT, parse(argv), environ)


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the job. Exits with 2 and a message if they are invalid."""
    parser = report_parser("fleet", __doc__ or "")
    add_now(parser)
    return parser.parse_args(argv)


def tables(inputs: Inputs) -> Tables:
    """The tables `jobs` and `stalled`."""
    moment, spark = inputs.moment, inputs.moment.spark
    scope = find_scope(
        moment.snapshot, inputs.job, partitions=inputs.connections(), now=inputs.now, bucket_seconds=None
    )
    commits = scope.commits(spark, moment.settings, moment.snapshot).persist()
    steps = transforms.offset_steps(scope.checkpoints(spark, moment.settings, moment.snapshot))
    activity = transforms.activity(commits, steps, scope.bucket_seconds)
    gaps = transforms.median_gaps(commits)
    tasks = transforms.task_progress(activity, gaps, scope.as_of, LEAST_LIMIT_SECONDS, STALL_FACTOR).persist()
    jobs = inputs.read("job", "job_name", "job_id", "task_count", "container_count")
    return Tables({"jobs": fleet_jobs(jobs, tasks, scope.as_of), "stalled": stalled_tasks(tasks)}, scope.as_of)


def draw(path: Path, rows: Rows, title: str) -> None:
    """A bar per job: the age of its last commit, red if tasks stall."""
    unit, size = _unit(max((row["seconds_since_commit"] or 0.0 for row in rows), default=0.0))
    bars = [
        Bar(
            f"{row['job_name']}/{row['job_id']}",
            (row["seconds_since_commit"] or 0.0) / size,
            _status(row),
            row["stalled_tasks"] > 0,
        )
        for row in rows
    ]
    draw_bars(path, title, f"{unit} since the last commit (red: with stalled tasks)", bars)


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
    """The tasks that stall, of all tasks (`task_progress`)."""
    return tasks.where(sf.col("stall").isNotNull()).select(
        *TASK, "stall", "stalled_since", "newest_commit_at", "checkpoint_age_seconds"
    )


REPORT = Report(
    "fleet",
    tables,
    "jobs",
    lambda jobs: jobs.orderBy(
        sf.desc("stalled_tasks"), sf.desc_nulls_last("seconds_since_commit"), "job_name", "job_id"
    ),
    (
        Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
        Column("tasks", lambda row: row["tasks"], is_number=True),
        Column("containers", lambda row: row["containers"], is_number=True),
        Column("commits", lambda row: row["commits"], is_number=True),
        Column("last commit (UTC)", lambda row: row["last_commit_at"]),
        Column("age", _age, is_number=True),
        Column("stalled tasks", lambda row: row["stalled_tasks"], is_number=True),
    ),
    draw,
)

if __name__ == "__main__":
    sys.exit(main())
