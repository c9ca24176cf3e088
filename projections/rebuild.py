"""Replaces the rows of a log by those that its archived events fold to, without the topic that they came from."""

from collections.abc import Callable
from functools import partial
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.postgres.log_registry import hold_archive
from eventlog.postgres.table_partitions import attach_partition, detached_partitions, ensure_partition
from projections.errors import ProjectionError
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.planner_statistics import analyze
from projections.projector import BATCH_EVENTS, retry_conflicts
from projections.scratch_fold import ScratchFold, may_fill_histories
from projections.table_differences import TableDifferences, repair_job_log
from projections.tracked_logs import (
    KEEP_CHECKPOINTS,
    LOCK_TIMEOUT,
    TrackedLog,
    block_projectors,
    lock_job,
    name_job,
    position_once_folded,
    reload_log,
)

_MOVE: Final = """
update projection.position set next_offset = %s, fold_version = %s, rebuilds = rebuilds + 1 where log_id = %s
"""
_LOST: Final = """
with missing as materialized (
  select g.first_offset, g.last_offset from pg_temp.gap g
  where not exists (
    select from projection.gap k
    where k.log_id = g.log_id and k.first_offset = g.first_offset and k.last_offset >= g.last_offset)
  union all
  select a.next_offset, %(position)s - 1
  from (select coalesce(max(e.log_offset) + 1, 0) as next_offset from eventlog.event e where e.log_id = %(log_id)s) a
  where a.next_offset < %(position)s
  order by 1),
lost as materialized (
  select e.log_offset
  from (select log_offset from projection.checkpoint_event where log_id = %(log_id)s
        union all select log_offset from projection.message_event where log_id = %(log_id)s
        union all select log_offset from projection.quarantine where log_id = %(log_id)s) e
  where exists (select from missing) and not exists (
      select from eventlog.event a where a.log_id = %(log_id)s and a.log_offset = e.log_offset)
    and not exists (select from eventlog.observation o
                    where o.log_id = %(log_id)s and o.at_offset = e.log_offset and o.kind = 'swept')
  order by 1)
select h.first_offset, h.last_offset
from lost l join missing h on l.log_offset between h.first_offset and h.last_offset
where not exists (select from projection.gap k
                  where k.log_id = %(log_id)s and l.log_offset between k.first_offset and k.last_offset)
limit 1
"""
_PARTITIONS: Final = """
select substring(c.relname from '\\d+$')::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'eventlog.event'::regclass
"""


def rebuild_log(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    *,
    batch_events: int = BATCH_EVENTS,
    on_progress: Callable[[int], None] = lambda _: None,
) -> LogResult:
    """Fold a log's archived events again, and replace the rows that differ from the result.

    One transaction: readers see the old rows or the new ones. A follower may run meanwhile. It waits while the rows
    are compared and replaced, or all the time if the log has no rows, and then reads the log's state again. The log's
    end and its gaps stay as they were; the position becomes that of `position_once_folded`, which is the present one
    unless it was wrong.

    Raises:
        FoldVersionDiffers: other settings or a newer program folded the log.
        ProjectionError: the relations have events that the archive lacks, or rows still differed after the repair.
        psycopg.errors.LockNotAvailable: another session has been writing the log for 10 seconds.
        In each case, no rows were changed.
    """
    log.require_fold_at_most(settings)
    ensure_partitions(connection)
    make_fold = partial(ScratchFold, batch_events=batch_events, on_progress=on_progress)
    rebuilt = retry_conflicts(lambda: _rebuild(connection, log, settings, make_fold))
    analyze(connection, sum(table.missing + table.different for table in rebuilt.repaired))
    return rebuilt


def _rebuild(
    connection: Connection,
    log: TrackedLog,
    settings: FoldSettings,
    make_fold: Callable[..., ScratchFold],
) -> LogResult:
    with connection.transaction():
        connection.execute(LOCK_TIMEOUT)
        hold_archive(connection, log.stream.stream_name)
        log = reload_log(connection, log)  # it may have been rebuilt since it was loaded
        fold = make_fold(connection, log, settings, fills_histories=_block_if_empty(connection, log))
        fold.advance(position_once_folded(connection, log))
        block_projectors(connection, [log])
        log = reload_log(connection, log)
        log.require_fold_at_most(settings)
        position = position_once_folded(connection, log)
        fold.advance(position)
        if not fold.filled:  # otherwise there was no row to lose, and the fold has filled the tables that are searched
            _require_archive(connection, log)
        repaired = TableDifferences(connection, log).repair(fold.filled)
        connection.execute(_MOVE, (position, settings.fold_version, log.log_id))
        lock_job(connection, log.stream)
        if not (job_log := repair_job_log(connection, log.log_id)).is_equal:
            repaired, log = (*repaired, job_log), reload_log(connection, log)
        if log.is_current:
            name_job(connection, log.stream)
        connection.execute(KEEP_CHECKPOINTS, (log.stream.suffix,))
    return LogResult(log.stream, log.incarnation, rebuilt=fold.events, repaired=repaired)


def _block_if_empty(connection: Connection, log: TrackedLog) -> bool:
    """Whether the fold can fill the histories; then the projectors of the log wait from now on."""
    if not may_fill_histories(connection, log.log_id):
        return False
    block_projectors(connection, [log])
    return may_fill_histories(connection, log.log_id)


def _require_archive(connection: Connection, log: TrackedLog) -> None:
    """Refuse to delete rows of events that the archive lost: nothing brings them back. Rows of sweeps have none."""
    values = {"log_id": log.log_id, "position": log.next_offset}
    missing = connection.execute(_LOST, values).fetchone()
    if missing is not None:
        name, (first, last) = log.stream.stream_name, missing
        raise ProjectionError(
            f"The archive of {name} lacks events of the offsets {first} to {last}, of which the relations have rows. A "
            "rebuild would delete them. Restore the schema eventlog from a backup or attach its detached partition "
            "again, or fetch them from a lake: `coordstream rebuild --from PATH`."
        )


def ensure_partitions(connection: Connection) -> None:
    """Create the partitions that the rows of archived events need, and attach those that were detached. Within a
    rebuild, that would block other streams until it ends.
    """
    detached = detached_partitions(connection, "projection", "checkpoint_event")
    for (first,) in connection.execute(_PARTITIONS).fetchall():
        if first in detached:
            attach_partition(connection, "projection", "checkpoint_event", first)
        else:
            ensure_partition(connection, "projection", "checkpoint_event", first)
