"""The progress of tasks, computed from their commits and checkpoints."""

from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from spark_jobs.reports.report import Inputs, instant

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


def preferred(inputs: Inputs, relation: str, *columns: str) -> DataFrame:
    """The preferred rows of a history, which a task's commits in several versions have once."""
    rows = inputs.read(relation, *TASK, *columns, "is_preferred", "record_time", *LOG_ORDER)
    return inputs.with_usable_times(rows.where("is_preferred").drop("is_preferred"))


def read_progress(
    inputs: Inputs, commits: DataFrame, bucket_seconds: int, least_limit: int, stall_factor: float
) -> tuple[DataFrame, DataFrame]:
    """The `activity` of tasks by bucket, and their `task_progress`, from their preferred commits."""
    checkpoints = preferred(inputs, "checkpoint_history", *INPUT, "input_offset_number")
    by_bucket = activity(commits, offset_steps(checkpoints), bucket_seconds).persist()
    return by_bucket, task_progress(by_bucket, median_gaps(commits), inputs.as_of, least_limit, stall_factor)


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
    is_commit, zero = sf.lit(True).alias("is_commit"), sf.lit(0).cast("bigint")
    committed = commits.select(*TASK, "record_time", is_commit, zero.alias("advanced"), zero.alias("rewound"))
    committed_at, advanced_at = (sf.when(sf.expr(one), sf.col("record_time")) for one in ("is_commit", "advanced > 0"))
    return (
        committed.unionByName(steps, allowMissingColumns=True)
        .groupBy(*TASK, bucket_start("record_time", bucket_seconds).alias("bucket_start"))
        .agg(
            sf.count("is_commit").alias("commits"),
            *_sums(),
            sf.min(committed_at).alias("first_commit_at"),
            sf.max(committed_at).alias("newest_commit_at"),
            sf.max(advanced_at).alias("last_advance_at"),
        )
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
