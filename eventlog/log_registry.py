"""Rows of ``eventlog.log``: which logs there are, each incarnation of a stream its own."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from eventlog.connection import Connection
from eventlog.streams import StreamKind

_INSERT: Final = """
insert into eventlog.log (backend, stream_name, stream_kind, incarnation, created_at) values (%s, %s, %s, %s, %s)
returning log_id
"""
_NEWEST: Final = """
select log_id, backend, stream_kind, incarnation from eventlog.log
where stream_name = %s order by incarnation desc limit 1
"""


@dataclass(frozen=True, slots=True)
class StoredLog:
    """One log as ``eventlog.log`` has it; ``backend`` is ``kafka``, ``postgres`` or ``recording``."""

    log_id: int
    backend: str
    stream_name: str
    stream_kind: StreamKind
    incarnation: int


def insert_log(
    connection: Connection, stream_name: str, stream_kind: StreamKind, incarnation: int, backend: str, now: datetime
) -> StoredLog:
    """Make a log known, in the caller's transaction.

    Raises:
        psycopg.errors.UniqueViolation: the stream has this incarnation already.
    """
    row = connection.execute(_INSERT, (backend, stream_name, stream_kind, incarnation, now)).fetchone()
    if row is None:
        raise RuntimeError("insert into eventlog.log returned no row")
    return StoredLog(int(row[0]), backend, stream_name, stream_kind, incarnation)


def newest_log(connection: Connection, stream_name: str) -> StoredLog | None:
    """The newest incarnation of a stream, if there is any."""
    row = connection.execute(_NEWEST, (stream_name,)).fetchone()
    if row is None:
        return None
    log_id, backend, stream_kind, incarnation = row
    return StoredLog(log_id, backend, stream_name, stream_kind, incarnation)
