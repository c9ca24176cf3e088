"""The job `archive`: adds the archive's new events to a lake, a folder of Parquet files with manifests."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any, Final, NamedTuple
from uuid import uuid4

import psycopg
import pyarrow as pa
from psycopg.rows import dict_row
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from eventlog.log import Clock, system_clock
from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection, connect
from spark_jobs.dispatch import pack
from spark_jobs.errors import SparkJobError
from spark_jobs.lake.files import BATCH_EVENTS, SCHEMA, to_batch
from spark_jobs.lake.manifest import (
    EVENTS,
    MANIFESTS,
    RELATIONS,
    Lake,
    LakeError,
    LakeFile,
    LakeLog,
    LogKey,
    Manifest,
    RelationRows,
    to_json,
)
from spark_jobs.lake.reader import decoded_path, find_lake, lake_errors, list_files
from spark_jobs.output_folder import checked_path, folder_uri
from spark_jobs.relations.catalogue import Catalogue
from spark_jobs.relations.jdbc import choose_partitions
from spark_jobs.relations.reader import OpenSnapshot, RelationReader
from spark_jobs.relations.snapshots import Snapshot, exported_snapshot

_LOCK: Final = "SELECT pg_try_advisory_xact_lock(7106409, hashtext(%s))"
_LOGS: Final = """
SELECT l.log_id, l.stream_name, l.stream_kind, l.incarnation, l.backend, l.cluster_id, l.topic_id, l.created_at,
  j.is_current, j.is_complete, p.next_offset, e.log_offset AS last_offset, e.sha256 AS last_sha256,
  (SELECT coalesce(jsonb_agg(jsonb_build_array(
     o.at_offset, o.kind, encode(o.key, 'base64'), o.from_offset, o.to_offset, o.observed_at)
     ORDER BY o.at_offset, o.observation_id), '[]')
   FROM eventlog.observation o WHERE o.log_id = l.log_id) AS observations,
  (SELECT jsonb_build_array(max(h.horizon_offset), max(h.horizon_time))
   FROM eventlog.horizon h WHERE h.log_id = l.log_id HAVING count(*) > 0) AS horizon
FROM eventlog.log l
JOIN projection.job_log j ON j.log_id = l.log_id
JOIN projection.position p ON p.log_id = l.log_id
LEFT JOIN LATERAL (
  SELECT e.log_offset, encode(sha256(coalesce(e.key, '') || '\\x00' || coalesce(e.value, '')), 'hex') AS sha256
  FROM eventlog.event e WHERE e.log_id = l.log_id AND e.log_offset < p.next_offset
  ORDER BY e.log_offset DESC LIMIT 1) e ON true
ORDER BY l.stream_name, l.incarnation
"""
_LAST: Final = """
SELECT encode(sha256(coalesce(e.key, '') || '\\x00' || coalesce(e.value, '')), 'hex')
FROM eventlog.event e WHERE e.log_id = %s AND e.log_offset = %s
"""
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


@dataclass(frozen=True)
class Archived:
    """What a run added to a lake: files of events, and relations. `number` 0: there was nothing new.

    `failures`: why logs were not continued, by stream.
    """

    number: int
    logs: int
    files: tuple[LakeFile, ...]
    relations: tuple[RelationRows, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def events(self) -> int:
        return sum(file.rows for file in self.files)


def archive(
    spark: SparkSession, database_url: str, output: str, *, relations: bool = False, clock: Clock = system_clock
) -> Archived:
    """Add the events that the lake lacks and, with ``relations``, every relation as of the same moment.

    The data is written first, the manifest last: before that it is not part of the lake, so a run that is killed adds
    nothing, and the next one starts where the lake ends. A log of which a retention has detached events that the lake
    lacks is a failure and stays in the lake as it was; the others continue.

    Raises:
        LakeError: The lake is damaged, is another database's, or is being written by another run.
        SparkJobError: The output is invalid, the database cannot be read, or Spark cannot write.
    """
    checked_path(output)
    with exported_snapshot(database_url) as snapshot:
        _lock(snapshot, output)
        lake = find_lake(spark, output)
        logs, new, failures = _compare(snapshot, lake, output)
        if not relations and lake.number and list(lake.logs.values()) == logs:
            return Archived(0, len(logs), (), failures=failures)
        number = lake.number + 1
        run = f"run={number:08d}-{uuid4().hex[:8]}"
        with lake_errors(output):
            parts = parts_of(snapshot.connection, new)
            files = write_events(spark, database_url, output, run, parts)
            written = _write_relations(spark, database_url, snapshot, output, run) if relations else ()
            described = _with_fingerprints(logs, [*lake.files, *files])
            _commit(
                spark, output, Manifest(number, clock().astimezone(UTC).isoformat(), described, tuple(files), written)
            )
    return Archived(number, len(logs), tuple(files), written, failures)


def _lock(snapshot: Snapshot, output: str) -> None:
    """Let one run at a time write to a lake, until the snapshot ends."""
    if snapshot.connection.execute(_LOCK, (folder_uri(output),)).fetchone() != (True,):
        raise LakeError(f"Another run is writing to the lake '{output}'. Try again when it has ended.")


def _compare(snapshot: Snapshot, lake: Lake, output: str) -> tuple[list[LakeLog], list[NewEvents], Mapping[str, str]]:
    """Return the logs as they will be in the lake, the events of each that it lacks, and failures by stream."""
    logs, new, failures = [], [], {}
    for log_id, log in _logs(snapshot):
        known = lake.logs.get(log.key)
        if known is not None:
            _require_same(snapshot, log_id, known, log, output)
            if (missed := _missed(known, log)) is not None:
                failures[log.stream_name] = missed
                logs.append(known)
                continue
        first = 0 if known is None else known.next_offset
        if first < log.next_offset:
            new.append(NewEvents(log_id, log.key, log.stream_kind, first, log.next_offset))
        logs.append(log if known is None else _continued(known, log))
    missing = lake.logs.keys() - {log.key for log in logs}
    if missing:
        raise _other_database(output, min(missing))
    return logs, new, failures


def _missed(known: LakeLog, log: LakeLog) -> str | None:
    """Why the lake cannot continue a log: a retention has detached events, such as deletions, that the lake lacks."""
    if known.last_offset is None or log.horizon is None or known.next_offset >= log.horizon[0]:
        return None
    return (
        f"A retention has detached events of the offsets {known.next_offset} to {log.horizon[0]} (incarnation "
        f"{log.incarnation}) before the lake had them. Write a lake into another folder."
    )


def _continued(known: LakeLog, log: LakeLog) -> LakeLog:
    """A log that the lake knows, as it is now. The lake has what a later retention has detached."""
    horizon = log.horizon if known.last_offset is None else known.horizon
    return replace(log, fingerprint=known.fingerprint, horizon=horizon)


def _logs(snapshot: Snapshot) -> list[tuple[int, LakeLog]]:
    """Read the logs. This also keeps a retention from detaching partitions until the snapshot ends."""
    try:
        with snapshot.connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(_LOGS).fetchall()
    except psycopg.errors.InsufficientPrivilege as error:
        user = snapshot.connection.info.user
        raise SparkJobError(
            f"User '{user}' may not read the archive. The owner of the database can run "
            f"`coordstream db grant replayer {user}`."
        ) from error
    return [_log(row) for row in rows]


def _log(row: dict[str, Any]) -> tuple[int, LakeLog]:
    observations = tuple(tuple(observed) for observed in row.pop("observations"))
    created_at = row.pop("created_at").astimezone(UTC).isoformat()
    found = row.pop("horizon")
    horizon = None if found is None else (found[0], found[1])
    log_id = row.pop("log_id")
    return log_id, LakeLog(**row, created_at=created_at, fingerprint="", observations=observations, horizon=horizon)


def _require_same(snapshot: Snapshot, log_id: int, known: LakeLog, log: LakeLog, output: str) -> None:
    """Raise LakeError if the last event of the lake's log is another one in the database; it may be detached there."""
    if known.last_offset is None:
        return
    last = snapshot.connection.execute(_LAST, (log_id, known.last_offset)).fetchone()
    is_detached = last is None and log.horizon is not None and known.last_offset < log.horizon[0]
    if last != (known.last_sha256,) and not is_detached:
        raise _other_database(output, known.key)


def _other_database(output: str, key: LogKey) -> LakeError:
    return LakeError(
        f"Lake '{output}' has other events of {key.stream_name} (incarnation {key.incarnation}) than this database. "
        "Use a folder of its own for each database."
    )


def _with_fingerprints(logs: Sequence[LakeLog], files: Sequence[LakeFile]) -> tuple[LakeLog, ...]:
    """The logs, each with a digest of its files in the order of their offsets."""
    contents: dict[LogKey, list[tuple[int, int, str]]] = {log.key: [] for log in logs}
    for file in files:
        contents[file.log].append((file.first_offset, file.rows, file.sha256))
    digests = {key: hashlib.sha256(json.dumps(sorted(each)).encode()).hexdigest() for key, each in contents.items()}
    return tuple(replace(log, fingerprint=digests[log.key]) for log in logs)


def _write_relations(
    spark: SparkSession, database_url: str, snapshot: Snapshot, output: str, run: str
) -> tuple[RelationRows, ...]:
    moment = OpenSnapshot(spark, snapshot, Catalogue.of(snapshot), database_url)
    reader = RelationReader(lambda: database_url)
    written = []
    for relation in sorted(moment.catalogue.relations):
        path = f"{RELATIONS}/{run}/{relation}"
        target = f"{folder_uri(output)}/{path}"
        reader.read_relation(moment, relation).write.mode("overwrite").parquet(target)
        written.append(RelationRows(relation, path, spark.read.parquet(target).count()))
    return tuple(written)


def _commit(spark: SparkSession, output: str, manifest: Manifest) -> None:
    """Write the manifest as one file, which the file system makes visible at once."""
    target = f"{folder_uri(output)}/{MANIFESTS}/{manifest.number:08d}"
    frame = spark.createDataFrame([(to_json(manifest),)], "value string")
    frame.coalesce(1).write.mode("overwrite").text(target)


def parts_of(connection: Connection, new: Sequence[NewEvents], part_bytes: int = TASK_BYTES) -> list[Part]:
    """Parts of at most `part_bytes` and one event, which can be read in parallel. Ranges without events have none."""
    columns = {"log_ids": "log_id", "firsts": "first", "untils": "until"}
    arrays = {name: [getattr(log, column) for log in new] for name, column in columns.items()}
    values = {**arrays, "part_bytes": part_bytes, "event_bytes": _EVENT_BYTES}
    rows = connection.execute(_PARTS, values).fetchall()
    return [Part(new[number]._replace(first=first, until=last + 1), size) for number, first, last, size in rows]


def write_events(
    spark: SparkSession, database_url: str, output: str, run: str, parts: Sequence[Part]
) -> list[LakeFile]:
    """Write new events below `events/run`, by stream, incarnation and day, and return the files.

    Each task reads about `TASK_BYTES` over its own connection, a page at a time.
    """
    if not parts:
        return []
    tasks = max(choose_partitions(spark), -(-sum(part.size for part in parts) // TASK_BYTES))
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
