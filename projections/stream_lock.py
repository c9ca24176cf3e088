"""One reader at a time for a stream: a session's advisory lock in Postgres, and who holds it.

The lock keeps readers from getting in each other's way and lets a second one take over; what protects the data is the
projector's compare-and-set of the position.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple

from eventlog.connection import Connection
from projections.errors import LockLost, StreamBusy

_CLASS: Final = 0x6C6F67  # "log"
_TAKE: Final = "select pg_try_advisory_lock(%s, hashtext(%s))"
_RELEASE: Final = "select pg_advisory_unlock(%s, hashtext(%s))"
_HOLDER: Final = """
select l.pid, coalesce(a.client_hostname, host(a.client_addr)), nullif(a.application_name, ''), a.backend_start
from pg_locks l left join pg_stat_activity a using (pid)
where l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.database = (select oid from pg_database where datname = current_database())
  and l.classid::bigint = %s and l.objid::bigint = hashtext(%s)::bigint & 4294967295
"""
_SESSION: Final = "select pg_backend_pid()"


class LockHolder(NamedTuple):
    """Whose lock it is; what Postgres does not tell us, which needs the same user or ``pg_monitor``, is None.

    ``backend_pid`` is the process of Postgres that serves the holder: ``pg_terminate_backend`` ends it.
    """

    backend_pid: int
    host: str | None
    application: str | None
    since: datetime | None

    def __str__(self) -> str:
        since = "" if self.since is None else f", connected since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        host = "" if self.host is None else f" on {self.host}"
        return f"{self.application or 'another program'}{host} (Postgres backend {self.backend_pid}{since})"


class StreamLocks:
    """The locks that one session holds. The connection must lead to Postgres itself, not through a pooler."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session = self._current_session()

    def take(self, stream_name: str) -> bool:
        """Take the lock if it is free; never waits."""
        row = self._connection.execute(_TAKE, (_CLASS, stream_name)).fetchone()
        return row is not None and bool(row[0])

    def release(self, stream_name: str) -> None:
        """Give a lock back."""
        self._connection.execute(_RELEASE, (_CLASS, stream_name))

    def holder(self, stream_name: str) -> LockHolder | None:
        """Who has the lock now; None if it has become free."""
        row = self._connection.execute(_HOLDER, (_CLASS, stream_name)).fetchone()
        return None if row is None else LockHolder(*row)

    def check(self) -> None:
        """Make sure that this is still the session that the locks were taken in.

        Raises:
            LockLost: another session answers, as behind a pooler.
            psycopg.OperationalError: the session has ended, and its locks with it.
        """
        if self._current_session() != self._session:
            raise LockLost

    def _current_session(self) -> int:
        row = self._connection.execute(_SESSION).fetchone()
        return 0 if row is None else int(row[0])


@contextmanager
def stream_lock(connection: Connection, stream_name: str) -> Iterator[None]:
    """Hold a stream's lock meanwhile.

    Raises:
        StreamBusy: another session has it.
    """
    locks = StreamLocks(connection)
    if not locks.take(stream_name):
        raise StreamBusy(stream_name, str(locks.holder(stream_name) or "another process"))
    try:
        yield
    finally:
        if not connection.closed and not connection.broken:
            locks.release(stream_name)
