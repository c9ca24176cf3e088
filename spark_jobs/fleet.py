"""The job `fleet`: each job with its tasks, containers, last commit and stalled tasks."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs import transforms
from spark_jobs.arguments import report_parser
from spark_jobs.fleet_tables import fleet_jobs, stalled_tasks
from spark_jobs.progress_scope import find_scope
from spark_jobs.progress_table import format_span
from spark_jobs.report import Inputs, Report, Rows, run_report
from spark_jobs.report_picture import draw_bars
from spark_jobs.report_table import Column

STALL_FACTOR = 10.0


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the job and return its exit code: 0, or 1 with a message on standard error. argparse exits with 2."""
    return run_report(REPORT, report_parser("fleet", __doc__ or "").parse_args(argv), environ)


def tables(inputs: Inputs) -> dict[str, DataFrame]:
    """The tables `jobs` and `stalled`."""
    moment, spark = inputs.moment, inputs.moment.spark
    scope = find_scope(moment.snapshot, inputs.job, partitions=inputs.connections(), now=None, bucket_seconds=None)
    commits = scope.commits(spark, moment.settings, moment.snapshot).persist()
    steps = transforms.offset_steps(scope.checkpoints(spark, moment.settings, moment.snapshot))
    activity = transforms.activity(commits, steps, scope.bucket_seconds)
    gaps = transforms.median_gaps(commits)
    tasks = transforms.task_progress(activity, gaps, scope.as_of, scope.bucket_seconds, STALL_FACTOR).persist()
    jobs = inputs.read("job", "job_name", "job_id", "task_count", "container_count")
    return {"jobs": fleet_jobs(jobs, tasks, scope.as_of), "stalled": stalled_tasks(tasks)}


def draw(path: Path, rows: Rows, title: str) -> None:
    """A bar per job: the age of its last commit, red if tasks stall."""
    bars = [(f"{row['job_name']}/{row['job_id']}", _hours(row), row["stalled_tasks"] > 0) for row in rows]
    draw_bars(path, title, "hours since the last commit (red: with stalled tasks)", bars)


def _hours(row: Mapping[str, float | None]) -> float:
    return (row["seconds_since_commit"] or 0.0) / 3600


def _since(row: Mapping[str, float | None]) -> str:
    seconds = row["seconds_since_commit"]
    return "" if seconds is None else f"{format_span(seconds)} ago"


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
        Column("last commit", _since, is_number=True),
        Column("stalled tasks", lambda row: row["stalled_tasks"], is_number=True),
    ),
    draw,
)

if __name__ == "__main__":
    sys.exit(main())
