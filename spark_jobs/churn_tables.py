"""The tables of the job `config_churn`: functions from DataFrame to DataFrame."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

DAY_MICROS = 86_400_000_000


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


def _day(time: str) -> Column:
    """The date in UTC, whatever the time zone of the session."""
    return sf.date_from_unix_date(sf.floor(sf.unix_micros(time) / sf.lit(DAY_MICROS)).cast("int"))
