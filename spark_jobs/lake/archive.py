"""The job `archive`: adds the archive's new events to a lake, a folder of Parquet files with manifests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

import psycopg
import pyarrow as pa
from psycopg.rows import dict_row
from pyspark.sql import SparkSession

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from spark_jobs.dispatch import default_tasks, run_log_tasks
from spark_jobs.errors import SparkJobError
from spark_jobs.lake.files import (
    BATCH_EVENTS,
    SCHEMA,
    absolute_folder,
    find_lake,
    to_batch,
    write_events,
    write_manifest,
)
from spark_jobs.lake.manifest import EVENTS, Lake, LakeError, LakeFile, LakeLog, LogKey, Manifest
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.relations.snapshots import Snapshot, exported_snapshot

if TYPE_CHECKING:
    from spark_jobs.log_task_session import LogTaskSession

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
"""The keys and values that a task has in memory, and a file at most."""

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


@dataclass(frozen=True)
class Part:
    """A task of a run: writes events into the folder ``run`` of the lake ``output``. ``weight``: their bytes."""

    output: str
    run_folder: str
    events: NewEvents
    weight: int

    def run(self, session: "LogTaskSession") -> LakeFile:
        log_id, key, stream_kind, first, until = self.events
        pages = read_archived(session.connection, log_id, first, until, page=BATCH_EVENTS)
        table = pa.Table.from_batches((to_batch(stream_kind, page) for page in pages), SCHEMA)
        return write_events(self.output, self.run_folder, key, table)


@dataclass(frozen=True)
class Archived:
    """What a run added to a lake. `number` 0: there was nothing new.

    `failures`: why logs were not continued, by stream.
    """

    number: int
    logs: int
    files: Sequence[LakeFile]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def events(self) -> int:
        return sum(file.rows for file in self.files)


def archive(spark: SparkSession, output: str, settings: LogTaskSettings) -> Archived:
    """Add the events that the lake lacks.

    The data is written first, the manifest last: before that it is not part of the lake, so a run that is killed adds
    nothing, and the next one starts where the lake ends. A log of which a retention has detached events that the lake
    lacks is a failure and stays in the lake as it was; the others continue.

    Raises:
        LakeError: The lake is damaged, is another database's, or is being written by another run.
        SparkJobError: The output is invalid, the database cannot be read, or a file cannot be written.
    """
    output = absolute_folder(output)
    with exported_snapshot(settings.database_url) as snapshot:
        _lock(snapshot, output)
        lake = find_lake(output)
        logs, new, failures = _compare(snapshot, lake, output)
        if lake.number and list(lake.logs.values()) == logs:
            return Archived(0, len(logs), (), failures)
        number = lake.number + 1
        run = f"{EVENTS}/run={number:08d}-{uuid4().hex[:8]}"
        parts = [Part(output, run, *part) for part in parts_of(snapshot.connection, new)]
        tasks = default_tasks(spark, parts, TASK_BYTES)
        files: list[LakeFile] = []
        for outcome in run_log_tasks(spark, f"Cannot write lake '{output}'", parts, settings, tasks):
            if outcome.failure:
                raise SparkJobError(outcome.failure)
            files.append(outcome.result)
        write_manifest(output, Manifest(number, tuple(logs), tuple(files)))
    return Archived(number, len(logs), files, failures)


def _lock(snapshot: Snapshot, output: str) -> None:
    """Let one run at a time write to a lake, until the snapshot ends."""
    if snapshot.connection.execute(_LOCK, (output,)).fetchone() != (True,):
        raise LakeError(f"Another run is writing to the lake '{output}'. Try again when it has ended.")


def _compare(snapshot: Snapshot, lake: Lake, output: str) -> tuple[list[LakeLog], list[NewEvents], Mapping[str, str]]:
    """Return the logs as they will be in the lake, the events of each that it lacks, and failures by stream."""
    logs, new, failures = [], [], {}
    for log_id, found in _logs(snapshot):
        log, known, first = found, lake.logs.get(found.key), 0
        if known is not None:
            _require_same(snapshot, log_id, known, log, output)
            if (missed := _missed(known, log)) is not None:
                failures[log.stream_name] = missed
                logs.append(known)
                continue
            first = known.next_offset
            if known.last_offset is not None:  # the lake has what a later retention has detached
                log = replace(log, horizon=known.horizon)
        if first < log.next_offset:
            new.append(NewEvents(log_id, log.key, log.stream_kind, first, log.next_offset))
        logs.append(log)
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
    return log_id, LakeLog(**row, created_at=created_at, observations=observations, horizon=horizon)


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


def parts_of(
    connection: Connection, new: Sequence[NewEvents], part_bytes: int = TASK_BYTES
) -> list[tuple[NewEvents, int]]:
    """Events of at most `part_bytes` and one event, to be read together, with their bytes; without empty ranges."""
    columns = {"log_ids": "log_id", "firsts": "first", "untils": "until"}
    arrays = {name: [getattr(log, column) for log in new] for name, column in columns.items()}
    values = {**arrays, "part_bytes": part_bytes, "event_bytes": _EVENT_BYTES}
    rows = connection.execute(_PARTS, values).fetchall()
    return [(new[number]._replace(first=first, until=last + 1), size) for number, first, last, size in rows]
