"""Relations as DataFrames in one line; public in `coordstream.spark`."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, date, datetime
from typing import Final, LiteralString, cast
from weakref import WeakKeyDictionary

from psycopg import sql
from pyspark.sql import DataFrame, SparkSession

from eventlog.errors import NO_LIST, printable_text
from eventlog.postgres.connection import Connection, connect
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError, database_errors, spark_errors
from spark_jobs.relations.catalogue import SHARES, Catalogue, Cut, LogOffset, is_history, positions_query
from spark_jobs.relations.jdbc import Relation, read_rows
from spark_jobs.relations.open_snapshot import LogPosition, OpenSnapshot, Positions
from spark_jobs.relations.receipts import Receipt, ends_of, leave
from spark_jobs.session import count_cores

STREAM_KINDS: Final = ("coordinator", "checkpoint")
MOST_PARTITIONS: Final = 8
LARGE: Final = 50_000
"""From so many rows on, a history is read in several partitions by default."""

SAMPLE: Final = 20_000
"""At how many offsets of the largest log the rows of a history are counted."""

OF_CHECKPOINTS: Final = ("checkpoint", "commit", "event", "state_checkpoint", "state_lag")

_LOGS: Final[LiteralString] = (
    "SELECT job_name, job_id, job_bucket, stream_name, incarnation, next_offset FROM coordinator.log_position"
)
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
        does not know the block of the thread that started it: there, pass the OpenSnapshot instead of the session. It
        needs a direct connection to the database, or a pooler in session mode.

        Raises `SparkJobError`: the database is unreachable, its schema is missing, or the user may not read it.
        """
        with database_errors("the relations", "reader"):
            connection = self._connect("snapshot")
        with connection:
            with database_errors("the relations", "reader"):
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                ((snapshot_id,),) = connection.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()
                logs = [LogPosition(*row) for row in connection.execute(_LOGS).fetchall()]
                catalogue = Catalogue.of(connection)
            moment = OpenSnapshot(snapshot_id, spark, connection, logs, catalogue)
            token = _OPEN.set(moment)
            try:
                yield moment
            finally:
                _OPEN.reset(token)

    def read_relation(
        self,
        spark: SparkSession | OpenSnapshot,
        relation: str | None = None,
        *,
        job: str | None = None,
        as_of: str | date | None = None,
        as_of_offset: int | None = None,
        stream_kind: str | None = None,
        incarnation: int | None = None,
        columns: Sequence[str] | None = None,
        partitions: int | None = None,
        leave_receipt: bool = False,
        receipt: int | None = None,
    ) -> DataFrame:
        """The rows of a relation of schema `coordinator`, all at one moment; `log_positions` says at which.

        In a block of `snapshot`, the DataFrame is lazy and ends with the block. Elsewhere, and with a receipt, the rows
        are read now, into the executors (memory, then disk), and stay as they are.

        Args:
            spark: A session, of Spark or Spark Connect, with the JDBC driver; or the OpenSnapshot of a block.
            relation: `checkpoint`, `config_history`, …; docs/relations.md describes them. Not needed with `receipt`.
            job: `NAME/ID`, or `NAME` if only one job has it. None: all jobs.
            as_of: A time, as a datetime, date or in ISO 8601 (in UTC unless it says otherwise). A current relation as
                it was then; a history without the later events.
            as_of_offset: The same after the event at an offset of one of the job's logs.
            stream_kind: The log of `as_of_offset`, `coordinator` or `checkpoint`. None: the one that the relation is
                made from.
            incarnation: The incarnation of that log. None: the current one.
            columns: The columns to read. None: all.
            partitions: The number of parallel connections. None: one per core, at most 8, for large reads.
            leave_receipt: Add a receipt to `spark_read`, whose number `receipt_of` returns.
            receipt: Read the same rows as the read that left the receipt of this number.

        Raises:
            SparkJobError: A name is unknown (the message says which exist), an argument is invalid, the archive no
                longer has the events at the cut, or Spark or the database cannot read.
        """
        others = (job, as_of, as_of_offset, columns, leave_receipt or None)
        if receipt is not None and any(each is not None for each in others):
            raise SparkJobError("A receipt names what was read. Pass nothing but partitions with it.")
        if receipt is None and relation is None:
            raise SparkJobError("Nothing to read. Pass the name of a relation, or the number of a receipt.")
        relation = relation or ""
        at = _moment(relation, as_of, as_of_offset, stream_kind, incarnation)
        if isinstance(columns, str):
            raise SparkJobError(NO_LIST.format("columns", columns))
        if columns is not None and not 0 < len(set(columns)) == len(columns):
            raise SparkJobError(f"Invalid columns {columns!r}. Expected different names, or None for all columns.")
        if partitions is not None and (type(partitions) is not int or partitions < 1):
            raise SparkJobError(f"Invalid number of partitions {partitions!r}. Expected an int, 1 or more.")
        opened = spark if isinstance(spark, OpenSnapshot) else _OPEN.get()
        if opened is not None and spark not in (opened, opened.spark):
            opened = None
        with nullcontext(opened) if opened else self.snapshot(cast("SparkSession", spark)) as moment:
            if receipt is not None:
                return _read_again(moment, Receipt.find(receipt, moment), relation, partitions)
            chosen, cut = _choice(moment, job, at)
            if leave_receipt:
                ends = ends_of(moment, relation, chosen, cut)
                rows = _kept(_read(moment, relation, None, Cut(None, ends), columns, partitions), relation)
                with database_errors("the receipts", "reader"), self._connect("receipt") as connection:
                    leave(connection, relation, ends, rows)
                return rows
            frame = _read(moment, relation, chosen, cut, columns, partitions)
            return frame if opened else _kept(frame, relation)

    def _connect(self, purpose: str) -> Connection:
        return connect(self._find_url(), application_name=f"coordstream spark {purpose}")


def log_positions(frame: DataFrame) -> Positions:
    """As of which positions `read_relation` read these rows: the next offset of each log, by stream and incarnation.

    Raises `SparkJobError`: the DataFrame is not one that `read_relation` returned, but, for example, a filter of one.
    """
    try:
        return _POSITIONS[frame]
    except KeyError:
        raise SparkJobError("Only a DataFrame from `read_relation` itself has log positions. Pass that one.") from None


def _moment(
    relation: str, as_of: str | date | None, as_of_offset: int | None, kind: str | None, incarnation: int | None
) -> datetime | LogOffset | None:
    if as_of is not None and as_of_offset is not None:
        raise SparkJobError("as_of and as_of_offset exclude each other. Pass one of them.")
    if kind is not None and kind not in STREAM_KINDS:
        raise SparkJobError(f"Invalid stream_kind {kind!r}. Expected {' or '.join(STREAM_KINDS)}.")
    if as_of_offset is not None:
        if type(as_of_offset) is not int or not 0 <= as_of_offset < 2**63:
            raise SparkJobError(f"Invalid as_of_offset {as_of_offset!r}. Expected an offset, an int from 0 on.")
        own_log = None if relation.startswith(OF_CHECKPOINTS) else "coordinator"
        return LogOffset(as_of_offset, kind or own_log, incarnation)
    if kind is not None or incarnation is not None:
        raise SparkJobError("stream_kind and incarnation belong to as_of_offset. Pass it too.")
    return None if as_of is None else parse_moment(as_of)


def _choice(moment: OpenSnapshot, job: str | None, at: datetime | LogOffset | None) -> tuple[Job | None, Cut | None]:
    """The job, and where its logs are cut; None: all jobs, now."""
    chosen = None if job is None else moment.job(job)
    if chosen is None and isinstance(at, LogOffset):
        raise SparkJobError("as_of_offset needs a job: an offset belongs to one of its logs. Pass job='NAME/ID'.")
    return chosen, None if at is None else Cut(chosen, at)


def _read(
    moment: OpenSnapshot,
    relation: str,
    job: Job | None,
    cut: Cut | None,
    columns: Sequence[str] | None,
    partitions: int | None,
) -> DataFrame:
    rows = moment.catalogue.rows(relation, columns, job, cut)
    positions = moment.positions_of(job) if cut is None else _positions_at(moment, cut, relation)
    with spark_errors(f'Spark cannot read relation "{relation}"'):
        logs = [log for log in moment.logs_of(job) if (log.stream_name, log.incarnation) in positions]
        column, bounds = _ranges(moment, relation, rows, logs, partitions)
        frame = read_rows(moment.spark, moment.connection, rows, moment.session_statement(), column, bounds)
    _POSITIONS[frame] = positions
    return frame


def _kept(frame: DataFrame, relation: str) -> DataFrame:
    """The rows, read now into the executors."""
    with spark_errors(f'Spark cannot read relation "{relation}"'):
        rows = frame.localCheckpoint()
    _POSITIONS[rows] = _POSITIONS[frame]
    return rows


def _read_again(moment: OpenSnapshot, receipt: Receipt, relation: str, partitions: int | None) -> DataFrame:
    """The rows that a receipt names. Raises SparkJobError if it is of another relation, or they have changed."""
    if relation not in ("", receipt.relation):
        its_own = printable_text(receipt.relation)
        raise SparkJobError(f'Receipt {receipt.number} is of relation "{its_own}". Pass this name, or none.')
    cut = Cut(None, receipt.ends)
    rows = _kept(_read(moment, receipt.relation, None, cut, receipt.columns, partitions), receipt.relation)
    receipt.check(rows)
    return rows


def _ranges(
    moment: OpenSnapshot, relation: str, rows: Relation, logs: Sequence[LogPosition], partitions: int | None
) -> tuple[str, list[int]]:
    """The column and the inner bounds of the partitions, whose events or rows are about as many.

    Whole jobs by their buckets; offsets of a history if a bucket would fill two partitions or more.
    """
    count = partitions or default_partitions(moment.spark)
    events = Counter[int]()
    for log in logs:
        events[log.job_bucket] += log.next_offset + 1
    if is_history(relation) and max(events.values(), default=0) * count >= 2 * events.total() > 0:
        step = max(log.next_offset for log in logs) // SAMPLE | 1  # odd: transactions have events at every other offset
        shares = sql.SQL(", ").join(number / count for number in range(1, count))
        query = SHARES.format(step=step, shares=shares, source=rows.source)
        ((found, lasts),) = moment.ask(query, relation)
        return "log_offset", sorted({last + 1 for last in lasts or ()}) if partitions or found >= LARGE else []
    bounds, below = list[int](), 0
    for bucket, number in sorted(events.items()):
        if below * count >= events.total() * (len(bounds) + 1):
            bounds.append(bucket)
        below += number
    return rows.bucket, bounds


def default_partitions(spark: SparkSession) -> int:
    """The number of connections of a large read: one per core, at most 8."""
    return max(1, min(count_cores(spark), MOST_PARTITIONS))


def _positions_at(moment: OpenSnapshot, cut: Cut, relation: str) -> Positions:
    """The position of each log at the cut: the first offset that is not included. Logs without events have none."""
    rows = moment.ask(positions_query(relation, cut), relation)
    if not rows and isinstance(cut.at, LogOffset):  # the log of an event has at least that event
        _, kind, incarnation = cut.at
        which = "incarnation" if incarnation is None else f"incarnation {incarnation}"
        raise SparkJobError(f"Job {cut.job} has no {which} of its {kind or 'checkpoint'} log. See log_position.")
    return {(name, incarnation): offset for name, incarnation, offset, _ in rows}


def parse_moment(time: str | date) -> datetime:
    """An aware time from a datetime, or a date or an ISO 8601 text, which is in UTC unless it says otherwise.

    Raises SparkJobError for another text, and for a datetime without a time zone.
    """
    if not isinstance(time, datetime):
        try:
            moment = datetime.fromisoformat(str(time))
        except ValueError as error:
            example = "Expected ISO 8601, for example 2026-01-31T12:00:00Z."
            raise SparkJobError(f"Invalid time {time!r}. {example}") from error
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if time.tzinfo is None:
        raise SparkJobError(f"The time {time} has no time zone. Expected one, as in datetime(2026, 1, 31, tzinfo=UTC).")
    return time
