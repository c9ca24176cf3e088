"""Locks streams, so that each has one reader at a time, and tells who holds a stream, and since when it is silent.

A session holds a stream by an advisory lock, which Postgres frees when the session ends, and by an entry in
``projection.stream_holder``, which requires the right to write: any login can take advisory locks. The lock lets a
second follower wait and take over; the projector's compare-and-set of the position protects the data.
"""

import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple

from psycopg import sql

from eventlog.postgres.connection import Connection
from projections.errors import LockLost, StreamBusy

_TAKE: Final = """
select s.name,
       (select j.log_id from projection.job_log j where j.stream_name = s.name order by j.incarnation desc limit 1)
from unnest(%s::text[]) as s (name) where projection.lock_stream(s.name)
"""
_RELEASE: Final = """
with held as materialized (
  select stream_name, lock_id from projection.stream_holder where stream_name = %s and backend_pid = pg_backend_pid()
), freed as (
  update projection.stream_holder h set backend_pid = 0
  from (select e.stream_name from projection.stream_holder e join held using (stream_name)
        where e.backend_pid = pg_backend_pid() for update of e skip locked) f -- one that is locked counts until we end
  where h.stream_name = f.stream_name
)
select pg_advisory_unlock(7106407, lock_id) from held
"""
_HOLDERS: Final = sql.SQL("""
select stream_name, backend_pid, host_name, application_name, backend_start, last_seen_at,
       coalesce(last_seen_at < clock_timestamp() - projection.lost_after(), false)
from projection.locked_stream where {} order by stream_name
""")
_ONE: Final = _HOLDERS.format(sql.SQL("stream_name = %s"))
_ALL: Final = _HOLDERS.format(sql.SQL("true"))
_SHARE: Final = "select from projection.stream_holder where stream_name = %s and backend_pid = %s for share"
_SESSION: Final = "select pg_backend_pid()"


COORDINATOR_LOCK: Final = "coordinator of "
"""A job coordinator holds a lock of this name and that of its stream, beside the locks of streams."""


class LockHolder(NamedTuple):
    """The session that holds a stream. Postgres shows some columns only to the same user and ``pg_monitor``; else None.

    ``backend_pid``: the server process of the session, which ``pg_terminate_backend`` ends. ``last_seen_at``: when the
    session's last statement ended. ``is_silent``: that is so long ago that the holder counts as lost: it hangs, was
    stopped, or its machine is gone.
    """

    backend_pid: int
    host: str | None
    application: str | None
    since: datetime | None
    last_seen_at: datetime | None = None
    is_silent: bool = False

    @property
    def silence(self) -> str:
        """Since when the holder is silent, and how to end it."""
        seen = "" if self.last_seen_at is None else f" since {self.last_seen_at:%Y-%m-%d %H:%M:%S} UTC"
        return f"silent{seen}: end its process, or its session with `select pg_terminate_backend({self.backend_pid})`"

    def __str__(self) -> str:
        since = "" if self.since is None else f", connected since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        host = "" if self.host is None else f" on {self.host}"
        return f"{self.application or 'another program'}{host} (Postgres backend {self.backend_pid}{since})"


class StreamLocks:
    """The streams that one session holds. The connection must lead directly to Postgres, not through a pooler."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session = self._current_session()
        self._unread = select.poll()
        self._unread.register(connection.fileno(), select.POLLIN)

    def take(self, stream_name: str) -> bool:
        """Take the stream if it is free, without waiting for more than a moment, and return whether it was."""
        return bool(self.take_all([stream_name]))

    def take_all(self, stream_names: Sequence[str]) -> dict[str, int | None]:
        """As `take`, many streams; the newest log of each one that was free, None if it has no log yet."""
        return dict(self._connection.execute(_TAKE, (list(stream_names),)).fetchall())

    def release(self, stream_name: str) -> None:
        self._connection.execute(_RELEASE, (stream_name,))

    def holder(self, stream_name: str) -> LockHolder | None:
        row = self._connection.execute(_ONE, (stream_name,)).fetchone()
        return None if row is None else LockHolder(*row[1:])

    def check(self) -> None:
        """Raise LockLost if another session answers than the one that took the streams, as behind a pooler, and
        OperationalError if it has ended, and its locks with it.
        """
        if self._current_session() != self._session:
            raise LockLost

    def notice_end(self) -> None:
        """`check` if the server has sent something, such as that it ends the session. Without that it asks nothing."""
        if self._unread.poll(0):
            self.check()

    def _current_session(self) -> int:
        row = self._connection.execute(_SESSION).fetchone()
        return 0 if row is None else int(row[0])


def holders(connection: Connection) -> dict[str, LockHolder]:
    return {name: LockHolder(*holder) for name, *holder in connection.execute(_ALL).fetchall()}


def share_stream(connection: Connection, stream_name: str, backend_pid: int) -> None:
    """Write a stream's rows on behalf of the session that holds it, in the caller's transaction, until whose end no
    other session can take the stream. Raises LockLost if that session no longer holds it.
    """
    if connection.execute(_SHARE, (stream_name, backend_pid)).fetchone() is None:
        raise LockLost


@contextmanager
def stream_lock(connection: Connection, stream_name: str) -> Iterator[None]:
    """Hold a stream during the block. Raises StreamBusy if another session holds it."""
    locks = StreamLocks(connection)
    if not locks.take(stream_name):
        raise StreamBusy(stream_name, str(locks.holder(stream_name) or "another process"))
    try:
        yield
    finally:
        if not connection.closed and not connection.broken:
            locks.release(stream_name)
