"""Folds a log from the archive into temporary tables, apart from the tables that readers and followers use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from psycopg import sql

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection
from eventlog.timestamps import MICROS_OF_AN_HOUR, micros_of, storable_micros
from projections.batch_rows import append_histories, forget_merged, merge_many, prepare
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.observations import read_observations
from projections.projector import BATCH_EVENTS
from projections.tracked_logs import TrackedLog

SCRATCH: Final = "pg_temp"
_LONG_AGO: Final = datetime.fromtimestamp(0, UTC)
"""The archiving time of a batch without events, which no row depends on."""

_CREATE: Final = sql.SQL(
    "create temporary table if not exists {} (like projection.{} including indexes) on commit drop"
)


ReadArchived = Callable[[Connection, int, int, int], Iterable[tuple[RecordedEvent, datetime]]]
"""Reads a log's events from an offset to before another, each with the time at which it was archived."""


class ArchivedBatch(NamedTuple):
    """Events to fold together, and the keys that were swept after the last of them.

    They were archived at ``archived_at``, or at other times for which `LogClock` gives the same log time.
    """

    archived_at: datetime
    events: list[RecordedEvent]
    swept: list[Swept]


class ScratchFold:
    """The rows of one log, folded into temporary tables that last until the caller's transaction ends.

    The tables have the names, columns and keys of those in ``projection``, and are in the schema `SCRATCH`. They have
    the rows of all logs that are folded in the transaction.
    ``on_progress`` is called with the number of events of each batch; ``events`` is their sum.
    """

    def __init__(
        self,
        connection: Connection,
        log: TrackedLog,
        settings: FoldSettings,
        *,
        batch_events: int = BATCH_EVENTS,
        on_progress: Callable[[int], None] = lambda _: None,
        read: ReadArchived = read_archived,
    ) -> None:
        self.events = 0
        self._read = read
        self._connection = connection
        self._log_id = log.log_id
        self._fold = LogFold(log.log_id, log.stream.stream_kind, settings.secrets)
        self._batch_events = batch_events
        self._on_progress = on_progress
        self._next_offset = 0
        self._swept = 0
        prepare(connection)
        for name in log_tables():
            connection.execute(_CREATE.format(sql.Identifier(name), sql.Identifier(name)))

    def advance(self, until: int) -> None:
        """Fold the archived events below offset ``until`` that are not folded yet, and what was swept between them."""
        archived = self._read(self._connection, self._log_id, self._next_offset, until)
        sweeps = recorded_sweeps(self._connection, self._log_id)[self._swept :]
        for batch in archived_batches(archived, sweeps, self._batch_events):
            self._apply(batch)
        self._next_offset = max(self._next_offset, until)

    def _apply(self, batch: ArchivedBatch) -> None:
        fold = BatchFold(self._fold, micros_of(batch.archived_at))
        fold.add(batch.events)
        fold.sweep(batch.swept)
        append_histories(self._connection, fold, SCRATCH)
        merge_many(self._connection, fold, SCRATCH)
        forget_merged(self._connection)
        self._swept += len(batch.swept)
        self.events += len(batch.events)
        self._on_progress(len(batch.events))


def log_tables() -> dict[str, tuple[str, ...]]:
    """Return the tables of ``projection`` whose rows are folded from a log's events, with their primary keys.

    The primary keys are without ``log_id``.
    """
    from projections.tables import metadata  # noqa: PLC0415 (avoids loading SQLAlchemy where no log is folded again)

    return {
        table.name: tuple(column.name for column in table.primary_key if column.name != "log_id")
        for table in metadata.sorted_tables
        if "log_id" in table.columns and table.name not in {"job_log", "position"}
    }


def recorded_sweeps(connection: Connection, log_id: int) -> list[Swept]:
    """Return the keys that were swept from a log, in the order in which they are folded."""
    observations = read_observations(connection, log_id)
    return [Swept(at, key) for at, kind, key, *_ in observations if kind == "swept" and key is not None]


def archived_batches(
    archived: Iterable[tuple[RecordedEvent, datetime]], sweeps: Sequence[Swept], batch_events: int
) -> Iterator[ArchivedBatch]:
    """Split events, each with its archiving time, into batches of at most ``batch_events``.

    A batch also ends at a sweep. ``sweeps`` are in offset order; those that lie before the first event, or without any
    event, are a batch of their own.
    """
    pending = list(reversed(sweeps))
    batch: ArchivedBatch | None = None
    for event, archived_at in archived:
        swept = list(_pop_before(event.offset, pending))
        if batch is not None:
            batch.swept.extend(swept)
        elif swept:
            batch = ArchivedBatch(archived_at, [], swept)
        full = batch is not None and len(batch.events) >= batch_events
        if batch is not None and (full or batch.swept or not _same_log_time(event, archived_at, batch.archived_at)):
            yield batch
            batch = None
        batch = batch or ArchivedBatch(archived_at, [], [])
        batch.events.append(event)
    if batch is not None or pending:
        batch = batch or ArchivedBatch(_LONG_AGO, [], [])
        batch.swept.extend(reversed(pending))
        yield batch


def _pop_before(offset: int, pending: list[Swept]) -> Iterator[Swept]:
    while pending and pending[-1].at_offset < offset:
        yield pending.pop()


def _same_log_time(event: RecordedEvent, archived_at: datetime, other: datetime) -> bool:
    """Whether `LogClock` treats the event's record time alike for both archiving times."""
    time = storable_micros(event.timestamp)
    return archived_at == other or time is None or _is_believed(time, archived_at) == _is_believed(time, other)


def _is_believed(time: int, archived_at: datetime) -> bool:
    return time <= micros_of(archived_at) + MICROS_OF_AN_HOUR
