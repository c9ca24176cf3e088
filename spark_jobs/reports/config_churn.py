"""The report `config_churn`: how many config keys each writer changed in each job, by day."""

from collections import Counter
from datetime import date
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from eventlog.timestamps import MICROS_OF_A_DAY
from spark_jobs.reports.picture import Counts, draw_days
from spark_jobs.reports.progress import JOB
from spark_jobs.reports.report import Column, Drawing, Inputs, Report, Rows, Tables, columns, job_of

MOST_JOBS: Final = 8
OTHERS: Final = "other jobs"


def tables(inputs: Inputs) -> Tables:
    writer = ("source", "host", "username", "record_time")
    read = inputs.read("config_change", "job_name", "job_id", "config_key", "previous_value", "operation", *writer)
    changes = inputs.with_usable_times(read).persist()
    return Tables({"changes": changes_by_day(changes), "keys": changed_keys(changes)})


def draw(drawing: Drawing) -> None:
    """A bar per day, stacked by job: those that changed most, and all others together."""
    rows = [row for row in drawing.tables["changes"].to_pylist() if row["day"] is not None]
    draw_days(drawing.path, drawing.title, "changes of config keys per day (UTC)", days_by_job(rows))


def days_by_job(rows: Rows) -> Counts:
    totals = Counter[str]()
    for row in rows:
        totals[job_of(row)] += row["changes"]
    largest = [job for job, _ in totals.most_common(MOST_JOBS)]
    counts = {job: Counter[date]() for job in (*largest, *([OTHERS] if len(totals) > MOST_JOBS else []))}
    for row in rows:
        counts[job_of(row) if job_of(row) in largest else OTHERS][row["day"]] += row["changes"]
    return counts


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
            *columns("day"),
            Column("job", job_of),
            *columns("source", "host"),
            Column("user", "username"),
            *columns("changes", "keys", "new", "deleted", is_number=True),
        ),
        draw,
    )
