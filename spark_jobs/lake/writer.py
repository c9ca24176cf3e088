"""Writes the events that a lake lacks, from the archive in Postgres, in the executors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection, connect
from spark_jobs.dispatch import pack
from spark_jobs.lake.events import BATCH_EVENTS, SCHEMA, to_batch
from spark_jobs.lake.manifest import EVENTS, LakeFile, LogKey
from spark_jobs.lake.reader import decoded_path, folder_uri, list_files

TASK_BYTES: Final = 64 << 20
"""The keys and values that a task reads, and a file has: Spark hashes a file as one value in memory."""

_EVENT_BYTES: Final = 100
_PARTS: Final = """
select w.number - 1, min(e.log_offset), max(e.log_offset), sum(e.bytes)::bigint
from unnest(%(log_ids)s::int[], %(firsts)s::bigint[], %(untils)s::bigint[]) with ordinality
  w(log_id, first, until, number)
cross join lateral (
  select s.log_offset, s.bytes, sum(s.bytes) over (order by s.log_offset) / %(part_bytes)s as part
  from (
    select v.log_offset,
      %(event_bytes)s + coalesce(octet_length(v.key), 0) + coalesce(octet_length(v.value), 0) as bytes
    from eventlog.event v where v.log_id = w.log_id and v.log_offset >= w.first and v.log_offset < w.until) s) e
group by w.number, e.part order by 1, 2
"""


class NewEvents(NamedTuple):
    """The events of a log from offset `first` to before `until`, which the lake lacks."""

    log_id: int
    key: LogKey
    stream_kind: str
    first: int
    until: int


class Part(NamedTuple):
    """Events to read together, and how many bytes they have."""

    events: NewEvents
    size: int


def parts_of(connection: Connection, new: Sequence[NewEvents], part_bytes: int = TASK_BYTES) -> list[Part]:
    """Parts of at most `part_bytes` and one event, which can be read in parallel. Ranges without events have none."""
    columns = {"log_ids": "log_id", "firsts": "first", "untils": "until"}
    arrays = {name: [getattr(log, column) for log in new] for name, column in columns.items()}
    values = {**arrays, "part_bytes": part_bytes, "event_bytes": _EVENT_BYTES}
    rows = connection.execute(_PARTS, values).fetchall()
    return [Part(new[number]._replace(first=first, until=last + 1), size) for number, first, last, size in rows]


def write_events(
    spark: SparkSession, database_url: str, output: str, run: str, parts: Sequence[Part], partitions: int
) -> list[LakeFile]:
    """Write new events below `events/run`, by stream, incarnation and day, and return the files.

    Each of the tasks, at least ``partitions``, reads about `TASK_BYTES` over its own connection, a page at a time.
    """
    if not parts:
        return []
    tasks = max(partitions, -(-sum(part.size for part in parts) // TASK_BYTES))
    bins = [[parts[number].events for number in numbers] for numbers in pack([part.size for part in parts], tasks)]
    events = spark.range(0, len(bins), 1, len(bins)).mapInArrow(_reader(database_url, bins), SCHEMA)
    by_day = events.sortWithinPartitions("stream_name", "incarnation", "day", "log_offset")
    target = f"{folder_uri(output)}/{EVENTS}/{run}"
    by_day.write.mode("overwrite").partitionBy("stream_name", "incarnation", "day").parquet(target)
    return _files(spark, output, run)


def _reader(
    database_url: str, bins: Sequence[Sequence[NewEvents]]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function of all tasks; a task's only row is the number of its bin."""

    def read(tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for task in (task for batch in tasks for task in batch.column(0).to_pylist()):
            with connect(database_url, application_name="coordstream spark archive") as connection:
                for each in bins[task]:
                    pages = read_archived(connection, each.log_id, each.first, each.until, page=BATCH_EVENTS)
                    yield from (to_batch(each.key, each.stream_kind, page) for page in pages)

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
