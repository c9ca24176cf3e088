"""Statistics for the query planner, which knows nothing of rows that were just written."""

from typing import Final

from eventlog.postgres.connection import Connection

MANY_ROWS: Final = 10_000

_ANALYZE: Final = """
analyze projection.event_key, projection.checkpoint_layout, projection.checkpoint_current, projection.message_current,
        projection.checkpoint_event (log_id, key_id, log_offset, record_time, layout_id),
        projection.message_event (log_id, key_id, log_offset, record_time),
        projection.checkpoint_envelope (log_id, log_offset), projection.log_time,
        eventlog.event (log_id, log_offset, record_time, key)
"""


def analyze(connection: Connection, written: int) -> None:
    """Collect statistics if at least `MANY_ROWS` were ``written``: the next queries would be planned without them."""
    if written >= MANY_ROWS:
        with connection.transaction():
            connection.execute("set local default_statistics_target = 10")  # a tenth of the pages to read
            connection.execute(_ANALYZE)
