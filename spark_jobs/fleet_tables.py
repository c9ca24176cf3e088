"""The tables of the job `fleet`: functions from DataFrame to DataFrame."""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs.transforms import TASK, instant

JOB = ("job_name", "job_id")


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
