"""How many cores a session has, how many connections read a relation, and which rows each of them reads."""

from collections.abc import Sequence
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.relations.jdbc import ONE_PARTITION, Ranges
from spark_jobs.relations.snapshots import LogPosition

MOST_PARTITIONS: Final = 8

CORES_BEHIND_CONNECT: Final = 4
"""Spark Connect does not tell how many cores its server has."""

LARGE_LOG: Final = 200_000
"""From this many events in a log, the history of one job is read in several partitions."""


def count_cores(spark: SparkSession) -> int:
    """The number of cores of all executors."""
    try:
        return spark.sparkContext.defaultParallelism
    except PySparkException:  # Spark Connect has no SparkContext
        return CORES_BEHIND_CONNECT


def choose_partitions(spark: SparkSession) -> int:
    """The number of connections of a large read: one per core, at most 8."""
    return max(1, min(count_cores(spark), MOST_PARTITIONS))


def ranges_of_all_jobs(logs: Sequence[LogPosition], column: str, partitions: int) -> Ranges:
    """Ranges of buckets, so that each connection reads whole jobs.

    One partition if there are fewer than two buckets per connection, of which some would be idle.
    """
    buckets = {log.job_bucket for log in logs}
    if partitions == 1 or len(buckets) < 2 * partitions:
        return ONE_PARTITION
    return Ranges(column, min(buckets), max(buckets), partitions)


def ranges_of_one_job(logs: Sequence[LogPosition], columns: Sequence[str], partitions: int) -> Ranges:
    """Ranges of log offsets for a relation with a log offset, if a log is large."""
    events = max((log.next_offset for log in logs), default=0)
    if partitions == 1 or "log_offset" not in columns or events < LARGE_LOG:
        return ONE_PARTITION
    return Ranges("log_offset", 0, events - 1, partitions)
