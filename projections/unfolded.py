"""Logs that the archive has and the projection has lost: known again, and marked as to be rebuilt."""

from collections.abc import Collection
from itertools import groupby
from typing import Final

from eventlog.archive import archive_end
from eventlog.connection import Connection
from eventlog.log_registry import StoredLog
from eventlog.partitions import ensure_partition
from projections.fold.settings import NOT_FOLDED
from projections.registry import insert_position

_BACKENDS: Final = ("kafka", "postgres", "recording")
_UNKNOWN: Final = """
select l.log_id, l.backend, l.stream_name, l.stream_kind, l.incarnation, l.cluster_id, l.topic_id
from eventlog.log l
where l.backend = any(%s) and not exists (select from projection.job_log j where j.log_id = l.log_id)
order by l.stream_name, l.incarnation
"""
_MARK: Final = "update projection.position set state = 'stopped', end_offset = %s where log_id = %s"
_PARTITIONS: Final = """
select substring(c.relname from '\\d+$')::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'eventlog.event'::regclass
"""


def track_unfolded(connection: Connection, backends: Collection[str] = _BACKENDS) -> list[str]:
    """Mark the logs that the projection does not know as to be rebuilt, and name their streams.

    Of each stream the newest incarnation is shown, as if it had been read to its end.
    """
    with connection.transaction():
        unknown = [StoredLog(*row) for row in connection.execute(_UNKNOWN, (list(backends),)).fetchall()]
        for _, incarnations in groupby(unknown, key=lambda log: log.stream_name):
            *older, newest = incarnations
            for log in (*older, newest):
                insert_position(connection, log, NOT_FOLDED, is_current=log is newest, is_complete=True)
                connection.execute(_MARK, (archive_end(connection, log.log_id), log.log_id))
        for (first,) in connection.execute(_PARTITIONS).fetchall():  # now, since folding holds what it makes for long
            ensure_partition(connection, "projection", "checkpoint_event", first)
    return sorted({log.stream_name for log in unknown})
