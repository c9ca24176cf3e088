"""The report `fleet`: each job with its tasks, containers, last commit and stalled tasks."""

from pathlib import Path
from typing import Any, Final

from spark_jobs.reports.picture import Bar, draw_bars
from spark_jobs.reports.progress import STALL_FACTOR, activity, read_checkpoints, read_commits, task_progress
from spark_jobs.reports.report import Inputs, Report, Result, Row, Tables, format_span, job_of, micros

BUCKET_SECONDS: Final = 365 * 86_400
"""The buckets are of no use here."""

LEAST_LIMIT_SECONDS: Final = 60

_JOBS: Final = """
WITH total AS (
  SELECT job_name, job_id, sum(commits) AS commits, max(newest_commit_at) AS last_commit_at, count(stall) AS stalled
  FROM {tasks} GROUP BY ALL
)
SELECT job_name, job_id, task_count AS tasks, container_count AS containers, coalesce(commits, 0L) AS commits,
  last_commit_at, ({as_of} - unix_micros(last_commit_at)) / 1e6 AS seconds_since_commit,
  coalesce(stalled, 0L) AS stalled_tasks
FROM {jobs} LEFT JOIN total USING (job_name, job_id)
ORDER BY stalled_tasks DESC, seconds_since_commit DESC NULLS LAST, job_name, job_id
"""

_STALLED: Final = """
SELECT job_name, job_id, task_name, stall, stalled_since, newest_commit_at, checkpoint_age_seconds
FROM {tasks} WHERE stall IS NOT NULL
"""


def tables(inputs: Inputs) -> Tables:
    """The tables `jobs` and `stalled` tasks."""
    commits = read_commits(inputs)
    done = activity(commits, read_checkpoints(inputs), BUCKET_SECONDS)
    tasks = task_progress(done, commits, inputs.latest, LEAST_LIMIT_SECONDS, STALL_FACTOR).persist()
    jobs = inputs.read("job", "job_name job_id task_count container_count")
    sql = tasks.sparkSession.sql
    frames = {
        "jobs": sql(_JOBS, jobs=jobs, tasks=tasks, as_of=micros(inputs.latest)),
        "stalled": sql(_STALLED, tasks=tasks),
    }
    return Tables(frames, has_ages=True)


def draw(path: Path, result: Result) -> None:
    """A bar per job: the age of its last commit, red if tasks stall."""
    ages = [row["seconds_since_commit"] or 0.0 for row in result.rows]
    units = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
    unit, size = next((each for each in units if max(ages, default=0) >= 2 * each[1]), units[-1])
    bars = [
        Bar(job_of(row), age / size, _status(row), row["stalled_tasks"] > 0)
        for row, age in zip(result.rows, ages, strict=True)
    ]
    draw_bars(path, result.drawn_title, f"{unit} since the last commit (red: with stalled tasks)", bars)


def _status(row: Row) -> str:
    stalled = row["stalled_tasks"]
    return (format_span(row["seconds_since_commit"]) or "no commits") + (f", {stalled:,} stalled" if stalled else "")


def cells(row: Row) -> dict[str, Any]:
    return {
        "job": job_of(row),
        **{name: row[name] for name in ("tasks", "containers", "commits")},
        "last commit (UTC)": row["last_commit_at"],
        "age": format_span(row["seconds_since_commit"]),
        "stalled tasks": row["stalled_tasks"],
    }


REPORT: Final = Report("fleet", tables, cells, draw)
