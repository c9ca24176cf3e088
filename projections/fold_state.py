"""Reads the fold's memory of a log from its rows, so that a projector can continue after the last committed batch."""

from typing import Final

from eventlog.postgres.connection import Connection
from projections.fold.checkpoints import LayoutEntry
from projections.fold.keys import NO_TIME, NOT_STORABLE
from projections.fold.log_fold import BEFORE_THE_FIRST, STRIDE, LogFold
from projections.fold.rows import CheckpointRow
from projections.fold.settings import FoldSettings
from projections.tracked_logs import TrackedLog

_LAST_EVENT: Final = """
select l.log_offset, (extract(epoch from t.at - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint,
  (select count(*) from eventlog.event e
   where e.log_id = %(log_id)s and e.log_offset <= l.log_offset and e.log_offset >=
     (select max(r.log_offset) from projection.log_time r where r.log_id = %(log_id)s and r.log_offset <= l.log_offset))
from (select coalesce(max(e.log_offset), -1) as log_offset from eventlog.event e, projection.position p
      where e.log_id = %(log_id)s and p.log_id = %(log_id)s and e.log_offset < p.next_offset) l
left join lateral projection.log_time_at(%(log_id)s, l.log_offset) t on true
"""
"""The offset of the last folded event (a Postgres log may have later ones), the log's time there, and the number of
events from the newest row of ``log_time`` to there.
"""

_NEWEST_CHECKPOINTS: Final = """
select distinct on (k.message_key, k.grouper_factory, k.checkpoint_version)
    k.message_key, k.grouper_factory, k.checkpoint_version,
    e.log_offset, (extract(epoch from e.record_time - timestamptz '2000-01-01 00:00:00+00') * 1000000)::bigint,
    e.log_id, e.key_id, e.layout_id, null, convert_to(e.offsets, 'UTF8'), e.offsets_odd
from projection.event_key k
cross join lateral (
    select c.* from projection.checkpoint_event c
    where c.log_id = k.log_id and c.key_id = k.key_id
    order by c.log_offset desc limit 1) e
where k.log_id = %s and k.checkpoint_version is not null
order by k.message_key, k.grouper_factory, k.checkpoint_version, e.log_offset desc, e.layout_id is null desc
"""


def load_fold(connection: Connection, log: TrackedLog, settings: FoldSettings) -> LogFold:
    memory = connection.execute(_LAST_EVENT, {"log_id": log.log_id}).fetchone() or (BEFORE_THE_FIRST, None, 0)
    last_offset, log_time, events = memory
    fold = LogFold(log.log_id, log.stream.stream_kind, settings.secrets, log_time, last_offset, -events % STRIDE)
    for key_sha256, key_id in connection.execute(
        "select key_sha256, key_id from projection.event_key where log_id = %s", (log.log_id,), binary=True
    ):
        fold.keys.remember(bytes(key_sha256), key_id)
    for (key_id,) in connection.execute(
        "select distinct key_id from projection.quarantine"
        " where log_id = %s and resolved_by is null and key_id is not null",
        (log.log_id,),
    ):
        fold.keys.quarantined.add(key_id)
    _load_layouts(connection, log.log_id, fold)
    for task_name, grouper_factory, version, *columns in connection.execute(_NEWEST_CHECKPOINTS, (log.log_id,)):
        task, row = fold.keys.task(task_name, grouper_factory), CheckpointRow(*columns)
        stored_time = NOT_STORABLE if row.record_time is None else row.record_time
        task.newest[version] = row
        if version > 0:
            task.newest_times[version] = NO_TIME if row.layout_id is None else stored_time
    return fold


def _load_layouts(connection: Connection, log_id: int, fold: LogFold) -> None:
    for layout_id, *columns in connection.execute(
        "select layout_id, partition_id, key_bucket, is_state, system_name, stream_name, factory_name, store_name,"
        " marker_prefix, marker_suffix from projection.checkpoint_layout where log_id = %s",
        (log_id,),
    ):
        fold.layouts.remember(layout_id, tuple(map(LayoutEntry, *columns)))
