"""Which record times are plausible: those within the log_time of their job's logs."""

from datetime import UTC, datetime

import pyarrow as pa
from psycopg import sql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_jobs.relations.snapshots import Snapshot
from spark_jobs.reports.driver_rows import driver_rows

KAFKA_FIRST_RELEASE = datetime(2011, 1, 1, tzinfo=UTC)
"""An earlier record time means that a clock was not set, or that seconds were taken for milliseconds."""

LAST_TIME = datetime(9999, 1, 1, tzinfo=UTC)
"""Python's datetimes end in this year, Postgres' and Spark's do not."""

# log_time never decreases and ignores records that are more than an hour ahead of their arrival, but it starts with the
# time of the first record, whatever that is.
LOG_TIMES = sql.SQL(
    "SELECT job_name, job_id, latest,"
    " greatest(earliest, CASE WHEN latest >= {first_release} THEN {first_release} END) AS earliest"
    " FROM (SELECT l.job_name, l.job_id, least(min(f.log_time), {last_time}) AS earliest,"
    " least(max(t.at), {last_time}) AS latest"
    " FROM projection.job_log l CROSS JOIN LATERAL (SELECT s.log_time FROM projection.log_time s"
    " WHERE s.log_id = l.log_id ORDER BY s.log_offset LIMIT 1) f"
    " CROSS JOIN LATERAL projection.log_time_at(l.log_id, 9223372036854775807) t GROUP BY l.job_name, l.job_id) log"
).format(first_release=sql.Literal(KAFKA_FIRST_RELEASE), last_time=sql.Literal(LAST_TIME))


def with_usable_times(spark: SparkSession, rows: DataFrame, snapshot: Snapshot) -> DataFrame:
    """The rows, with `record_time` set to null where it lies outside the log_time of the job's logs."""
    times = snapshot.connection.execute(
        sql.SQL(
            "SELECT job_name, job_id, (extract(epoch FROM earliest) * 1000000)::bigint,"
            " (extract(epoch FROM latest) * 1000000)::bigint FROM ({times}) log"
        ).format(times=LOG_TIMES)
    ).fetchall()
    columns = {"job_name": pa.string(), "job_id": pa.string(), "earliest": pa.int64(), "latest": pa.int64()}
    micros = sf.unix_micros("record_time")
    usable = sf.when(micros.between(sf.col("earliest"), sf.col("latest")), sf.col("record_time"))
    return (
        rows.join(sf.broadcast(driver_rows(spark, columns, times)), on=["job_name", "job_id"], how="left")
        .withColumn("record_time", usable)
        .select(*rows.columns)
    )
