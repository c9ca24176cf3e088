"""Rebuilds a log's rows from the archive and the observations, without the topic that they came from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final, NamedTuple

from psycopg import sql
from psycopg.pq import TransactionStatus

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import archive_end, read_archived
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import StoredLog
from eventlog.postgres.table_partitions import ensure_partition
from eventlog.timestamps import MICROS_OF_AN_HOUR, micros_of, storable_micros
from projections.current_rows import forget_merged
from projections.errors import PositionMoved
from projections.fold.rows import Swept
from projections.fold.settings import NOT_FOLDED, FoldSettings
from projections.observations import read_observations
from projections.projector import BATCH_EVENTS, Projector
from projections.tracked_logs import TrackedLog, insert_position, position_once_folded

_KEPT_TABLES: Final = frozenset({"job_log", "position"})
_LOCK_POSITION: Final = """
select end_offset, heartbeat_at, read_at from projection.position
where log_id = %s and next_offset = %s for update
"""
_REWIND: Final = "update projection.position set next_offset = 0, fold_version = %s where log_id = %s"
_DELETE: Final = sql.SQL("delete from {} where log_id = %s")
_RESTORE_POSITION: Final = """
update projection.position set next_offset = %s, end_offset = %s, heartbeat_at = %s, read_at = %s where log_id = %s
"""
_BACKENDS: Final = ("kafka", "postgres", "recording")
_UNTRACKED: Final = """
select l.log_id, l.backend, l.stream_name, l.stream_kind, l.incarnation, l.cluster_id, l.topic_id
from eventlog.log l
where l.backend = any(%s) and not exists (select from projection.job_log j where j.log_id = l.log_id)
order by l.stream_name, l.incarnation
"""
_STOP: Final = "update projection.position set state = 'stopped', end_offset = %s where log_id = %s"
_PARTITIONS: Final = """
select substring(c.relname from '\\d+$')::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'eventlog.event'::regclass
"""


class ArchivedBatch(NamedTuple):
    """Events to fold together, and the keys that were swept after the last of them.

    They were archived at ``archived_at``, or at times that lead to the same log time.
    """

    archived_at: datetime
    events: list[RecordedEvent]
    swept: list[Swept]


def rebuild_log(
    connection: Connection, log: TrackedLog, settings: FoldSettings, *, batch_events: int = BATCH_EVENTS
) -> int:
    """Delete a log's rows, fold its events up to the position again, and return the number of events.

    Everything is one transaction, so readers see the old rows until the new ones are complete. The caller holds the
    stream's lock. Position, end and times stay as they were, except that a position beyond the end of a Postgres log
    moves back to that end.

    Raises:
        PositionMoved: another projector has applied events of this log since it was looked up; nothing was changed.
        FoldVersionDiffers: other settings or a newer program folded it; nothing was changed.
    """
    log.require_fold_at_most(settings)
    with connection.transaction():
        end_and_times = _lock_position(connection, log)
        _delete_rows(connection, log.log_id)
        connection.execute(_REWIND, (settings.fold_version, log.log_id))
        rewound = replace(log, next_offset=0, fold_version=settings.fold_version)
        position = position_once_folded(connection, log)
        events = replay_archive(connection, rewound, settings, until=position, batch_events=batch_events)
        connection.execute(_RESTORE_POSITION, (position, *end_and_times, log.log_id))
    return events


def replay_archive(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    *,
    until: int = 2**63 - 1,
    batch_events: int = BATCH_EVENTS,
) -> int:
    """Fold a log that has no rows except its position, and return the number of its events.

    The rows are then those of a projector that followed the log while it grew to offset ``until`` (exclusive). Each
    batch is a transaction of its own, or part of the caller's.

    Raises:
        PositionMoved: another projector is writing the log's rows.
    """
    events = 0
    archived_at = datetime.fromtimestamp(0, UTC)  # not read before the first batch sets it
    projector = Projector(connection, log, settings, lambda: archived_at, archives=False)
    archived = read_archived(connection, log.log_id, until=until)
    for batch in archived_batches(archived, recorded_sweeps(connection, log.log_id), batch_events):
        archived_at = batch.archived_at
        projector.apply(batch.events, swept=batch.swept)
        if connection.info.transaction_status is TransactionStatus.INTRANS:
            forget_merged(connection)
        if batch.swept and projector.next_offset <= batch.swept[-1].at_offset:
            projector.pass_to(batch.swept[-1].at_offset + 1)
        events += len(batch.events)
    return events


def recorded_sweeps(connection: Connection, log_id: int) -> list[Swept]:
    """Return the keys that were swept from a log, in offset order."""
    observations = read_observations(connection, log_id)
    return [Swept(at, key) for at, kind, key, *_ in observations if kind == "swept" and key is not None]


def archived_batches(
    archived: Iterable[tuple[RecordedEvent, datetime]], sweeps: Sequence[Swept], batch_events: int
) -> Iterator[ArchivedBatch]:
    """Split a log's events, each with its archiving time, into batches of at most ``batch_events``.

    A batch also ends at a sweep. ``sweeps`` are in offset order, none before the first event.
    """
    batch: ArchivedBatch | None = None
    pending = list(reversed(sweeps))
    for event, archived_at in archived:
        if batch is not None:
            batch.swept.extend(_pop_before(event.offset, pending))
            full = len(batch.events) >= batch_events
            if batch.swept or full or not _same_log_time(event, archived_at, batch.archived_at):
                yield batch
                batch = None
        batch = batch or ArchivedBatch(archived_at, [], [])
        batch.events.append(event)
    if batch is not None:
        batch.swept.extend(reversed(pending))
        yield batch


def mark_for_rebuild(connection: Connection, backends: Collection[str] = _BACKENDS) -> list[str]:
    """Track the archive's logs whose rows were lost, mark them as to be rebuilt, and return their streams' names.

    Readers see the newest incarnation of each stream, as if it had been read to its end.
    """
    with connection.transaction():
        untracked = [StoredLog(*row) for row in connection.execute(_UNTRACKED, (list(backends),)).fetchall()]
        for _, incarnations in groupby(untracked, key=lambda log: log.stream_name):
            *older, newest = incarnations
            for log in (*older, newest):
                insert_position(connection, log, NOT_FOLDED, is_current=log is newest, is_complete=True)
                connection.execute(_STOP, (archive_end(connection, log.log_id), log.log_id))
        # Make partitions now: a rebuild would hold the locks of those it makes until it ends.
        for (first,) in connection.execute(_PARTITIONS).fetchall():
            ensure_partition(connection, "projection", "checkpoint_event", first)
    return sorted({log.stream_name for log in untracked})


def _lock_position(connection: Connection, log: TrackedLog) -> tuple[Any, ...]:
    """Block other projectors of the log; return what its position holds beside the offset."""
    locked = connection.execute(_LOCK_POSITION, (log.log_id, log.next_offset)).fetchone()
    if locked is None:
        raise PositionMoved(log.stream.stream_name, log.next_offset)
    return locked


def _delete_rows(connection: Connection, log_id: int) -> None:
    from projections.tables import metadata  # noqa: PLC0415 (avoids loading SQLAlchemy where nothing is rebuilt)

    for table in metadata.sorted_tables:
        if "log_id" in table.columns and table.name not in _KEPT_TABLES:
            connection.execute(_DELETE.format(sql.Identifier("projection", table.name)), (log_id,))


def _pop_before(offset: int, pending: list[Swept]) -> Iterator[Swept]:
    while pending and pending[-1].at_offset < offset:
        yield pending.pop()


def _same_log_time(event: RecordedEvent, archived_at: datetime, other: datetime) -> bool:
    """Whether `LogClock` treats the event's record time alike for both archiving times."""
    time = storable_micros(event.timestamp)
    return archived_at == other or time is None or _is_believed(time, archived_at) == _is_believed(time, other)


def _is_believed(time: int, archived_at: datetime) -> bool:
    return time <= micros_of(archived_at) + MICROS_OF_AN_HOUR
