"""A log that is folded already, folded anew: in one transaction, so that readers see the old rows until all are new."""

from dataclasses import replace
from typing import Any, Final

from psycopg import sql

from eventlog.connection import Connection
from projections.errors import PositionMoved
from projections.fold.settings import FoldSettings
from projections.projector import BATCH_EVENTS
from projections.refold import refold
from projections.registry import RegisteredLog, position_once_folded

_KEPT_TABLES: Final = frozenset({"job_log", "position"})
_HOLD: Final = """
select end_offset, heartbeat_at, read_at from projection.position
where log_id = %s and next_offset = %s for update
"""
_REWIND: Final = "update projection.position set next_offset = 0, fold_version = %s where log_id = %s"
_DELETE: Final = sql.SQL("delete from {} where log_id = %s")
_RETURN: Final = """
update projection.position set next_offset = %s, end_offset = %s, heartbeat_at = %s, read_at = %s where log_id = %s
"""


def fold_anew(
    connection: Connection, log: RegisteredLog, settings: FoldSettings, *, batch_events: int = BATCH_EVENTS
) -> int:
    """Forget what was made of a log, fold its events below the position again, and give their number.

    The caller has the stream's lock. The position, and what was said of the log's end, stay; but a position beyond the
    end of a log that Postgres keeps goes back to the end.

    Raises:
        PositionMoved: another projector has taken events of this log since it was looked up; nothing was changed.
        FoldVersionDiffers: it was folded with other settings or by a newer program; nothing was changed.
    """
    log.require_fold_at_most(settings)
    with connection.transaction():
        facts = _hold(connection, log)
        _forget(connection, log.log_id)
        connection.execute(_REWIND, (settings.fold_version, log.log_id))
        begun = replace(log, next_offset=0, fold_version=settings.fold_version)
        position = position_once_folded(connection, log)
        events = refold(connection, begun, settings, until=position, batch_events=batch_events)
        connection.execute(_RETURN, (position, *facts, log.log_id))
    return events


def _hold(connection: Connection, log: RegisteredLog) -> tuple[Any, ...]:
    """Keep other projectors of the log out; what its position says of it beside the offset."""
    held = connection.execute(_HOLD, (log.log_id, log.next_offset)).fetchone()
    if held is None:
        raise PositionMoved(log.stream.stream_name, log.next_offset)
    return held


def _forget(connection: Connection, log_id: int) -> None:
    from projections.tables import metadata  # noqa: PLC0415 (loads SQLAlchemy, for whoever only asks what may be folded)

    for table in metadata.sorted_tables:
        if "log_id" in table.columns and table.name not in _KEPT_TABLES:
            connection.execute(_DELETE.format(sql.Identifier("projection", table.name)), (log_id,))
