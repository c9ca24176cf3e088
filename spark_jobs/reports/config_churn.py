"""The job `config_churn`: how many config keys each writer changed in each job, by day."""

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from spark_jobs.reports.arguments import report_parser
from spark_jobs.reports.log_times import with_usable_times
from spark_jobs.reports.picture import draw_days
from spark_jobs.reports.runner import Inputs, Report, Rows, Tables, run_report
from spark_jobs.reports.table import Column

DAY_MICROS = 86_400_000_000


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Run the job and return its exit code: 0, or 1 with a message on standard error. argparse exits with 2."""
    return run_report(REPORT, report_parser("config_churn", __doc__ or "").parse_args(argv), environ)


def tables(inputs: Inputs) -> Tables:
    """The tables `changes` (by day, job and writer) and `keys`."""
    writer = ("source", "host", "username", "record_time")
    read = inputs.read("config_change", "job_name", "job_id", "config_key", "previous_value", "operation", *writer)
    changes = with_usable_times(inputs.moment.spark, read, inputs.moment.snapshot).persist()
    return Tables({"changes": changes_by_day(changes), "keys": changed_keys(changes)})


def draw(path: Path, rows: Rows, title: str) -> None:
    """A bar per day, stacked by job."""
    counts: dict[str, dict[date, int]] = {}
    for row in rows:
        if row["day"] is not None:
            days = counts.setdefault(f"{row['job_name']}/{row['job_id']}", {})
            days[row["day"]] = days.get(row["day"], 0) + row["changes"]
    draw_days(path, title, "changes of config keys per day (UTC)", counts)


def changes_by_day(changes: DataFrame) -> DataFrame:
    """A row per day (UTC), job and writer, from rows of config_change. The day is null without a usable time."""
    deleted = sf.col("operation") == "delete"
    group = ("day", "job_name", "job_id", "source", "host", "username")
    return (
        changes.withColumn("day", _day("record_time"))
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
        sf.count_distinct("job_name", "job_id").alias("jobs"),
        sf.max("record_time").alias("last_changed_at"),
    )


def _day(time: str) -> SparkColumn:
    """The date in UTC, whatever the time zone of the session."""
    return sf.date_from_unix_date(sf.floor(sf.unix_micros(time) / sf.lit(DAY_MICROS)).cast("int"))


REPORT = Report(
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

if __name__ == "__main__":
    sys.exit(main())
