"""What follows when many rows were written: statistics for the query planner, and a wait for the disk."""

from typing import Final

from eventlog.postgres.connection import Connection
from projections.relations import CURRENT_TABLES

MANY_ROWS: Final = 1_000
_ANALYZE: Final = f"""
analyze (skip_locked) eventlog.log, projection.job_log, projection.event_key, projection.checkpoint_layout,
        {", ".join(f"projection.{table}" for table in CURRENT_TABLES)},
        projection.checkpoint_event (log_id, key_id, log_offset, record_time, layout_id),
        projection.message_event (log_id, key_id, log_offset, record_time),
        projection.checkpoint_envelope (log_id, log_offset), projection.log_time,
        eventlog.event (log_id, log_offset, record_time)
"""
_WRITE_WAL: Final = "select pg_logical_emit_message(true, 'coordstream', '')"


def analyze(connection: Connection, written: int) -> None:
    """Collect statistics if at least `MANY_ROWS` were ``written``: the next queries would be planned without them.

    Autovacuum does it later, but never for the few rows of ``job_log``, without which a join takes minutes.
    """
    if written >= MANY_ROWS:
        with connection.transaction():
            connection.execute("set local default_statistics_target = 10")  # a tenth of the pages to read
            connection.execute(_ANALYZE.encode())


def finish_imports(connection: Connection, added: int) -> None:
    """After all imports, of other sessions too: collect the planner's statistics, and wait for the disk."""
    analyze(connection, added)
    connection.execute(_WRITE_WAL)  # a commit that wrote WAL waits for all WAL before it
