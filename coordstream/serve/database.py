"""The database of `coordstream serve`: connections with a reader's rights, and snapshots in which requests read."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg.errors import DataError, InsufficientPrivilege, InvalidParameterValue, QueryCanceled
from psycopg_pool import ConnectionPool, PoolTimeout
from starlette.requests import Request

from coordstream.database import database_errors, describe, open_connection, require_current
from coordstream.errors import CoordstreamError
from coordstream.serve.application import Refused
from coordstream.settings import Settings
from eventlog.postgres import connection as postgres
from eventlog.postgres.connection import Connection, server_reason
from projections.rights import READER

APPLICATION_NAME: Final = "coordstream serve"
MOST_CONNECTIONS: Final = 8
WAIT_SECONDS: Final = 5.0
"""How long a request waits for a connection."""
_GRANT: Final = "Let the owner run `coordstream db grant reader USER`."

_ENTER: Final = """
select set_config('statement_timeout', %s, true), set_config('lock_timeout', '2s', true),
  case when has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage') then set_config('role', %s, true) end
"""
"""Settings of the transaction alone: a pooler may give the session to another client after it."""

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
        with (
            database_errors(self._settings),
            self._explained(),
            self._pool.connection() as connection,
            postgres.snapshot(connection),
        ):
            self._enter(connection)
            yield connection

    def version(self) -> object:
        """What each commit changes: which transactions a snapshot sees. On a standby, a commit may not change it."""
        with database_errors(self._settings), self._explained(), self._pool.connection() as connection:
            return connection.execute("select pg_current_snapshot()::text").fetchone()

    def close(self) -> None:
        """Close the connections; those in use when they are returned."""
        self._pool.close(timeout=2)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeout:
            self._raise_failure()
        except QueryCanceled:
            reason = f"The query took longer than {self._query_seconds:g} s"
            raise Refused(f"{reason}. Ask for fewer rows, or raise --query-timeout.", 503) from None
        except DataError as error:
            raise Refused(f"The database rejected a value: {server_reason(error) or 'correct it'}.") from None
        except InsufficientPrivilege as error:
            raise Refused(f"The database refused a query: {server_reason(error)}. {_GRANT}", 503) from error
        except psycopg.OperationalError as error:
            raise Refused(str(describe(self._settings, error)), 503) from None

    def _raise_failure(self) -> None:
        """Say why the pool gave no connection: it does not tell why it could not open one."""
        try:
            with database_errors(self._settings), open_connection(self._settings, self._url) as connection:
                self._prepare(connection)
        except CoordstreamError as error:
            raise Refused(str(error), 503) from None
        raise Refused("Too many requests at once. Try again later.", 503)

    def _prepare(self, connection: Connection) -> None:
        postgres.prepare(connection)
        with connection.transaction():  # whose limits are ours, as in `_enter`
            postgres.lift_timeouts(connection, "local")
            require_current(connection)

    def _enter(self, connection: Connection) -> None:
        """Limit the transaction's queries, and take the role of a reader if the user can see the archive."""
        try:
            connection.execute(_ENTER, (f"{self._query_seconds * 1_000:.0f}", READER))
        except (InsufficientPrivilege, InvalidParameterValue):
            user = connection.info.user
            raise Refused(
                f"Database user {user!r} can read secrets, and is not a member of the role {READER}. Connect as a user "
                f'with that role only, or run `coordstream db grant reader "{user}"` as a user who may grant it.',
                503,
            ) from None


@contextmanager
def snapshot(request: Request) -> Iterator[Connection]:
    """How handlers read the database, see `ReadPool.snapshot`."""
    pool: ReadPool = request.app.state.pool
    with pool.snapshot() as connection:
        yield connection
