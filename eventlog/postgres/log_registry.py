"""The table ``eventlog.log``: one row for each incarnation of each stream."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.streams import StreamIdentity, StreamKind, identify

_INSERT: Final = """
insert into eventlog.log (backend, cluster_id, stream_name, stream_kind, incarnation, topic_id, created_at)
values (%s, %s, %s, %s, %s, %s, %s)
returning log_id
"""
_NEWEST: Final = """
select log_id, backend, stream_name, stream_kind, incarnation, cluster_id, topic_id from eventlog.log
where stream_name = %s order by incarnation desc limit 1
"""
_STREAMS: Final = "select distinct stream_name, stream_kind from eventlog.log order by stream_name"
_HOLD: Final = "select eventlog.hold(%s)"


@dataclass(frozen=True, slots=True)
class StoredLog:
    """A row of ``eventlog.log``; ``cluster_id`` and ``topic_id`` identify the topic of a log of Kafka."""

    log_id: int
    backend: str
    stream_name: str
    stream_kind: StreamKind
    incarnation: int
    cluster_id: str | None = None
    topic_id: str | None = None


def insert_log(
    connection: Connection,
    stream_name: str,
    stream_kind: StreamKind,
    incarnation: int,
    backend: str,
    now: datetime,
    *,
    cluster_id: str | None = None,
    topic_id: str | None = None,
) -> StoredLog:
    """Insert a log in the caller's transaction. Raises UniqueViolation: this incarnation of the stream exists."""
    values = (backend, cluster_id, stream_name, stream_kind, incarnation, topic_id, now)
    ((log_id,),) = connection.execute(_INSERT, values).fetchall()
    return StoredLog(log_id, backend, stream_name, stream_kind, incarnation, cluster_id, topic_id)


def newest_log(connection: Connection, stream_name: str) -> StoredLog | None:
    """The newest incarnation of a stream; None if there is none."""
    row = connection.execute(_NEWEST, (stream_name,)).fetchone()
    return None if row is None else StoredLog(*row)


def stream_identities(connection: Connection) -> list[StreamIdentity]:
    """All streams with a log in the database, of any backend, by name."""
    return [identify(*row) for row in connection.execute(_STREAMS).fetchall()]


def hold_archive(connection: Connection, stream_name: str) -> None:
    """Prevent other sessions from rebuilding a stream's logs, and from replacing or completing their archive.

    Lasts until the caller's transaction ends. Take it before reading the archive: a retention that has it waits, at its
    end, for all transactions that have read the archive. Events can still be added at the logs' ends.
    """
    hold(connection, f"archive {stream_name}")


def hold(connection: Connection, name: str) -> None:
    """Lock a name until the caller's transaction ends; wait while another transaction has it.

    Any login of a database can take an advisory lock that others wait for; this lock requires the right to write.
    """
    connection.execute(_HOLD, (name,))
