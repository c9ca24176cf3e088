"""The database of a server: a few connections with a reader's rights, each used by one request at a time."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, LifoQueue
from threading import Lock
from time import monotonic
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import DataError, InsufficientPrivilege, InvalidParameterValue, QueryCanceled

from coordstream.database import DatabaseError, DatabaseUnreachable, database_errors, open_connection, place
from coordstream.errors import CoordstreamError
from coordstream.schema_check import require_current
from coordstream.serve.failures import BadRequest, Unavailable
from coordstream.settings import Settings
from eventlog.postgres.connection import Connection, failure_line, server_reason

APPLICATION_NAME: Final = "coordstream serve"
READER: Final = "coordstream_reader"
WAIT_SECONDS: Final = 15.0
"""How long to wait for a connection."""
CONNECT_SECONDS: Final = 3
_PAUSE_SECONDS: Final = 1.0
"""After a connection failed, how long requests are answered without another attempt."""

_SEES_ARCHIVE: Final = "select coalesce(has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage'), false)"
_SET: Final = "select set_config('statement_timeout', %s, false), set_config('lock_timeout', '2s', false)"
_BEGIN: Final = "begin isolation level repeatable read read only"


class ReadPool:
    """Connections to one database, opened when needed. A connection that breaks is replaced.

    They have the role of a reader: the relations show secrets as fingerprints, and nothing can be written.
    ``query_seconds``: how long a statement may run.
    """

    def __init__(self, settings: Settings, url: str, *, query_seconds: float, connections: int) -> None:
        self._settings = settings
        self._url = _with_connect_timeout(url)
        self._query_seconds = query_seconds
        self._idle: LifoQueue[Connection | None] = LifoQueue()
        for _ in range(connections):
            self._idle.put(None)
        self._used: set[Connection] = set()
        self._lock = Lock()
        self._is_closed = False
        self._failed_at = float("-inf")
        self._failure = ""

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection in a read-only transaction, whose queries all see the same state.

        Raises:
            Refused: no connection is free, a query took too long, or the database rejected a value.
            DatabaseUnreachable: the database does not answer.
            CoordstreamError: it cannot be used as it is.
        """
        with database_errors(self._settings), self._connection() as connection:
            try:
                yield connection
            except QueryCanceled:
                raise Unavailable(f"A query was cancelled: it took longer than {self._query_seconds:g} s.") from None
            except DataError as error:
                raise BadRequest(f"The database rejected a value: {server_reason(error) or 'invalid'}.") from None
            except psycopg.OperationalError as error:
                reason = server_reason(error) or failure_line(error)
                raise Unavailable(f"Lost the connection to {place(self._settings)} ({reason}).") from None

    def close(self) -> None:
        """Cancel the queries that run, and refuse further ones."""
        with self._lock:
            self._is_closed = True
            used = list(self._used)
        for connection in used:
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=1.0)
        taken = 0
        with suppress(Empty):
            while True:
                _close(self._idle.get_nowait())
                taken += 1
        for _ in range(taken):  # only now: the queue returns the latest first
            self._idle.put(None)  # for requests that wait, which are then refused

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        try:
            idle = self._idle.get(timeout=WAIT_SECONDS)
        except Empty:
            raise Unavailable("Too many requests at once. Try again later.") from None
        connection: Connection | None = None
        try:
            connection = self._begun(idle)
            yield connection
        finally:
            self._idle.put(self._release(connection))

    def _begun(self, idle: Connection | None) -> Connection:
        """A connection in a transaction: the idle one, or a new one if the database has closed it."""
        self._check_open()
        if idle is not None:
            try:
                idle.execute(_BEGIN)
            except psycopg.OperationalError:
                _close(idle)
                idle = None
        connection = idle or self._open()
        if idle is None:
            connection.execute(_BEGIN)
        with self._lock:
            self._used.add(connection)
        return connection

    def _check_open(self) -> None:
        if self._is_closed:
            raise Unavailable("The server is shutting down.")

    def _release(self, connection: Connection | None) -> Connection | None:
        if connection is None:
            return None
        with self._lock:
            self._used.discard(connection)
        try:
            connection.rollback()
        except psycopg.Error:
            _close(connection)
        if self._is_closed:
            _close(connection)
        return None if connection.closed else connection

    def _open(self) -> Connection:
        if monotonic() < self._failed_at + _PAUSE_SECONDS:
            raise DatabaseUnreachable(self._failure)
        try:
            connection = open_connection(self._settings, self._url, APPLICATION_NAME)
        except DatabaseError as error:
            self._failed_at, self._failure = monotonic(), str(error)
            raise DatabaseUnreachable(str(error)) from None
        try:
            self._prepare(connection)
        except BaseException:
            _close(connection)
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        try:
            require_current(self._url, connection)
        except CoordstreamError as error:
            raise Unavailable(str(error)) from None
        connection.execute(_SET, (f"{self._query_seconds * 1_000:.0f}",))
        if connection.execute(_SEES_ARCHIVE).fetchone() == (True,):
            _become_reader(connection)


def _become_reader(connection: Connection) -> None:
    try:
        connection.execute(f"set role {READER}")
    except (InsufficientPrivilege, InvalidParameterValue):
        user = connection.info.user
        raise DatabaseError(
            f"Database user {user!r} can read secrets, and may not take the role {READER}. Connect as a user with that "
            f'role only (see `coordstream grant --help`), or let an administrator run `grant {READER} to "{user}"`.'
        ) from None


def _with_connect_timeout(url: str) -> str:
    has_own = "connect_timeout" in conninfo_to_dict(url)
    return url if has_own else make_conninfo(url, connect_timeout=CONNECT_SECONDS)


def _close(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()
