"""The results of checkpoint_progress, read back from its Parquet files."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pyarrow as pa
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as sf

from eventlog.partition import natural_order
from spark_jobs.reports.driver_rows import driver_rows
from spark_jobs.reports.progress.time_buckets import drawn_width
from spark_jobs.reports.progress.transforms import EPOCH, TASK, bucket_start


@dataclass(frozen=True)
class TaskProgress:
    """One task's summary. Times are aware; ages and gaps are in seconds; `stall` is silent, no-advance or None."""

    job_name: str
    job_id: str
    task_name: str
    commits: int
    advanced: int | None
    rewound: int | None
    age: float | None
    median_gap: float | None
    stall: str | None
    stalled_since: datetime | None

    def label(self, *, with_job: bool) -> str:
        """The task's name, preceded by its job's if `with_job` is set."""
        return f"{self.job_name}/{self.job_id} {self.task_name}" if with_job else self.task_name

    def order(self) -> tuple[list[tuple[int, str]], str]:
        """Sort key: the label, with its numbers compared as numbers (`Partition 2` before `Partition 10`)."""
        return natural_order(self.label(with_job=True))


@dataclass(frozen=True)
class BucketProgress:
    """What one task did in the bucket that begins at `start` (aware)."""

    start: datetime
    commits: int
    advanced: int
    rewound: int


def count_tasks(spark: SparkSession, tasks: str) -> int:
    """The number of tasks in the result."""
    return spark.read.parquet(tasks).count()


def notable_tasks(spark: SparkSession, tasks: str, most: int) -> list[TaskProgress]:
    """At most `most` tasks, sorted by name: stalled tasks, then those with the oldest checkpoint."""
    rows = (
        spark.read.parquet(tasks)
        .withColumn("stalled_micros", sf.unix_micros("stalled_since"))
        .orderBy(sf.col("stall").isNull(), sf.col("checkpoint_age_seconds").desc(), *TASK)
        .limit(most)
        .collect()
    )
    return sorted(map(_task, rows), key=TaskProgress.order)


def bucket_rows(
    spark: SparkSession, progress: str, tasks: list[TaskProgress], seconds: int
) -> tuple[dict[TaskProgress, list[BucketProgress]], int]:
    """What to draw of `progress`, whose buckets are `seconds` wide: those of each of `tasks`, by time, and their width.

    Several buckets become one if there are too many to draw. Commits without a usable time are left out.
    """
    names = {(task.job_name, task.job_id, task.task_name): task for task in tasks}
    wanted = driver_rows(spark, dict.fromkeys(TASK, pa.string()), list(names))
    timed = (
        spark.read.parquet(progress)
        .join(sf.broadcast(wanted), on=list(TASK), how="left_semi")
        .where(sf.col("bucket_start").isNotNull())
    )
    ((first, last),) = timed.agg(*(sf.unix_micros(edge("bucket_start")) for edge in (sf.min, sf.max))).collect()
    width = seconds if first is None else drawn_width(seconds, _moment(first), _moment(last))
    rows = (
        timed.groupBy(*TASK, bucket_start("bucket_start", width).alias("start"))
        .agg(*(sf.try_sum(name).alias(name) for name in ("commits", "advanced", "rewound")))
        .orderBy("start")
        .select(*TASK, sf.unix_micros("start").alias("start_micros"), "commits", "advanced", "rewound")
        .collect()
    )
    buckets: dict[TaskProgress, list[BucketProgress]] = {task: [] for task in tasks}
    for row in rows:
        buckets[names[row.job_name, row.job_id, row.task_name]].append(_bucket(row))
    return buckets, width


def _task(row: Row) -> TaskProgress:
    return TaskProgress(
        row.job_name,
        row.job_id,
        row.task_name,
        row.commits,
        row.advanced,
        row.rewound,
        row.checkpoint_age_seconds,
        row.median_gap_seconds,
        row.stall,
        None if row.stalled_micros is None else _moment(row.stalled_micros),
    )


def _bucket(row: Row) -> BucketProgress:
    return BucketProgress(_moment(row.start_micros), row.commits, row.advanced or 0, row.rewound or 0)


def _moment(micros: int) -> datetime:
    """An aware datetime of microseconds since 1970. Spark itself returns naive datetimes in the machine's time zone."""
    return EPOCH + timedelta(microseconds=micros)
