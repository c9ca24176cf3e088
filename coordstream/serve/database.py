"""The database of `coordstream serve`: connections with a reader's rights, and snapshots in which requests read."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg.errors import DataError, InsufficientPrivilege, InvalidParameterValue, QueryCanceled
from psycopg_pool import ConnectionPool, PoolTimeout
from starlette.requests import Request

from coordstream.database import DatabaseError, database_errors, open_connection, place, require_current
from coordstream.errors import CoordstreamError
from coordstream.serve.application import BadRequest, Unavailable
from coordstream.settings import Settings
from eventlog.postgres import connection as postgres
from eventlog.postgres.connection import Connection, failure_line, server_reason

APPLICATION_NAME: Final = "coordstream serve"
READER: Final = "coordstream_reader"
MOST_CONNECTIONS: Final = 8
WAIT_SECONDS: Final = 5.0
"""How long a request waits for a connection."""

_SEES_ARCHIVE: Final = "select coalesce(has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage'), false)"
_SET: Final = "select set_config('statement_timeout', %s, false), set_config('lock_timeout', '2s', false)"

logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # a request that fails says why


class ReadPool:
    """Connections to one database, opened when needed.

    They have the role of a reader: the relations show secrets as fingerprints, and nothing can be written.
    ``query_seconds``: how long a statement may run.
    """

    def __init__(self, settings: Settings, url: str, query_seconds: float) -> None:
        self._settings = settings
        self._url = url
        self._query_seconds = query_seconds
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            kwargs=postgres.options(url, APPLICATION_NAME),
            configure=self._prepare,
            check=ConnectionPool.check_connection,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=WAIT_SECONDS,
            reconnect_timeout=WAIT_SECONDS,
            open=True,
        )

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection in a read-only transaction, whose queries all see the same state.

        Raises:
            Refused: no connection is free, a query took too long, or the database rejected a value.
            DatabaseUnreachable: the database does not answer.
            CoordstreamError: it cannot be used as it is.
        """
        try:
            with (
                self._pool.connection() as connection,
                database_errors(self._settings),
                self._explained(),
                postgres.snapshot(connection),
            ):
                yield connection
        except PoolTimeout:
            self._raise_failure()

    def close(self) -> None:
        """Close the connections; those in use when they are returned."""
        self._pool.close(timeout=2)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except QueryCanceled:
            raise Unavailable(f"A query was cancelled: it took longer than {self._query_seconds:g} s.") from None
        except DataError as error:
            raise BadRequest(f"The database rejected a value: {server_reason(error) or 'invalid'}.") from None
        except psycopg.OperationalError as error:
            reason = server_reason(error) or failure_line(error)
            raise Unavailable(f"Lost the connection to {place(self._settings)} ({reason}).") from None

    def _raise_failure(self) -> None:
        """Say why the pool gave no connection: it does not tell why it could not open one."""
        with database_errors(self._settings), open_connection(self._settings, self._url) as connection:
            try:
                self._prepare(connection)
            except DatabaseError:
                raise
            except CoordstreamError as error:
                raise Unavailable(str(error)) from None
        raise Unavailable("Too many requests at once. Try again later.")

    def _prepare(self, connection: Connection) -> None:
        postgres.prepare(connection)
        require_current(connection)
        connection.execute(_SET, (f"{self._query_seconds * 1_000:.0f}",))
        if connection.execute(_SEES_ARCHIVE).fetchone() == (True,):
            _become_reader(connection)


@contextmanager
def snapshot(request: Request) -> Iterator[Connection]:
    """How handlers read the database, see `ReadPool.snapshot`."""
    pool: ReadPool = request.app.state.pool
    with pool.snapshot() as connection:
        yield connection


def _become_reader(connection: Connection) -> None:
    try:
        connection.execute(f"set role {READER}")
    except (InsufficientPrivilege, InvalidParameterValue):
        user = connection.info.user
        raise DatabaseError(
            f"Database user {user!r} can read secrets, and may not take the role {READER}. Connect as a user with that "
            f'role only (see `coordstream db grant --help`), or let an administrator run `grant {READER} to "{user}"`.'
        ) from None
