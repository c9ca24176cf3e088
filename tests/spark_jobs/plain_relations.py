"""The relations that Spark jobs read, as plain tables with the same columns."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg import sql

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

JOB = "job_name text, job_id text, job_bucket integer"
PROVENANCE = (
    "record_time timestamptz, message_time timestamptz, source text, host text, username text,"
    " stream_kind text, incarnation integer, log_offset bigint"
)
TABLES = f"""
CREATE SCHEMA coordinator;
CREATE TABLE coordinator.job ({JOB}, coordinator_stream text, checkpoint_stream text, last_record_time timestamptz);
CREATE TABLE coordinator.log_position (
    {JOB}, stream_name text, stream_kind text, incarnation integer, next_offset bigint);
CREATE TABLE coordinator.commit_history (
    {JOB}, task_name text, checkpoint_version integer, checkpoint_id text, is_preferred boolean,
    partition_count integer, {PROVENANCE});
CREATE TABLE coordinator.checkpoint_history (
    {JOB}, task_name text, system_name text, stream_name text, partition_id integer, key_bucket integer,
    input_offset text, input_offset_number bigint, checkpoint_id text, checkpoint_version integer, origin text,
    grouper_factory text, operation text, is_preferred boolean, {PROVENANCE});
CREATE SCHEMA projection;
CREATE TABLE projection.job_log (log_id integer, job_name text, job_id text);
CREATE TABLE projection.log_time (log_id integer, log_offset bigint, log_time timestamptz);
CREATE FUNCTION projection.log_time_at(log_id integer, log_offset bigint) RETURNS TABLE (at timestamptz)
LANGUAGE sql AS 'SELECT max(t.log_time) FROM projection.log_time t WHERE t.log_id = $1 AND t.log_offset <= $2';
"""


def at(seconds: float) -> datetime:
    """The time `seconds` after START."""
    return START + timedelta(seconds=seconds)


class Relations:
    """A database with the relations, which a test fills with commits."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._next_offset = 0
        self._log_ids: dict[str, int] = {}
        self._log_times: dict[str, datetime] = {}
        with psycopg.connect(url) as connection:
            connection.execute(TABLES)

    def add_log(self, job: str, next_offset: int, newest: datetime, bucket: int = 7) -> None:
        """Add a job `NAME/ID` with its checkpoint topic."""
        name, _, job_id = job.partition("/")
        stream = f"__samza_checkpoint_ver_1_for_{name}_{job_id}"
        owner = {"job_name": name, "job_id": job_id, "job_bucket": bucket}
        self.insert("job", [{**owner, "checkpoint_stream": stream, "last_record_time": newest}])
        position = {"stream_name": stream, "stream_kind": "checkpoint", "incarnation": 1, "next_offset": next_offset}
        self.insert("log_position", [{**owner, **position}])
        self._advance(job, max(next_offset, self._next_offset), newest)

    def commit(
        self,
        task: str,
        seconds: float,
        offsets: Mapping[int, int | str],
        *,
        job: str = "counts/1",
        preferred: bool = True,
        bucket: int = 7,
        plausible: bool = True,
    ) -> None:
        """Add a commit of a task, `seconds` after START, with the offset of each partition of kafka.views.

        With `plausible=False`, the record time is more than an hour ahead of its arrival.
        """
        name, _, job_id = job.partition("/")
        row = {"job_name": name, "job_id": job_id, "job_bucket": bucket, "task_name": task, "is_preferred": preferred}
        row |= {
            "record_time": at(seconds),
            "stream_kind": "checkpoint",
            "incarnation": 1,
            "log_offset": self._next_offset,
        }
        self._advance(job, self._next_offset, at(seconds) if plausible else self._log_times[job])
        self._next_offset += 1
        self.insert("commit_history", [row | {"partition_count": len(offsets)}])
        place = {"system_name": "kafka", "stream_name": "views", "key_bucket": -1, "operation": "set"}
        self.insert(
            "checkpoint_history",
            [
                row | place | {"partition_id": p, "input_offset": str(o), "input_offset_number": _number(o)}
                for p, o in offsets.items()
            ],
        )

    def _advance(self, job: str, log_offset: int, time: datetime) -> None:
        """Advance the log's time to `time`, unless it is later already."""
        name, _, job_id = job.partition("/")
        if job not in self._log_ids:
            self._log_ids[job] = len(self._log_ids) + 1
            owner = {"log_id": self._log_ids[job], "job_name": name, "job_id": job_id}
            self.insert("job_log", [owner], "projection")
        self._log_times[job] = max(time, self._log_times.get(job, time))
        row = {"log_id": self._log_ids[job], "log_offset": log_offset, "log_time": self._log_times[job]}
        self.insert("log_time", [row], "projection")

    def insert(self, relation: str, rows: Sequence[Mapping[str, object]], schema: str = "coordinator") -> None:
        """Insert rows, which have the same columns."""
        if not rows:
            return
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(schema, relation),
            sql.SQL(", ").join(map(sql.Identifier, rows[0])),
            sql.SQL(", ").join(map(sql.Placeholder, rows[0])),
        )
        with psycopg.connect(self.url) as connection, connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _number(offset: int | str) -> int | None:
    return offset if isinstance(offset, int) else None
