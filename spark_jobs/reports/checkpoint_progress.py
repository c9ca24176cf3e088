"""The report `checkpoint_progress`: commits and input offsets of each task, by time bucket."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from eventlog.partition import natural_order
from spark_jobs.errors import SparkJobError
from spark_jobs.reports.picture import Cell, draw_heat_map
from spark_jobs.reports.report import Inputs, Report, Result, Row, Tables, format_span, job_of, micros

TASK: Final = "job_name job_id task_name"
LOG_ORDER: Final = "incarnation log_offset"
INPUT: Final = "system_name stream_name partition_id key_bucket"

STALL_FACTOR: Final = 10.0
"""A task stalls after this many times the median gap between its commits."""

_ACTIVITY: Final = """
WITH step AS (
  SELECT *, try_subtract(input_offset_number, lag(input_offset_number) OVER (
    PARTITION BY job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket
    ORDER BY incarnation, log_offset)) AS step
  FROM {checkpoints} WHERE input_offset_number IS NOT NULL
), done AS (
  SELECT job_name, job_id, task_name, record_time, 1 AS commits, 0L AS advanced, 0L AS rewound FROM {commits}
  UNION ALL
  SELECT job_name, job_id, task_name, record_time, 0, greatest(step, 0L), greatest(try_subtract(0L, step), 0L)
  FROM step WHERE step <> 0
)
SELECT job_name, job_id, task_name,
  timestamp_micros(unix_micros(record_time) - pmod(unix_micros(record_time), {width})) AS bucket_start,
  sum(commits) AS commits, try_sum(advanced) AS advanced, try_sum(rewound) AS rewound,
  min(record_time) FILTER (WHERE commits = 1) AS first_commit_at,
  max(record_time) FILTER (WHERE commits = 1) AS newest_commit_at,
  max(record_time) FILTER (WHERE advanced > 0) AS last_advance_at
FROM done GROUP BY ALL
"""

_TASKS: Final = """
WITH gap AS (
  SELECT job_name, job_id, task_name, median(gap) AS median_gap_seconds
  FROM (SELECT *, (unix_micros(record_time) - unix_micros(lag(record_time) OVER (
          PARTITION BY job_name, job_id, task_name ORDER BY incarnation, log_offset))) / 1e6 AS gap FROM {commits})
  GROUP BY ALL HAVING count(gap) >= 2
), total AS (
  SELECT job_name, job_id, task_name, sum(commits) AS commits, try_sum(advanced) AS advanced,
    try_sum(rewound) AS rewound, min(first_commit_at) AS first_commit_at, max(newest_commit_at) AS newest_commit_at,
    max(last_advance_at) AS last_advance_at, coalesce(max(last_advance_at), min(first_commit_at)) AS unchanged_since
  FROM {activity} GROUP BY ALL
), aged AS (
  SELECT *, greatest(median_gap_seconds * {factor}, if(median_gap_seconds IS NULL, NULL, {least})) AS longest,
    ({as_of} - unix_micros(newest_commit_at)) / 1e6 AS checkpoint_age_seconds,
    (unix_micros(max(last_advance_at) OVER (PARTITION BY job_name, job_id)) - unix_micros(unchanged_since)) / 1e6
      AS unchanged_seconds
  FROM total LEFT JOIN gap USING (job_name, job_id, task_name)
), judged AS (
  SELECT *, CASE WHEN checkpoint_age_seconds > longest THEN 'silent'
                 WHEN unchanged_seconds > longest THEN 'no-advance' END AS stall FROM aged
)
SELECT job_name, job_id, task_name, commits, advanced, rewound, first_commit_at, newest_commit_at,
  checkpoint_age_seconds, last_advance_at, median_gap_seconds, stall,
  CASE stall WHEN 'silent' THEN newest_commit_at WHEN 'no-advance' THEN unchanged_since END AS stalled_since
FROM judged ORDER BY stall IS NULL, checkpoint_age_seconds DESC, job_name, job_id, task_name
"""

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


def read_commits(inputs: Inputs) -> DataFrame:
    """The preferred commits, which a task's commits in several versions have once."""
    rows = inputs.read("commit_history", f"{TASK} record_time {LOG_ORDER} is_preferred")
    return rows.where("is_preferred").persist()


def read_checkpoints(inputs: Inputs) -> DataFrame:
    """The preferred checkpoints, a row per input partition."""
    columns = f"{TASK} {INPUT} input_offset_number record_time {LOG_ORDER} is_preferred"
    return inputs.read("checkpoint_history", columns).where("is_preferred")


def activity(commits: DataFrame, checkpoints: DataFrame, bucket_seconds: int) -> DataFrame:
    """Commits, and by how many offsets they advanced and rewound inputs, a row per task and bucket.

    Buckets count from 1970 in UTC; `bucket_start` is null for records without a usable time. The first offset of an
    input makes no step, and offsets that are not integers are ignored. Steps continue across incarnations of the log.
    """
    width = bucket_seconds * 1_000_000
    found = commits.sparkSession.sql(_ACTIVITY, commits=commits, checkpoints=checkpoints, width=width)
    return found.persist()


def task_progress(
    activity_rows: DataFrame, commits: DataFrame, as_of: datetime, least_limit: int, stall_factor: float
) -> DataFrame:
    """The result per task: totals, the age of the newest checkpoint at `as_of` (aware), and whether the task stalls.

    A task's limit is `stall_factor` times its median gap between commits, at least `least_limit` seconds. A task
    with fewer than three commits has no median gap, and never stalls. `stall` is `silent` if the newest commit is older
    than the limit; else `no-advance` if the task's offsets have not changed for longer than the limit while another
    task of the job advanced; else null. A task whose input has no new messages also shows `no-advance`: the log does
    not tell where an input ends.
    """
    limits: dict[str, Any] = {"factor": float(stall_factor), "least": float(least_limit), "as_of": micros(as_of)}
    return commits.sparkSession.sql(_TASKS, commits=commits, activity=activity_rows, **limits)


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
