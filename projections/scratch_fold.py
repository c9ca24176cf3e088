"""Folds a log from the archive into temporary tables, apart from the tables that readers and followers use."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from psycopg import sql

from eventlog.events import EventColumns, RecordedEvent, bytes_of, no_collections
from eventlog.postgres.archive import ArchivedEvents, read_archived
from eventlog.postgres.connection import Connection
from eventlog.postgres.copy_rows import Columns, copying
from eventlog.timestamps import MICROS_OF_AN_HOUR, all_storable_micros
from projections.batch_writes import HISTORIES, append_histories
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.rows import Swept
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_BYTES, BATCH_EVENTS
from projections.relations import FOLDED_TABLES
from projections.tracked_logs import TrackedLog, read_observations

SCRATCH: Final = "pg_temp"
_LONG_AGO: Final = 0
"""The archiving time of a batch without events, which no row depends on."""

_INDEXED: Final = ("quarantine",)
"""Tables whose rows the fold updates. The others need no key: they are compared as a whole."""

_CREATE: Final = sql.SQL("create temporary table if not exists {} (like projection.{} {}) on commit drop")
_INDEX: Final = sql.SQL("create index if not exists {} on pg_temp.{} (log_id)")
_EXISTS: Final = sql.SQL("exists (select from projection.{table} where log_id = {log_id})")

ReadArchived = Callable[[Connection, int, int, int], Iterable[ArchivedEvents]]
"""Reads a log's events from an offset to before another."""


class ArchivedBatch(NamedTuple):
    """Events to fold together, and the keys that were swept after the last of them. They were archived at
    ``archived_at``, in microseconds since 2000, or at other times for which `LogClock` gives the same log time.
    """

    archived_at: int
    events: list[RecordedEvent]
    swept: list[Swept]


class ScratchFold:
    """The rows of one log, folded into temporary tables that last until the caller's transaction ends.

    The tables have the names and columns of those in ``projection``, and are in the schema `SCRATCH`. They have the
    rows of all logs that are folded in the transaction; ``is_shared``: there are several, so ``log_id`` is indexed.
    ``fills_histories``: the rows of `HISTORIES` go to ``projection`` at once; only if `may_fill_histories`.
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
        is_shared: bool = False,
        fills_histories: bool = False,
    ) -> None:
        self.events = 0
        self._read = read
        self._connection = connection
        self._log_id = log.log_id
        self._fold = LogFold(log.log_id, log.stream.stream_kind, settings.secrets)
        self._batch_events = batch_events
        self._on_progress = on_progress
        self._histories = HISTORIES if fills_histories else ()
        self.filled = tuple(columns.table.partition(".")[2] for columns in self._histories)
        self._next_offset = 0
        self._swept = 0
        for name in FOLDED_TABLES:
            indexes = sql.SQL("including indexes" if name in _INDEXED else "")
            connection.execute(_CREATE.format(sql.Identifier(name), sql.Identifier(name), indexes))
            if is_shared:
                connection.execute(_INDEX.format(sql.Identifier(f"{name}_log_id"), sql.Identifier(name)))

    def advance(self, until: int) -> None:
        """Fold the archived events below offset ``until`` that are not folded yet, and what was swept between them."""
        archived = self._read(self._connection, self._log_id, self._next_offset, until)
        observations = read_observations(self._connection, self._log_id)  # in the order in which they are folded
        sweeps = [Swept(at, key) for at, kind, key, *_ in observations if kind == "swept" and key is not None]
        with no_collections(freeze=True):
            for batch in archived_batches(archived, sweeps[self._swept :], self._batch_events):
                self._apply(batch)
        self._next_offset = max(self._next_offset, until)

    def _apply(self, batch: ArchivedBatch) -> None:
        fold = BatchFold(self._fold, batch.archived_at)
        fold.add(EventColumns.of(batch.events))
        fold.sweep(batch.swept)
        with copying(self._connection) as copies:
            append_histories(self._connection, copies, fold, self._place)
        self._swept += len(batch.swept)
        self.events += len(batch.events)
        self._on_progress(len(batch.events))

    def _place(self, columns: Columns) -> Columns:
        return columns if columns in self._histories else columns.in_schema(SCRATCH)


def may_fill_histories(connection: Connection, log_id: int) -> bool:
    """Whether a fold can write the histories of a log itself, and they need no comparison: nothing is stored of the
    log, neither rows nor layouts with other numbers.
    """
    tables = (_EXISTS.format(table=sql.Identifier(table), log_id=sql.Literal(log_id)) for table in FOLDED_TABLES)
    has_rows = connection.execute(sql.SQL("select {}").format(sql.SQL(" or ").join(tables))).fetchone()
    return has_rows == (False,)


def archived_batches(
    archived: Iterable[ArchivedEvents], sweeps: Sequence[Swept], batch_events: int
) -> Iterator[ArchivedBatch]:
    """Split archived events into batches of at most ``batch_events``.

    A batch also ends at a sweep, and with the page in which it reaches `BATCH_BYTES`. ``sweeps`` are in offset order;
    those that lie before the first event, or without any event, are a batch of their own.
    """
    pending = list(reversed(sweeps))
    batch: ArchivedBatch | None = None
    size = 0
    for events, times in archived:
        first = 0
        if batch is not None and size >= BATCH_BYTES:
            yield batch
            batch, size = None, 0
        while first < len(events):
            swept = list(_pop_before(events[first].offset, pending))
            batch = batch or ArchivedBatch(times[first], [], [])
            batch.swept.extend(swept)
            end = _end_of_batch(batch, events, times, first, batch_events, pending)
            batch.events.extend(events[first:end])
            if end == first:
                yield batch
                batch, size = None, 0
            first = end
        size += bytes_of(events)
    if batch is not None or pending:
        batch = batch or ArchivedBatch(_LONG_AGO, [], [])
        batch.swept.extend(reversed(pending))
        yield batch


def _pop_before(offset: int, pending: list[Swept]) -> Iterator[Swept]:
    while pending and pending[-1].at_offset < offset:
        yield pending.pop()


def _end_of_batch(
    batch: ArchivedBatch,
    events: list[RecordedEvent],
    times: list[int],
    first: int,
    batch_events: int,
    pending: Sequence[Swept],
) -> int:
    """Up to which index the events from ``first`` on belong to a batch; ``first`` if none does."""
    if batch.swept:
        return first
    end = min(len(events), first + batch_events - len(batch.events))
    if pending:
        end = bisect_right(events, pending[-1].at_offset, first, end, key=itemgetter(0))
    return first + _count_same_log_time(batch.archived_at, events[first:end], times[first:end])


def _count_same_log_time(archived_at: int, events: Sequence[RecordedEvent], times: Sequence[int]) -> int:
    """How many of the first events `LogClock` treats as if they had been archived at ``archived_at``: that depends on
    whether it believes their record times.
    """
    if times.count(archived_at) == len(times):
        return len(times)
    for count, (time, own) in enumerate(zip(all_storable_micros([event[1] for event in events]), times, strict=True)):
        if time is None:
            continue
        if (time <= archived_at + MICROS_OF_AN_HOUR) != (time <= own + MICROS_OF_AN_HOUR):
            return count
    return len(times)
