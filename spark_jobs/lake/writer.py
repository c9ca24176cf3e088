"""Writes the events that a lake lacks, from the archive in Postgres, in the executors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import connect
from spark_jobs.lake.events import BATCH_EVENTS, SCHEMA, to_batch
from spark_jobs.lake.manifest import EVENTS, LakeFile, LogKey
from spark_jobs.lake.reader import decoded_path, folder_uri, list_files

RANGE_OFFSETS: Final = 200_000
FILE_EVENTS: Final = 500_000
_RANGE: Final = "log_id int, stream_name string, incarnation int, stream_kind string, first bigint, until bigint"


@dataclass(frozen=True)
class NewEvents:
    """The events of a log from offset `first` to before `until`, which the lake lacks."""

    log_id: int
    key: LogKey
    stream_kind: str
    first: int
    until: int

    def ranges(self) -> Iterator[tuple[int, str, int, str, int, int]]:
        """Parts of `RANGE_OFFSETS`, which can be read in parallel."""
        for first in range(self.first, self.until, RANGE_OFFSETS):
            yield self.log_id, *self.key, self.stream_kind, first, min(first + RANGE_OFFSETS, self.until)


def write_events(
    spark: SparkSession, database_url: str, output: str, run: str, new: Sequence[NewEvents], partitions: int
) -> list[LakeFile]:
    """Write new events below `events/run`, by stream, incarnation and day, and return the files.

    Each partition of Spark reads whole ranges over its own connection, a page at a time.
    """
    ranges = [part for log in new for part in log.ranges()]
    if not ranges:
        return []
    frame = spark.createDataFrame(ranges, _RANGE).repartition(max(1, min(partitions, len(ranges))), "log_id", "first")
    events = frame.mapInArrow(_reader(database_url), SCHEMA)
    by_day = events.sortWithinPartitions("stream_name", "incarnation", "day", "log_offset")
    target = f"{folder_uri(output)}/{EVENTS}/{run}"
    writer = by_day.write.mode("overwrite").partitionBy("stream_name", "incarnation", "day")
    writer.option("maxRecordsPerFile", FILE_EVENTS).parquet(target)
    return _files(spark, output, run)


def _reader(database_url: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(ranges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for each in (row for batch in ranges for row in batch.to_pylist()):
            key = LogKey(each["stream_name"], each["incarnation"])
            with connect(database_url, application_name="coordstream-spark-archive") as connection:
                pages = read_archived(connection, each["log_id"], each["first"], each["until"], page=BATCH_EVENTS)
                yield from (to_batch(key, each["stream_kind"], page) for page in pages)

    return read


def _files(spark: SparkSession, output: str, run: str) -> list[LakeFile]:
    """Every file of a run, with what it has. Only these figures reach the driver."""
    contents = {decoded_path(row.path): row for row in _contents(spark, output, run).collect()}
    files = []
    for path, (size, sha256) in sorted(list_files(spark, output, [run]).items()):
        row = contents[path]
        log, offsets = (row.stream_name, row.incarnation), (row.first_offset, row.last_offset)
        files.append(LakeFile(path, size, sha256, *log, row.rows, *offsets))
    return files


def _contents(spark: SparkSession, output: str, run: str) -> DataFrame:
    target = f"{folder_uri(output)}/{EVENTS}/{run}"
    events = spark.read.schema(SCHEMA).option("basePath", target).parquet(target)
    by_file = events.groupBy(sf.col("_metadata.file_path").alias("path"), "stream_name", "incarnation")
    offsets = sf.min("log_offset").alias("first_offset"), sf.max("log_offset").alias("last_offset")
    return by_file.agg(sf.count("*").alias("rows"), *offsets)
