"""One reader at a time for a stream: who holds it, and since when nothing was heard of the holder.

A session holds a stream by an advisory lock, which Postgres frees when the session ends, and by an entry in
``projection.stream_holder``, which takes the right to write: any login of a database can take advisory locks. That
keeps readers from getting in each other's way and lets a second one take over; what protects the data is the
projector's compare-and-set of the position.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple

from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from eventlog.postgres.connection import Connection
from projections.errors import LockLost, StreamBusy

SILENT_SECONDS: Final = 30
"""A holder that lives asks the database something every 5 s."""

_TAKE: Final = "select projection.lock_stream(%s, %s)"
_RELEASE: Final = """
update projection.stream_holder set backend_pid = 0, working_pid = null
where stream_name = %s and backend_pid = pg_backend_pid()
returning pg_advisory_unlock(7106407, lock_id)
"""
_HOLDERS: Final = sql.SQL("""
select stream_name, backend_pid, host_name, application_name, backend_start, last_seen_at,
       coalesce(extract(epoch from clock_timestamp() - last_seen_at), 0)::float8
from projection.locked_stream where {} order by stream_name
""")
_ONE: Final = _HOLDERS.format(sql.SQL("stream_name = %s"))
_ALL: Final = _HOLDERS.format(sql.SQL("true"))
_END: Final = """
select pg_terminate_backend(a.pid)
from projection.locked_stream h join pg_stat_activity a on a.pid in (h.backend_pid, h.working_pid)
where h.stream_name = %s and h.last_seen_at <= clock_timestamp() - make_interval(secs => %s)
  and (a.backend_start is null or a.backend_start <= h.taken_at)
"""
_SESSION: Final = "select pg_backend_pid()"


class LockHolder(NamedTuple):
    """Who holds a stream; what Postgres does not tell us, which needs the same user or ``pg_monitor``, is None.

    ``backend_pid`` is the process of Postgres that serves the holder: ``pg_terminate_backend`` ends it.
    ``silent_seconds`` have passed since the holder last asked the database something, at ``last_seen_at``.
    """

    backend_pid: int
    host: str | None
    application: str | None
    since: datetime | None
    last_seen_at: datetime | None = None
    silent_seconds: float = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether it should have asked something since: it hangs, was stopped, or its machine is gone."""
        return self.silent_seconds > SILENT_SECONDS

    @property
    def silence(self) -> str:
        """Since when nothing was heard of it, and how to end it, in words."""
        seen = "" if self.last_seen_at is None else f" since {self.last_seen_at:%Y-%m-%d %H:%M:%S} UTC"
        return (
            f"silent{seen}: end its process, or its session with `select pg_terminate_backend({self.backend_pid})`, "
            "or run `coordstream follow` with --take-over-after 60s"
        )

    def __str__(self) -> str:
        since = "" if self.since is None else f", connected since {self.since:%Y-%m-%d %H:%M:%S} UTC"
        host = "" if self.host is None else f" on {self.host}"
        return f"{self.application or 'another program'}{host} (Postgres backend {self.backend_pid}{since})"


class StreamLocks:
    """The streams that one session holds. The connection must lead to Postgres itself, not through a pooler.

    ``working`` is the connection that writes the streams' rows, where it is another: who takes a stream over ends both.
    """

    def __init__(self, connection: Connection, working: Connection | None = None) -> None:
        self._connection = connection
        self._working_pid = None if working is None else working.info.backend_pid
        self._session = self._current_session()

    def take(self, stream_name: str) -> bool:
        """Take the stream if it is free; never waits for its holder."""
        row = self._connection.execute(_TAKE, (stream_name, self._working_pid)).fetchone()
        return row is not None and bool(row[0])

    def release(self, stream_name: str) -> None:
        """Give a stream back."""
        self._connection.execute(_RELEASE, (stream_name,))

    def holder(self, stream_name: str) -> LockHolder | None:
        """Who has the stream now; None if it has become free."""
        row = self._connection.execute(_ONE, (stream_name,)).fetchone()
        return None if row is None else LockHolder(*row[1:])

    def end_silent(self, stream_name: str, seconds: float) -> bool | None:
        """End the sessions of a holder that has been silent for so long; None: this user of the database may not."""
        try:
            return bool(self._connection.execute(_END, (stream_name, seconds)).fetchall())
        except InsufficientPrivilege:
            return None

    def check(self) -> None:
        """Make sure that this is still the session that the streams were taken in.

        Raises:
            LockLost: another session answers, as behind a pooler.
            psycopg.OperationalError: the session has ended, and its locks with it.
        """
        if self._current_session() != self._session:
            raise LockLost

    def _current_session(self) -> int:
        row = self._connection.execute(_SESSION).fetchone()
        return 0 if row is None else int(row[0])


def holders(connection: Connection) -> dict[str, LockHolder]:
    """The holder of each stream that is held."""
    return {name: LockHolder(*holder) for name, *holder in connection.execute(_ALL).fetchall()}


@contextmanager
def stream_lock(connection: Connection, stream_name: str) -> Iterator[None]:
    """Hold a stream meanwhile.

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
