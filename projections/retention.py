"""Detaches the events that neither the state nor what was true since the horizon needs."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from psycopg import sql

from eventlog.postgres.archive import ArchivedEvents, read_archived, read_archived_at
from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold, hold_archive, stream_identities
from eventlog.postgres.table_partitions import PARTITION_OFFSETS, ArchiveReplacement, next_retention_number
from projections.errors import ProjectionError
from projections.fold.settings import FoldSettings
from projections.relations import CURRENT_TABLES, FOLDED_TABLES, LOG_TABLES
from projections.scratch_fold import ReadArchived, ScratchFold
from projections.tracked_logs import LOCK_TIMEOUT, TrackedLog, block_projectors, reload_log
from projections.verify import verify_log

_TEMPORARY: Final = """
create temporary table retained_log (log_id integer primary key, horizon_offset bigint not null) on commit drop;
create temporary table base_event (log_id integer, log_offset bigint, primary key (log_id, log_offset)) on commit drop;
create temporary table newest_event                -- of each key of one log, up to its horizon
  (key_id integer, log_offset bigint, is_delete boolean) on commit drop
"""
_LAST_BEFORE: Final = """
select greatest(c.log_offset, h.horizon_offset), greatest(%(time)s, h.horizon_time)
from (select max(e.log_offset) as log_offset from projection.log_cut(%(log_id)s, %(time)s) c, eventlog.event e
      where e.log_id = %(log_id)s and e.log_offset <= least(c.cut, %(next_offset)s - 1)) c
left join projection.log_horizon h on h.log_id = %(log_id)s
"""
_INSERT_RETAINED: Final = "insert into pg_temp.retained_log (log_id, horizon_offset) values (%s, %s)"
_INSERT_NEWEST: Final = """
insert into pg_temp.newest_event (key_id, log_offset, is_delete)
select k.key_id, h.log_offset, h.body is null
from projection.event_key k
cross join lateral (
  select m.log_offset, m.body from projection.message_event m
  where m.log_id = k.log_id and m.key_id = k.key_id and m.log_offset <= %(last)s order by m.log_offset desc limit 1) h
where k.log_id = %(log_id)s
union all
select k.key_id, h.log_offset, h.layout_id is null
from projection.event_key k
cross join lateral (
  select c.log_offset, c.layout_id from projection.checkpoint_event c
  where c.log_id = k.log_id and c.key_id = k.key_id and c.log_offset <= %(last)s order by c.log_offset desc limit 1) h
where k.log_id = %(log_id)s
"""
_INSERT_BASE: Final = """
insert into pg_temp.base_event (log_id, log_offset)
select %(log_id)s, b.log_offset from (
  select n.log_offset from pg_temp.newest_event n where not n.is_delete
  union
  select q.log_offset from projection.quarantine q
  where q.log_id = %(log_id)s and q.log_offset <= %(last)s and coalesce(q.resolved_by > %(last)s, true)
  union                                            -- the event whose record time is the log's time
  (select e.log_offset from projection.log_time_at(%(log_id)s, %(last)s) t, eventlog.event e
   where e.log_id = %(log_id)s and e.log_offset <= %(last)s and e.record_time = t.at
     and e.record_time <= e.archived_at + interval '1 hour'
     and e.log_offset >= coalesce((select max(s.log_offset) from projection.log_time s
                                   where s.log_id = %(log_id)s and s.log_offset <= %(last)s and s.log_time < t.at), 0)
   order by e.log_offset limit 1)
  union select min(e.log_offset) from eventlog.event e where e.log_id = %(log_id)s
  union select %(last)s) b                         -- the last event of the state
where b.log_offset <= %(last)s
on conflict do nothing
"""
_INSERT_RESOLVERS: Final = """
insert into pg_temp.base_event (log_id, log_offset)
select distinct q.log_id, q.resolved_by
from pg_temp.base_event b join projection.quarantine q on q.log_id = b.log_id and q.log_offset = b.log_offset
where b.log_id = %(log_id)s and q.resolved_by <= %(last)s
on conflict do nothing
"""
_INSERT_DELETES: Final = """
insert into pg_temp.base_event (log_id, log_offset)
select distinct %(log_id)s, n.log_offset
from pg_temp.newest_event n
where n.is_delete and exists (
  select from (
    select m.log_offset from projection.message_event m
    where m.log_id = %(log_id)s and m.key_id = n.key_id and m.log_offset < n.log_offset
    union all
    select c.log_offset from projection.checkpoint_event c
    where c.log_id = %(log_id)s and c.key_id = n.key_id and c.log_offset < n.log_offset) e
  join pg_temp.base_event b on b.log_id = %(log_id)s and b.log_offset = e.log_offset)
on conflict do nothing
"""
_REMOVED: Final = """
select e.log_offset / %(width)s * %(width)s, count(*),
  sum(60 + coalesce(pg_column_size(e.key), 0) + coalesce(pg_column_size(e.value), 0)  -- 60: all other columns
      + coalesce(pg_column_size(e.headers), 0))
from eventlog.event e
where e.log_id = %(log_id)s and e.log_offset <= %(last)s
  and not exists (select from pg_temp.base_event b where b.log_id = e.log_id and b.log_offset = e.log_offset)
group by 1
"""
_BASE: Final = "select log_offset from pg_temp.base_event where log_id = %s order by log_offset"
_NEWEST_TIME: Final = """
select max(t.at) from projection.position p cross join lateral projection.log_time_at(p.log_id, p.next_offset - 1) t
"""
_LOCK_ARCHIVE: Final = "lock table eventlog.event in share row exclusive mode"
_NEWEST: Final = """
select k.key_sha256, m.log_offset, m.body, c.checkpoint_id, c.offsets, c.offsets_odd
from {0}.event_key k
left join (select distinct on (e.key_id) e.* from {0}.message_event e
           where e.log_id = %(log_id)s order by e.key_id, e.log_offset desc) m on m.key_id = k.key_id
left join (select distinct on (e.key_id) e.* from {0}.checkpoint_event e
           where e.log_id = %(log_id)s order by e.key_id, e.log_offset desc) c on c.key_id = k.key_id
where k.log_id = %(log_id)s and (m.body is not null or c.layout_id is not null)
"""
_DIFFERS: Final = "with stored as ({}), folded as ({}) {}".format(
    _NEWEST.format("projection"),
    _NEWEST.format("pg_temp"),
    "select exists (select from ((table stored except table folded) union all (table folded except table stored)) d)",
)
_DELETE: Final = sql.SQL("delete from projection.{} where log_id = %s")
_INSERT: Final = sql.SQL("insert into projection.{} select * from pg_temp.{} where log_id = %s")
_INSERT_CURRENT: Final = sql.SQL("insert into projection.{} select * from projection.{}(%s)")
_COUNT_REBUILDS: Final = "update projection.position set rebuilds = rebuilds + 1 where log_id = any(%s)"
_INSERT_HORIZON: Final = """
insert into eventlog.horizon (log_id, retention_number, horizon_offset, horizon_time) values (%s, %s, %s, %s)
"""


@dataclass(frozen=True)
class RetainedEvents:
    """What a log keeps: the events at the offsets of ``base``, and every event after ``horizon_offset``.

    The state is known from ``horizon_time`` on. That of an earlier retention may be later than the requested one.
    ``removed_events`` others, of ``removed_bytes`` (as stored) in the archive's ``partitions``, are not needed.
    """

    log: TrackedLog
    horizon_offset: int
    horizon_time: datetime
    base: tuple[int, ...]
    removed_events: int
    removed_bytes: int
    partitions: frozenset[int]


Check = Callable[[Connection, RetainedEvents], None]
OnProgress = Callable[[int], None]


@dataclass(frozen=True)
class Retention:
    """What a retention did, or would do: the logs that lose events, and the names of the detached tables."""

    logs: tuple[RetainedEvents, ...]
    detached_tables: tuple[str, ...] = ()


def horizon_before(connection: Connection, keep: timedelta) -> datetime | None:
    """The time that is ``keep`` before the newest event of the database, whatever the clock says; None: it has none."""
    (newest,) = connection.execute(_NEWEST_TIME).fetchone() or (None,)
    return None if newest is None else newest - keep


def plan_retention(
    connection: Connection, logs: Sequence[TrackedLog], settings: FoldSettings, horizon: datetime
) -> Retention:
    """Return what `retain` would do, without verifying the rows. Changes and blocks nothing. Raises as `retain`."""
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
        FoldVersionDiffers, RebuildNeeded: the rows of a log are another version's, or it has none.
        ProjectionError: the rows of a log are not what its events fold to.
        psycopg.errors.LockNotAvailable: another session was using the archive for 10 seconds.
        In each case, nothing was changed.
    """
    for each in plan_retention(connection, logs, settings, horizon).logs:
        if not verify_log(connection, each.log, settings, on_progress=on_progress).is_equal:
            raise _rows_differ(each.log)  # which events a state needs is selected by the rows
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


def select_retained(
    connection: Connection, logs: Sequence[TrackedLog], horizon: datetime
) -> tuple[RetainedEvents, ...]:
    """Select what the logs keep if nothing is asked about times before ``horizon``. Logs that need all of their events
    are left out. Creates the temporary tables that `ArchiveReplacement` reads, until the transaction ends.
    """
    connection.execute(_TEMPORARY)
    selected = (_select(connection, log, horizon) for log in logs if log.is_complete)
    return tuple(retained for retained in selected if retained is not None)


def _select(connection: Connection, log: TrackedLog, horizon: datetime) -> RetainedEvents | None:
    values = {"log_id": log.log_id, "time": horizon, "next_offset": log.next_offset}
    last, time = connection.execute(_LAST_BEFORE, values).fetchone() or (None, horizon)
    if last is None:
        return None
    _insert_base(connection, log.log_id, last)
    width = PARTITION_OFFSETS
    removed = connection.execute(_REMOVED, {"log_id": log.log_id, "last": last, "width": width}).fetchall()
    if not removed:
        return None
    connection.execute(_INSERT_RETAINED, (log.log_id, last))
    base = tuple(offset for (offset,) in connection.execute(_BASE, (log.log_id,)).fetchall())
    partitions, events, sizes = zip(*removed, strict=True)
    return RetainedEvents(log, last, time, base, sum(events), int(sum(sizes)), frozenset(partitions))


def _insert_base(connection: Connection, log_id: int, horizon: int) -> None:
    """Insert what is set at the horizon, what later events did to it, and the deletes without which more would be set.

    The offset of a sweep is that of another key's event, to which later events may have done something, too.
    """
    values = {"log_id": log_id, "last": horizon}
    connection.execute("truncate pg_temp.newest_event")
    connection.execute(_INSERT_NEWEST, values)
    connection.execute(_INSERT_BASE, values)
    while sum(connection.execute(query, values).rowcount for query in (_INSERT_RESOLVERS, _INSERT_DELETES)):
        pass
    connection.execute("analyze pg_temp.base_event")  # without statistics, each event is compared with the whole table


def _rows_differ(log: TrackedLog) -> ProjectionError:
    return ProjectionError(
        f"The rows of {log.stream.stream_name} differ from its archived events, so nothing was detached. "
        "Run `coordstream rebuild --all`, and try again."
    )


def _hold_archive(connection: Connection) -> None:
    """Wait for other retentions, and for sessions that add earlier events to a log: the copies would lack these."""
    hold(connection, "retention")
    for stream in stream_identities(connection):
        hold_archive(connection, stream.stream_name)


def _replace(
    connection: Connection, selected: Sequence[RetainedEvents], settings: FoldSettings, on_progress: OnProgress
) -> tuple[str, ...]:
    replacement = ArchiveReplacement(connection, frozenset[int]().union(*(each.partitions for each in selected)))
    folds = [
        ScratchFold(connection, each.log, settings, on_progress=on_progress, read=_reader(each), is_shared=True)
        for each in selected
    ]
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
    for each in selected:
        connection.execute(_INSERT_HORIZON, (each.log.log_id, number, each.horizon_offset, each.horizon_time))
    return replacement.swap(number)


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
        raise _rows_differ(log)
    for table in map(sql.Identifier, LOG_TABLES):
        connection.execute(_DELETE.format(table), (log.log_id,))
    for table in map(sql.Identifier, FOLDED_TABLES):
        connection.execute(_INSERT.format(table, table), (log.log_id,))
    for name in CURRENT_TABLES:
        insert = _INSERT_CURRENT.format(sql.Identifier(name), sql.Identifier(f"{name}_now"))
        connection.execute(insert, (log.log_id,))
