"""Detaches the events that neither the state nor what was true since the horizon needs."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from psycopg import sql

from eventlog.postgres.archive import ArchivedEvents, read_archived, read_archived_at
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold, hold_archive
from eventlog.postgres.table_partitions import ArchiveReplacement, next_retention_number
from projections.errors import RowsDiffer
from projections.fold.settings import FoldSettings
from projections.retained_events import RetainedEvents, select_retained
from projections.scratch_fold import ReadArchived, ScratchFold, log_tables
from projections.tracked_logs import LOCK_TIMEOUT, TrackedLog, block_projectors, reload_log
from projections.verify import verify_log

_NEWEST_TIME: Final = """
select max(t.at) from projection.position p cross join lateral projection.log_time_at(p.log_id, p.next_offset - 1) t
"""
_STREAMS: Final = "select distinct l.stream_name from eventlog.log l order by 1"
_LOCK_ARCHIVE: Final = "lock table eventlog.event in share row exclusive mode"
_DIFFERS: Final = """
select exists (
  (select k.key_sha256, c.log_offset, c.body from projection.message_current c
   join projection.event_key k using (log_id, key_id) where c.log_id = %(log_id)s)
  except
  (select k.key_sha256, c.log_offset, c.body from pg_temp.message_current c
   join pg_temp.event_key k using (log_id, key_id) where c.log_id = %(log_id)s))
or exists (
  (select k.key_sha256, c.log_offset, c.checkpoint_id, c.offsets, c.offsets_odd from projection.checkpoint_current c
   join projection.event_key k using (log_id, key_id) where c.log_id = %(log_id)s)
  except
  (select k.key_sha256, c.log_offset, c.checkpoint_id, c.offsets, c.offsets_odd from pg_temp.checkpoint_current c
   join pg_temp.event_key k using (log_id, key_id) where c.log_id = %(log_id)s))
or (select count(*) from projection.message_current where log_id = %(log_id)s)
   <> (select count(*) from pg_temp.message_current where log_id = %(log_id)s)
or (select count(*) from projection.checkpoint_current where log_id = %(log_id)s)
   <> (select count(*) from pg_temp.checkpoint_current where log_id = %(log_id)s)
"""
_DELETE: Final = sql.SQL("delete from projection.{} where log_id = %s")
_INSERT: Final = sql.SQL("insert into projection.{} select * from pg_temp.{} where log_id = %s")
_COUNT_REBUILDS: Final = "update projection.position set rebuilds = rebuilds + 1 where log_id = any(%s)"
_INSERT_HORIZON: Final = """
insert into eventlog.horizon (log_id, retention_number, horizon_offset, horizon_time) values (%s, %s, %s, %s)
"""


Check = Callable[[Connection, RetainedEvents], None]
OnProgress = Callable[[int], None]


@dataclass(frozen=True)
class Retention:
    """What a retention did, or would do: the logs that lose events, and the names of the detached tables."""

    logs: tuple[RetainedEvents, ...]
    detached_tables: tuple[str, ...] = ()


def horizon_before(connection: Connection, keep: timedelta) -> datetime | None:
    """The time that is ``keep`` before the newest event of the database; None if it has no event.

    It depends on the archive only: with a wrong clock nothing is lost, and a stopped installation keeps what it has.
    """
    (newest,) = connection.execute(_NEWEST_TIME).fetchone() or (None,)
    return None if newest is None else newest - keep


def plan_retention(
    connection: Connection, logs: Sequence[TrackedLog], settings: FoldSettings, horizon: datetime
) -> Retention:
    """Return what `retain` would do. It does not verify the rows. Changes and blocks nothing.

    Raises:
        FoldVersionDiffers, NothingFolded: the rows of a log are another version's, or it has none.
    """
    for log in logs:
        log.require_fold_version(settings)
    with connection.transaction(force_rollback=True):
        return Retention(select_retained(connection, logs, horizon))


def retain(
    connection: Connection,
    logs: Sequence[TrackedLog],
    settings: FoldSettings,
    horizon: datetime,
    *,
    check: Check = lambda _, __: None,
    on_progress: OnProgress = lambda _: None,
) -> Retention:
    """Replace each partition of the archive by its retained events, and the histories by what these fold to.

    The logs that lose events are verified first. The rest is one transaction. It copies and folds without locks. Then
    projectors of these logs wait while the histories are rewritten, and at last all writers of the archive and, while
    the partitions are swapped, its readers. Followers may run meanwhile. The replaced partitions stay in the schema
    ``eventlog``, detached and complete. ``check`` is called for each log that loses events; an error of its ends the
    retention. ``on_progress`` gets the number of events of each batch that is verified or folded.

    Raises:
        FoldVersionDiffers, NothingFolded: the rows of a log are another version's, or it has none.
        RowsDiffer: the rows of a log are not what its events fold to.
        psycopg.errors.LockNotAvailable: another session was using the archive for 10 seconds.
        In each case, nothing was changed.
    """
    for each in plan_retention(connection, logs, settings, horizon).logs:
        _require_equal_rows(connection, each.log, settings, on_progress)
    with connection.transaction():
        connection.execute(LOCK_TIMEOUT)
        _hold_archive(connection)
        logs = [reload_log(connection, log) for log in logs]  # they may have been rebuilt, or marked for a rebuild
        for log in logs:
            log.require_fold_version(settings)
        selected = select_retained(connection, logs, horizon)
        for each in selected:
            check(connection, each)
        if not selected:
            return Retention(())
        return Retention(selected, _replace(connection, selected, settings, on_progress))


def _require_equal_rows(
    connection: Connection, log: TrackedLog, settings: FoldSettings, on_progress: OnProgress
) -> None:
    """Raise RowsDiffer if verify finds a difference: which events a state needs is selected by the rows."""
    if not verify_log(connection, log, settings, on_progress=on_progress).is_equal:
        raise RowsDiffer(log.stream.stream_name)


def _hold_archive(connection: Connection) -> None:
    """Wait for other retentions, and for sessions that add earlier events to a log: the copies would lack these."""
    hold(connection, "retention")
    for (stream_name,) in connection.execute(_STREAMS).fetchall():
        hold_archive(connection, stream_name)


def _replace(
    connection: Connection,
    selected: Sequence[RetainedEvents],
    settings: FoldSettings,
    on_progress: OnProgress,
) -> tuple[str, ...]:
    replacement = ArchiveReplacement(connection, frozenset[int]().union(*(each.partitions for each in selected)))
    folds = list(_folds(connection, selected, settings, on_progress))
    for each, fold in zip(selected, folds, strict=True):
        fold.advance(each.log.next_offset)
    replacement.copy()
    block_projectors(connection, [each.log for each in selected])
    for each, fold in zip(selected, folds, strict=True):
        fold.advance(reload_log(connection, each.log).next_offset)
        _replace_rows(connection, each.log)
    replacement.copy()
    connection.execute(_COUNT_REBUILDS, ([each.log.log_id for each in selected],))
    connection.execute(_LOCK_ARCHIVE)
    replacement.copy()
    number = next_retention_number(connection)
    _set_horizon(connection, selected, number)
    return replacement.swap(number)


def _folds(
    connection: Connection,
    selected: Iterable[RetainedEvents],
    settings: FoldSettings,
    on_progress: OnProgress,
) -> Iterator[ScratchFold]:
    for each in selected:
        yield ScratchFold(connection, each.log, settings, on_progress=on_progress, read=_reader(each), is_shared=True)


def _reader(retained: RetainedEvents) -> ReadArchived:
    base, beyond = retained.base, retained.horizon_offset + 1

    def read(connection: Connection, log_id: int, first: int, until: int) -> Iterable[ArchivedEvents]:
        below = base[bisect_left(base, first) : bisect_left(base, until)]
        return chain(
            read_archived_at(connection, log_id, below), read_archived(connection, log_id, max(first, beyond), until)
        )

    return read


def _replace_rows(connection: Connection, log: TrackedLog) -> None:
    """Replace a log's rows by the folded ones, if both have the same current rows, apart from the numbers of keys."""
    (differs,) = connection.execute(_DIFFERS, {"log_id": log.log_id}).fetchone() or (True,)
    if differs:
        raise RowsDiffer(log.stream.stream_name)
    for table in map(sql.Identifier, log_tables()):
        connection.execute(_DELETE.format(table), (log.log_id,))
        connection.execute(_INSERT.format(table, table), (log.log_id,))


def _set_horizon(connection: Connection, selected: Iterable[RetainedEvents], number: int) -> None:
    for each in selected:
        values = (each.log.log_id, number, each.horizon_offset, each.horizon_time)
        connection.execute(_INSERT_HORIZON, values)
