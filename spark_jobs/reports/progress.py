"""The progress of tasks, computed from their commits and checkpoints."""

from datetime import datetime
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from spark_jobs.reports.report import KAFKA_FIRST_RELEASE, Inputs, instant

JOB: Final = ("job_name", "job_id")
TASK: Final = (*JOB, "task_name")
INPUT: Final = ("system_name", "stream_name", "partition_id", "key_bucket")
LOG_ORDER: Final = ("incarnation", "log_offset")
PROGRESS: Final = (*TASK, "bucket_start", "commits", "advanced", "rewound")
TASK_PROGRESS: Final = (
    *TASK,
    "commits",
    "advanced",
    "rewound",
    "first_commit_at",
    "newest_commit_at",
    "checkpoint_age_seconds",
    "last_advance_at",
    "median_gap_seconds",
    "stall",
    "stalled_since",
)

_EXTENT: Final = """
SELECT count(*), min(record_time) FILTER (WHERE is_timed), max(record_time) FILTER (WHERE is_timed),
  count(*) - count(*) FILTER (WHERE is_timed)
FROM coordinator.commit_history CROSS JOIN LATERAL (SELECT record_time BETWEEN %(first)s AND %(latest)s) t (is_timed)
WHERE is_preferred AND (%(name)s::text IS NULL OR job_name = %(name)s AND job_id = %(id)s)
"""


class Extent(NamedTuple):
    """The preferred commits of a job or of all jobs: those with a usable time were made from `first` to `last`."""

    commits: int
    first: datetime | None
    last: datetime | None
    untimed: int


def find_extent(inputs: Inputs) -> Extent:
    job = inputs.job
    of_job = {"name": None, "id": None} if job is None else {"name": job.name, "id": job.id}
    values = {**of_job, "first": KAFKA_FIRST_RELEASE, "latest": inputs.latest}
    (found,) = inputs.moment.snapshot.connection.execute(_EXTENT, values).fetchall()
    return Extent(*found)


def preferred_commits(inputs: Inputs) -> DataFrame:
    rows = inputs.read("commit_history", *TASK, "is_preferred", "record_time", *LOG_ORDER)
    return inputs.with_usable_times(rows.where("is_preferred").drop("is_preferred"))


def preferred_checkpoints(inputs: Inputs) -> DataFrame:
    columns = (*TASK, *INPUT, "input_offset_number", "is_preferred", "record_time", *LOG_ORDER)
    rows = inputs.read("checkpoint_history", *columns)
    return inputs.with_usable_times(rows.where("is_preferred").drop("is_preferred"))


def bucket_start(time: str, seconds: int) -> Column:
    """The start of the bucket that contains the time in column `time`; buckets of `seconds` count from 1970 in UTC."""
    micros = sf.unix_micros(sf.col(time))
    return sf.timestamp_micros(micros - sf.pmod(micros, sf.lit(seconds * 1_000_000)))


def offset_steps(checkpoints: DataFrame) -> DataFrame:
    """By how many offsets each checkpoint `advanced` or `rewound` an input partition; neither is negative.

    Takes rows of checkpoint_history in any order. The first offset of a partition makes no step, and offsets that are
    not integers (input_offset_number null) are ignored. Steps continue across incarnations of the log.
    """
    order = Window.partitionBy(*TASK, *INPUT).orderBy(*LOG_ORDER)
    step = sf.try_subtract(sf.col("input_offset_number"), sf.lag("input_offset_number").over(order))
    return (
        checkpoints.where(sf.col("input_offset_number").isNotNull())
        .select(*TASK, "record_time", step.alias("step"))
        .where(sf.col("step") != 0)
        .select(
            *TASK,
            "record_time",
            sf.greatest(sf.col("step"), sf.lit(0)).alias("advanced"),
            sf.greatest(sf.try_subtract(sf.lit(0), sf.col("step")), sf.lit(0)).alias("rewound"),
        )
    )


def activity(commits: DataFrame, steps: DataFrame, bucket_seconds: int) -> DataFrame:
    """Commits and steps, a row per task and bucket. bucket_start is null for records without a usable time."""
    zero, at = sf.lit(0).cast("bigint"), sf.col("record_time")
    committed = commits.select(
        *TASK, at, sf.lit(True).alias("is_commit"), zero.alias("advanced"), zero.alias("rewound")
    )
    moved = steps.select(*TASK, at, sf.lit(False).alias("is_commit"), "advanced", "rewound")
    committed_at, advanced_at = (sf.when(is_one, at) for is_one in (sf.col("is_commit"), sf.col("advanced") > 0))
    return (
        committed.unionByName(moved)
        .groupBy(*TASK, bucket_start("record_time", bucket_seconds).alias("bucket_start"))
        .agg(
            sf.count_if("is_commit").alias("commits"),
            *_sums(),
            sf.min(committed_at).alias("first_commit_at"),
            sf.max(committed_at).alias("newest_commit_at"),
            sf.max(advanced_at).alias("last_advance_at"),
        )
        .select(*PROGRESS, "first_commit_at", "newest_commit_at", "last_advance_at")
    )


def _sums() -> tuple[Column, ...]:
    return sf.try_sum("advanced").alias("advanced"), sf.try_sum("rewound").alias("rewound")


def median_gaps(commits: DataFrame) -> DataFrame:
    """The median of the seconds between a task's commits; no row for a task with fewer than three commits."""
    order = Window.partitionBy(*TASK).orderBy(*LOG_ORDER)
    gap = _seconds_between(sf.lag("record_time").over(order), sf.col("record_time"))
    return (
        commits.select(*TASK, gap.alias("gap"))
        .groupBy(*TASK)
        .agg(sf.median("gap").alias("median_gap_seconds"), sf.count("gap").alias("gaps"))
        .where(sf.col("gaps") >= 2)
        .select(*TASK, "median_gap_seconds")
    )


_STALL: Final = """
CASE WHEN checkpoint_age_seconds > `limit` THEN 'silent' WHEN unchanged > `limit` THEN 'no-advance' END
"""
_STALLED_SINCE: Final = "CASE stall WHEN 'silent' THEN newest_commit_at WHEN 'no-advance' THEN unchanged_since END"


def task_progress(
    activity_rows: DataFrame, gaps: DataFrame, as_of: datetime, least_limit: int, stall_factor: float
) -> DataFrame:
    """The result per task: totals, the age of the newest checkpoint at `as_of` (aware), and whether the task stalls.

    A task's limit is `stall_factor` times its median gap between commits, at least `least_limit` seconds. A task
    without a median gap never stalls. `stall` is `silent` if the newest commit is older than the limit; else
    `no-advance` if the task's offsets have not changed for longer than the limit while another task of the job
    advanced; else null. A task whose input has no new messages also shows `no-advance`: the log does not tell where an
    input ends.
    """
    totals = activity_rows.groupBy(*TASK).agg(
        sf.sum("commits").alias("commits"),
        *_sums(),
        sf.min("first_commit_at").alias("first_commit_at"),
        *(sf.max(name).alias(name) for name in ("newest_commit_at", "last_advance_at")),
    )
    limit = sf.greatest(sf.col("median_gap_seconds") * stall_factor, sf.lit(float(least_limit)))
    job = Window.partitionBy(*JOB)
    unchanged_since = sf.coalesce("last_advance_at", "first_commit_at")
    return (
        totals.join(gaps, on=list(TASK), how="left")
        .withColumn("limit", sf.when(sf.col("median_gap_seconds").isNotNull(), limit))
        .withColumn("checkpoint_age_seconds", _seconds_between(sf.col("newest_commit_at"), instant(as_of)))
        .withColumn("unchanged_since", unchanged_since)
        .withColumn("unchanged", _seconds_between(sf.col("unchanged_since"), sf.max("last_advance_at").over(job)))
        .withColumn("stall", sf.expr(_STALL))
        .withColumn("stalled_since", sf.expr(_STALLED_SINCE))
        .select(*TASK_PROGRESS)
    )


def _seconds_between(earlier: Column, later: Column) -> Column:
    return (sf.unix_micros(later) - sf.unix_micros(earlier)) / 1e6
