"""Relations as DataFrames in one line; public in `coordstream.spark`."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, cast
from weakref import WeakKeyDictionary

import psycopg
from pyspark.sql import DataFrame, SparkSession

from projections import job_choice
from projections.job_choice import Job, UnknownJob
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.relations.catalogue import BUCKET, POSITIONS, Catalogue, Cut, LogOffset, is_history
from spark_jobs.relations.jdbc import Positions, Snapshot, choose_partitions, exported_snapshot, ranges, read_rows

STREAM_KINDS: Final = ("coordinator", "checkpoint")
LARGE_LOG: Final = 20_000
"""From this many events in a log, the history of few jobs is read in several partitions: an event may be many rows."""

OF_CHECKPOINTS: Final = ("checkpoint", "commit", "event", "state_checkpoint", "state_lag")


@dataclass(frozen=True)
class OpenSnapshot:
    """The database at one moment, for the reads of one Spark session in a `with` block."""

    spark: SparkSession = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    catalogue: Catalogue = field(repr=False)
    url: str = field(repr=False)

    @property
    def positions(self) -> Positions:
        """The next offset of each log, by (stream name, incarnation): every event below it is included."""
        return self.snapshot.positions_of(None)


_OPEN: Final = ContextVar[OpenSnapshot | None]("open snapshot", default=None)
_POSITIONS: Final = WeakKeyDictionary[DataFrame, Positions]()


class RelationReader:
    """Reads relations of the database whose URL a function finds."""

    def __init__(self, find_url: Callable[[], str]) -> None:
        self._find_url = find_url

    @contextmanager
    def snapshot(self, spark: SparkSession) -> Iterator[OpenSnapshot]:
        """All `read_relation` in the `with` block, of this session, show the database at one moment.

        Their DataFrames are lazy, and Spark's filters and columns reach Postgres. Finish every action in the block: a
        later one fails, because Postgres no longer has the snapshot. An open snapshot holds back vacuum. A new thread
        does not know the block of the thread that started it: there, pass the OpenSnapshot instead of the session.

        Raises:
            SparkJobError: The database is unreachable, its schema is missing, or the user may not read it.
        """
        url = self._find_url()
        with exported_snapshot(url) as exported:
            moment = OpenSnapshot(spark, exported, Catalogue.of(exported), url)
            token = _OPEN.set(moment)
            try:
                yield moment
            finally:
                _OPEN.reset(token)

    def read_relation(
        self,
        spark: SparkSession | OpenSnapshot,
        relation: str,
        *,
        job: str | None = None,
        as_of: str | datetime | None = None,
        as_of_offset: int | None = None,
        stream_kind: str | None = None,
        incarnation: int | None = None,
        columns: Sequence[str] | None = None,
        partitions: int | None = None,
    ) -> DataFrame:
        """The rows of a relation of schema `coordinator`, all at one moment; `log_positions` says at which.

        In a block of `snapshot`, the DataFrame is lazy and ends with the block. Elsewhere the rows are read now, into
        the executors (memory, then disk), and stay as they are.

        Args:
            spark: A session, of Spark or Spark Connect, with the JDBC driver; or the OpenSnapshot of a block.
            relation: `checkpoint`, `config_history`, …; docs/relations.md describes them.
            job: `NAME/ID`, or `NAME` if only one job has it. None: all jobs.
            as_of: A time, as a datetime or in ISO 8601 (in UTC unless it says otherwise). A current relation as it was
                then; a history without the later events.
            as_of_offset: The same after the event at an offset of one of the job's logs.
            stream_kind: The log of `as_of_offset`, `coordinator` or `checkpoint`. None: the one that the relation is
                made from.
            incarnation: The incarnation of that log. None: the current one.
            columns: The columns to read. None: all.
            partitions: The number of parallel connections. None: one per core, at most 8, for large reads.

        Raises:
            SparkJobError: A name is unknown (the message says which exist), an argument is invalid, the archive no
                longer has the events at the cut, or Spark or the database cannot read.
        """
        at = _moment(relation, as_of, as_of_offset, stream_kind, incarnation)
        if isinstance(columns, str):
            raise SparkJobError(f"Invalid columns {columns!r}. Expected a list of names, for example [{columns!r}].")
        if columns is not None and not columns:
            raise SparkJobError(f"Invalid columns {columns!r}. Expected one or more names, or None for all columns.")
        if partitions is not None and partitions < 1:
            raise SparkJobError(f"Invalid number of partitions {partitions!r}. Expected 1 or more.")
        opened = spark if isinstance(spark, OpenSnapshot) else _OPEN.get()
        if opened is not None and spark in (opened, opened.spark):
            return _read(opened, relation, job, at, columns, partitions)
        with self.snapshot(cast("SparkSession", spark)) as moment:
            frame = _read(moment, relation, job, at, columns, partitions)
            with spark_errors(f'Spark cannot read relation "{relation}"'):
                rows = frame.localCheckpoint()
            _POSITIONS[rows] = _POSITIONS[frame]
            return rows


def log_positions(frame: DataFrame) -> Positions:
    """As of which positions `read_relation` read these rows: the next offset of each log, by stream and incarnation.

    Raises:
        SparkJobError: The DataFrame is not one that `read_relation` returned, but, for example, a filter of one.
    """
    try:
        return _POSITIONS[frame]
    except KeyError:
        raise SparkJobError("Only a DataFrame from `read_relation` itself has log positions. Pass that one.") from None


def _moment(
    relation: str, as_of: str | datetime | None, as_of_offset: int | None, kind: str | None, incarnation: int | None
) -> datetime | LogOffset | None:
    if as_of is not None and as_of_offset is not None:
        raise SparkJobError("as_of and as_of_offset exclude each other. Pass one of them.")
    if kind is not None and kind not in STREAM_KINDS:
        raise SparkJobError(f"Invalid stream_kind {kind!r}. Expected {' or '.join(STREAM_KINDS)}.")
    if as_of_offset is not None:
        if not 0 <= as_of_offset < 2**63:
            raise SparkJobError(f"Invalid as_of_offset {as_of_offset!r}. Expected an offset from 0 on.")
        own_log = None if relation.startswith(OF_CHECKPOINTS) else "coordinator"
        return LogOffset(as_of_offset, kind or own_log, incarnation)
    if kind is not None or incarnation is not None:
        raise SparkJobError("stream_kind and incarnation belong to as_of_offset. Pass it too.")
    return None if as_of is None else parse_moment(as_of)


def _read(
    moment: OpenSnapshot,
    relation: str,
    job: str | None,
    at: datetime | LogOffset | None,
    columns: Sequence[str] | None,
    partitions: int | None,
) -> DataFrame:
    snapshot = moment.snapshot
    chosen = None if job is None else choose_job(snapshot.jobs(), job)
    if chosen is None and isinstance(at, LogOffset):
        raise SparkJobError("as_of_offset needs a job: an offset belongs to one of its logs. Pass job='NAME/ID'.")
    cut = None if at is None else Cut(chosen, at)
    rows = moment.catalogue.rows(relation, columns, chosen, cut)
    positions = snapshot.positions_of(chosen) if cut is None else _positions_at(snapshot, cut, relation)
    with spark_errors(f'Spark cannot read relation "{relation}"'):
        parts = _parts(moment, relation, chosen, cut, partitions)
        frame = read_rows(moment.spark, moment.url, rows, snapshot, parts)
    _POSITIONS[frame] = positions
    return frame


def _parts(
    moment: OpenSnapshot, relation: str, job: Job | None, cut: Cut | None, partitions: int | None
) -> Mapping[str, str]:
    """Whole jobs by their buckets; of few jobs, offsets, if a log is large and the relation has them.

    With fewer than two buckets per connection, some connections would be idle.
    """
    count = partitions or choose_partitions(moment.spark)
    logs = moment.snapshot.logs_of(job)
    buckets = {log.job_bucket for log in logs}
    if 1 < count <= len(buckets) / 2:
        return ranges("job_bucket" if cut is None else BUCKET, min(buckets), max(buckets), count)
    events = max((log.next_offset for log in logs), default=0)
    if events >= LARGE_LOG and "log_offset" in moment.catalogue.relations[relation]:
        return ranges("log_offset", 0, events - 1, count)
    return {}


def _positions_at(snapshot: Snapshot, cut: Cut, relation: str) -> Positions:
    """The position of each log at the cut: the first offset that is not included. Logs without events have none."""
    query = POSITIONS.format(logs=cut.all_logs() if is_history(relation) else cut.current_logs())
    try:
        with snapshot.connection.transaction():  # an error must not end the snapshot
            rows = snapshot.connection.execute(query).fetchall()
    except psycopg.Error as error:
        raise SparkJobError(f'Cannot read relation "{relation}": {error.diag.message_primary}') from error
    return {(name, incarnation): offset for name, incarnation, offset in rows}


def choose_job(jobs: Collection[Job], word: str) -> Job:
    """The job that a word names: NAME/ID, or NAME if only one job has it. Raises SparkJobError."""
    try:
        return job_choice.choose_job(sorted(jobs), word)
    except UnknownJob as error:
        raise SparkJobError(str(error)) from None


def parse_moment(time: str | datetime) -> datetime:
    """An aware time from a datetime or an ISO 8601 text, which is in UTC unless it says otherwise.

    Raises SparkJobError for another text, and for a datetime without a time zone.
    """
    if isinstance(time, str):
        try:
            moment = datetime.fromisoformat(time)
        except ValueError as error:
            example = "Expected ISO 8601, for example 2026-01-31T12:00:00Z."
            raise SparkJobError(f"Invalid time {time!r}. {example}") from error
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if time.tzinfo is None:
        raise SparkJobError(f"The time {time} has no time zone. Expected one, as in datetime(2026, 1, 31, tzinfo=UTC).")
    return time
