"""What checkpoint_progress covers: the job, the range of the log and the time; and its reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from psycopg import sql
from psycopg.rows import dict_row
from pyspark.sql import DataFrame, SparkSession

from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.jdbc import ONE_PARTITION, Ranges, Relation, Value, read_rows
from spark_jobs.relations.settings import ReadSettings
from spark_jobs.relations.snapshots import Positions, Snapshot
from spark_jobs.reports.log_times import LOG_TIMES, with_usable_times
from spark_jobs.reports.progress.time_buckets import width_for
from spark_jobs.reports.progress.transforms import INPUT, LOG_ORDER, TASK

COMMIT_COLUMNS = (*TASK, "job_bucket", "record_time", *LOG_ORDER)
CHECKPOINT_COLUMNS = (*COMMIT_COLUMNS, *INPUT, "input_offset_number")

EXTENT = sql.SQL(
    "WITH log AS MATERIALIZED ({log_times}) SELECT count(*) AS commits,"
    " count(*) FILTER (WHERE record_time BETWEEN earliest AND latest) AS timed_commits,"
    " min(record_time) FILTER (WHERE record_time BETWEEN earliest AND latest) AS first_commit_at,"
    " max(record_time) FILTER (WHERE record_time BETWEEN earliest AND latest) AS last_commit_at,"
    " min(log_offset) AS lowest_offset, max(log_offset) AS highest_offset,"
    " count(DISTINCT job_bucket) AS job_buckets, min(job_bucket) AS lowest_bucket, max(job_bucket) AS highest_bucket,"
    " (SELECT coalesce(max(latest), now()) FROM log) AS newest_log_time"
    " FROM ({commits}) AS commits LEFT JOIN log USING (job_name, job_id)"
)
EXTENT_COLUMNS = ("job_name", "job_id", "job_bucket", "record_time", "log_offset")


@dataclass(frozen=True)
class Scope:
    """The preferred commits that are counted. Ages count to `as_of` (aware).

    Of ``commit_count``, ``untimed_commits`` have no plausible time; see `with_usable_times`.
    """

    job: Job | None
    as_of: datetime
    bucket_seconds: int
    ranges: Ranges
    positions: Positions
    commit_count: int = 0
    untimed_commits: int = 0

    def commits(self, spark: SparkSession, settings: ReadSettings, snapshot: Snapshot) -> DataFrame:
        """A row per preferred commit (commit_history)."""
        relation = Relation("commit_history", COMMIT_COLUMNS, row_filter(self.job))
        rows = read_rows(spark, settings, relation, snapshot, self.ranges)
        return with_usable_times(spark, rows.select(*TASK, "record_time", *LOG_ORDER), snapshot)

    def checkpoints(self, spark: SparkSession, settings: ReadSettings, snapshot: Snapshot) -> DataFrame:
        """A row per input partition of each preferred commit (checkpoint_history)."""
        relation = Relation("checkpoint_history", CHECKPOINT_COLUMNS, row_filter(self.job))
        rows = read_rows(spark, settings, relation, snapshot, self.ranges)
        selected = rows.select(*TASK, *INPUT, "input_offset_number", "record_time", *LOG_ORDER)
        return with_usable_times(spark, selected, snapshot)


def row_filter(job: Job | None) -> dict[str, Value]:
    """The filter on a history: preferred rows, of the selected job if there is one."""
    named = {} if job is None else {"job_name": job.name, "job_id": job.id}
    return {"is_preferred": True, **named}


def find_scope(
    snapshot: Snapshot, job: Job | None, *, partitions: int, now: datetime | None, bucket_seconds: int | None
) -> Scope:
    """Query the extent of the commits. Ages count to `now`, or by default to the newest log_time of all logs.

    Without any log, they count to the present. Without `bucket_seconds`, the commits span at most 60 buckets.
    """
    with snapshot.connection.cursor(row_factory=dict_row) as cursor:
        relation = Relation("commit_history", EXTENT_COLUMNS, row_filter(job))
        extent = cursor.execute(EXTENT.format(log_times=LOG_TIMES, commits=relation.query())).fetchall()[0]
    return Scope(
        job,
        (now or extent["newest_log_time"]).astimezone(UTC),
        bucket_seconds or width_for(extent["first_commit_at"], extent["last_commit_at"]),
        choose_ranges(extent, partitions) if extent["commits"] else ONE_PARTITION,
        snapshot.positions_of(job),
        extent["commits"],
        extent["commits"] - extent["timed_commits"],
    )


def require_commits(scope: Scope) -> None:
    """Raise SparkJobError if there is no preferred commit."""
    if not scope.commit_count:
        job = "any job" if scope.job is None else f"job '{scope.job}'"
        raise SparkJobError(
            f"The database has no commit of {job}. Import its logs, or select another with --job NAME/ID."
        )


def choose_ranges(extent: Mapping[str, Any], partitions: int) -> Ranges:
    """Partition the reads by job_bucket for many jobs, where each range consists of whole logs, else by log_offset.

    By job_bucket only if there are at least two buckets per partition: otherwise some connections would be idle.
    """
    if partitions > 1 and extent["job_buckets"] >= 2 * partitions:
        return Ranges("job_bucket", extent["lowest_bucket"], extent["highest_bucket"], partitions)
    return Ranges("log_offset", extent["lowest_offset"], extent["highest_offset"], partitions)
