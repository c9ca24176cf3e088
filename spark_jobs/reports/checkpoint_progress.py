"""The job `checkpoint_progress`: commits and input offsets of each task, by time bucket.

Reads the preferred rows of commit_history and checkpoint_history over JDBC in one snapshot (each commit once), writes
`progress` (by task and bucket) and `tasks` (a summary) as Parquet, prints the summary and draws a picture.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

from projections.job_choice import Job
from spark_jobs.output_folder import OutputFolder, output_folder
from spark_jobs.relations.partitioning import choose_partitions
from spark_jobs.relations.selection import choose_job
from spark_jobs.relations.settings import ReadSettings
from spark_jobs.relations.snapshots import exported_snapshot
from spark_jobs.reports.arguments import add_now, report_parser
from spark_jobs.reports.progress import picture, rows, summary, transforms
from spark_jobs.reports.progress.scope import Scope, find_scope, require_commits
from spark_jobs.reports.progress.time_buckets import format_width, parse_width
from spark_jobs.reports.runner import AS_OF_FILE, run_job, write_as_of
from spark_jobs.reports.table import describe_positions
from spark_jobs.spark_errors import spark_errors

MOST_TASKS_SHOWN = 40


@dataclass(frozen=True)
class Options:
    """The job's options. `output` is a path or URI; see `output_folder`.

    If `bucket_seconds` is None, there are at most 60 buckets. If `now` is None, ages count to the newest log_time.
    """

    output: str
    job: Job | None = None
    bucket_seconds: int | None = None
    stall_factor: float = 10.0
    now: datetime | None = None
    overwrite: bool = False


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the job and return its exit code: 0, or 1 with a message on standard error. `parse` exits with 2."""
    arguments = parse(argv)
    options = _options(arguments)

    def write(spark: SparkSession, url: str) -> None:
        run(spark, ReadSettings(url, partitions=arguments.partitions), options, _console())

    return run_job("checkpoint_progress", arguments, environ, write)


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of the job. Exits with 2 and a message if they are invalid."""
    return _parser().parse_args(argv)


def run(spark: SparkSession, settings: ReadSettings, options: Options, console: Console) -> None:
    """Read in one snapshot, write the output folder, print the summary. After a SparkJobError there is no output."""
    partitions = settings.partitions or choose_partitions(spark)
    with output_folder(spark, options.output, AS_OF_FILE, overwrite=options.overwrite) as folder:
        with exported_snapshot(settings.database_url) as snapshot:
            job = None if options.job is None else choose_job(snapshot.jobs(), str(options.job))
            scope = find_scope(
                snapshot, job, partitions=partitions, now=options.now, bucket_seconds=options.bucket_seconds
            )
            require_commits(scope)
            with spark_errors("Spark cannot read the database or write the result"):
                commits = scope.commits(spark, settings, snapshot)
                checkpoints = scope.checkpoints(spark, settings, snapshot)
                _write(commits, checkpoints, scope, folder, options.stall_factor)
        write_as_of(
            folder.files,
            scope.positions,
            as_of=scope.as_of.isoformat(),
            bucket=format_width(scope.bucket_seconds),
            stall_factor=options.stall_factor,
            commits_without_usable_time=scope.untimed_commits,
        )
        _show(spark, folder, scope, console)
    written = f"Written to {options.output}: progress and tasks (Parquet), progress.png, {AS_OF_FILE}"
    console.print(written, markup=False, soft_wrap=not console.is_terminal)


def _write(commits: DataFrame, checkpoints: DataFrame, scope: Scope, folder: OutputFolder, stall_factor: float) -> None:
    """Write both tables, reading each relation once."""
    commits.persist()
    steps = transforms.offset_steps(checkpoints)
    activity = transforms.activity(commits, steps, scope.bucket_seconds).persist()
    gaps = transforms.median_gaps(commits)
    tasks = transforms.task_progress(activity, gaps, scope.as_of, scope.bucket_seconds, stall_factor)
    transforms.progress(activity).coalesce(1).write.parquet(folder.table("progress"))
    tasks.coalesce(1).write.parquet(folder.table("tasks"))
    activity.unpersist()
    commits.unpersist()


def _show(spark: SparkSession, folder: OutputFolder, scope: Scope, console: Console) -> None:
    total = rows.count_tasks(spark, folder.table("tasks"))
    tasks = rows.notable_tasks(spark, folder.table("tasks"), MOST_TASKS_SHOWN)
    buckets, width = rows.bucket_rows(spark, folder.table("progress"), tasks, scope.bucket_seconds)
    heading = f"Checkpoint progress of {scope.job or 'all jobs'}"
    shown = (
        f"{total} {'task' if total == 1 else 'tasks'}"
        if total == len(tasks)
        else f"{len(tasks)} of {total} tasks, stalled first"
    )
    path = folder.files / "progress.png"
    picture.draw(path, buckets, width, f"{heading}, {shown}", _subtitle(scope))
    for line in describe_positions(scope.positions, f"As of {scope.as_of:%Y-%m-%d %H:%M:%S} UTC, log positions:"):
        console.print(line, markup=False, soft_wrap=True)
    if scope.untimed_commits:
        console.print(summary.describe_untimed(scope.untimed_commits), markup=False)
    summary.print_summary(console, tasks, total, heading, scope.as_of)


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else summary.WIDTH)


def _subtitle(scope: Scope) -> str:
    logs = [f"{name} {offset}" for (name, _), offset in sorted(scope.positions.items())]
    where = f"{len(logs)} logs" if len(logs) > 2 else "log offset " + ", ".join(logs)
    untimed = f"; commits without a usable time: {scope.untimed_commits}, not shown" if scope.untimed_commits else ""
    return f"as of {where}; {scope.as_of:%Y-%m-%d %H:%M:%S} UTC{untimed}"


def _options(arguments: argparse.Namespace) -> Options:
    return Options(
        arguments.output, arguments.job, arguments.bucket, arguments.stall, arguments.now, arguments.overwrite
    )


def _parser() -> argparse.ArgumentParser:
    parser = report_parser("checkpoint_progress", "Commits and input offsets of each task, by time bucket.")
    add = parser.add_argument
    add(
        "--bucket",
        type=_width,
        metavar="WIDTH",
        help="width of a time bucket: 5s, 1m, 1h (default: at most 60 buckets)",
    )
    add(
        "--stall",
        type=_factor,
        default=10.0,
        metavar="K",
        help="a task stalls after K times its median gap between commits (default: 10)",
    )
    add_now(parser)
    return parser


def _width(text: str) -> int:
    try:
        return parse_width(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = -1.0
    if not 0 < factor < float("inf"):
        raise argparse.ArgumentTypeError(f"Invalid factor {text!r}. Expected a number above 0, for example 10.")
    return factor


if __name__ == "__main__":
    sys.exit(main())
