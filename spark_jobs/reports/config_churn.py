"""The report `config_churn`: how many config keys each writer changed in each job, by day."""

from datetime import date
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from eventlog.timestamps import MICROS_OF_A_DAY
from spark_jobs.reports.picture import draw_days
from spark_jobs.reports.progress import JOB
from spark_jobs.reports.report import Column, Drawing, Inputs, Report, Tables, collect

MOST_JOBS: Final = 8


def tables(inputs: Inputs) -> Tables:
    writer = ("source", "host", "username", "record_time")
    read = inputs.read("config_change", "job_name", "job_id", "config_key", "previous_value", "operation", *writer)
    changes = inputs.with_usable_times(read).persist()
    return Tables({"changes": changes_by_day(changes), "keys": changed_keys(changes)})


def draw(drawing: Drawing) -> None:
    """A bar per day, stacked by job."""
    counts: dict[str, dict[date, int]] = {}
    for row in collect(changes_to_draw(drawing.read("changes"))):
        job = "other jobs" if row["job_name"] is None else f"{row['job_name']}/{row['job_id']}"
        counts.setdefault(job, {})[row["day"]] = row["changes"]
    draw_days(drawing.path, drawing.title, "changes of config keys per day (UTC)", counts)


def changes_to_draw(changes: DataFrame) -> DataFrame:
    """Changes by day of the jobs that changed most, these jobs first, and of all others together (job_name null)."""
    by_job = changes.where("day is not null").groupBy("day", *JOB).agg(sf.sum("changes").alias("changes"))
    totals = by_job.groupBy(*JOB).agg(sf.sum("changes").alias("total"))
    largest = sf.broadcast(totals.orderBy(sf.desc("total"), *JOB).limit(MOST_JOBS))
    named = [sf.when(sf.col("total").isNotNull(), sf.col(name)).alias(name) for name in JOB]
    drawn = by_job.join(largest, on=list(JOB), how="left").select("day", "changes", "total", *named)
    by_day = drawn.groupBy("day", "total", *JOB).agg(sf.sum("changes").alias("changes"))
    return by_day.orderBy(sf.desc_nulls_last("total"), *JOB, "day")


def changes_by_day(changes: DataFrame) -> DataFrame:
    """A row per day (UTC), job and writer, from rows of config_change. The day is null without a usable time."""
    days = sf.floor(sf.unix_micros("record_time") / sf.lit(MICROS_OF_A_DAY))  # in UTC whatever the session's zone is
    deleted = sf.col("operation") == "delete"
    group = ("day", "job_name", "job_id", "source", "host", "username")
    return (
        changes.withColumn("day", sf.date_from_unix_date(days.cast("int")))
        .groupBy(*group)
        .agg(
            sf.count("*").alias("changes"),
            sf.count_distinct("config_key").alias("keys"),
            sf.count_if(~deleted & sf.col("previous_value").isNull()).alias("new"),
            sf.count_if(deleted).alias("deleted"),
        )
        .select(*group, "changes", "keys", "new", "deleted")
    )


def changed_keys(changes: DataFrame) -> DataFrame:
    """A row per config key: how often it changed, in how many jobs, and when last."""
    return changes.groupBy("config_key").agg(
        sf.count("*").alias("changes"),
        sf.count_distinct(*JOB).alias("jobs"),
        sf.max("record_time").alias("last_changed_at"),
    )


def report() -> Report:
    return Report(
        "config_churn",
        tables,
        "changes",
        lambda changes: changes.orderBy(sf.desc_nulls_last("day"), sf.desc("changes"), *changes.columns),
        (
            Column("day", lambda row: row["day"]),
            Column("job", lambda row: f"{row['job_name']}/{row['job_id']}"),
            Column("source", lambda row: row["source"]),
            Column("host", lambda row: row["host"]),
            Column("user", lambda row: row["username"]),
            Column("changes", lambda row: row["changes"], is_number=True),
            Column("keys", lambda row: row["keys"], is_number=True),
            Column("new", lambda row: row["new"], is_number=True),
            Column("deleted", lambda row: row["deleted"], is_number=True),
        ),
        draw,
    )
