"""Selects the events that a log needs below its horizon: the state there is folded from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.postgres.table_partitions import PARTITION_OFFSETS
from projections.tracked_logs import TrackedLog

_TEMPORARY: Final = """
create temporary table retained_log (log_id integer primary key, horizon_offset bigint not null) on commit drop;
create temporary table base_event (log_id integer, log_offset bigint, primary key (log_id, log_offset)) on commit drop;
create temporary table newest_event                -- of each key of one log, up to its horizon
  (key_id integer, log_offset bigint, is_delete boolean) on commit drop
"""
_HORIZON: Final = """
select greatest(c.log_offset, h.horizon_offset), greatest(%(time)s, h.horizon_time)
from (select max(e.log_offset) as log_offset from projection.log_cut(%(log_id)s, %(time)s) c, eventlog.event e
      where e.log_id = %(log_id)s and e.log_offset <= least(c.cut, %(next_offset)s - 1)) c
left join projection.log_horizon h on h.log_id = %(log_id)s
"""
_INSERT_HORIZON: Final = "insert into pg_temp.retained_log (log_id, horizon_offset) values (%s, %s)"
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
  union select %(last)s                             -- the last event of the state, and the one after it
  union select min(e.log_offset) from eventlog.event e where e.log_id = %(log_id)s and e.log_offset > %(last)s) b
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


def select_retained(
    connection: Connection, logs: Sequence[TrackedLog], horizon: datetime
) -> tuple[RetainedEvents, ...]:
    """Select what the logs keep if nothing is asked about times before ``horizon``.

    Logs that need all of their events are left out. The temporary tables that `ArchiveReplacement` reads are created;
    they last until the caller's transaction ends.
    """
    connection.execute(_TEMPORARY)
    selected = (_select(connection, log, horizon) for log in logs if log.is_complete)
    return tuple(retained for retained in selected if retained is not None)


def _select(connection: Connection, log: TrackedLog, horizon: datetime) -> RetainedEvents | None:
    values = {"log_id": log.log_id, "time": horizon, "next_offset": log.next_offset}
    last, time = connection.execute(_HORIZON, values).fetchone() or (None, horizon)
    if last is None:
        return None
    _insert_base(connection, log.log_id, last)
    width = PARTITION_OFFSETS
    removed = connection.execute(_REMOVED, {"log_id": log.log_id, "last": last, "width": width}).fetchall()
    if not removed:
        return None
    connection.execute(_INSERT_HORIZON, (log.log_id, last))
    base = tuple(offset for (offset,) in connection.execute(_BASE, (log.log_id,)).fetchall())
    partitions, events, sizes = zip(*removed, strict=True)
    return RetainedEvents(log, last, time, base, sum(events), int(sum(sizes)), frozenset(partitions))


def _insert_base(connection: Connection, log_id: int, horizon: int) -> None:
    """Insert what is set at the horizon, and the deletes without which more would be."""
    values = {"log_id": log_id, "last": horizon}
    connection.execute("truncate pg_temp.newest_event")
    connection.execute(_INSERT_NEWEST, values)
    connection.execute(_INSERT_BASE, values)
    while _insert_later_events(connection, values):
        pass
    connection.execute("analyze pg_temp.base_event")  # without statistics, each event is compared with the whole table


def _insert_later_events(connection: Connection, values: Mapping[str, int]) -> int:
    """Insert what later events did to those inserted so far, and return how many events were added.

    The offset of a sweep is that of another key's event, to which later events may have done something, too.
    """
    return sum(connection.execute(query, values).rowcount for query in (_INSERT_RESOLVERS, _INSERT_DELETES))
