"""The progress of tasks, computed from their commits and checkpoints."""

from datetime import datetime
from typing import Any, Final

from pyspark.sql import DataFrame

from spark_jobs.reports.report import Inputs, micros

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
