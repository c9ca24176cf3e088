"""Connections to Postgres."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

import psycopg
from psycopg import Cursor
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import (
    IdleInTransactionSessionTimeout,
    InsufficientPrivilege,
    InvalidParameterValue,
    ReadOnlySqlTransaction,
    TransactionTimeout,
    UndefinedObject,
)
from psycopg.types.numeric import Int8BinaryLoader
from psycopg.types.string import BytesBinaryDumper

from eventlog.source import ConnectionEnded, CredentialsRefused, SourceUnavailable

CONNECT_SECONDS: Final = 10
_NETWORK: Final = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # ms; Linux sends no keepalives while it waits for an acknowledgement
}
"""Options of libpq."""

GET_RIGHT: Final = "Connect as the database's owner, or as a user with that right (see `coordstream db grant --help`)"
CONFLICTS: Final = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
"""Errors after which the same transaction may succeed."""
UNAVAILABLE: Final = (
    psycopg.OperationalError,  # includes disk full, out of memory, shutdown, crash
    psycopg.InterfaceError,
    ReadOnlySqlTransaction,  # a standby answers, as during a failover
    IdleInTransactionSessionTimeout,
    TransactionTimeout,
)
"""Errors of a connection or of the whole server, after which another connection may succeed."""

_DATA_EXCEPTIONS: Final = "22"
_LOGIN_REFUSALS: Final = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "does not exist",
    "not permitted to log in",
    "permission denied for database",
)
_INVALID_OPTION: Final = re.compile(r"invalid (\w+ value|port number)\b")
"""Of libpq, as in: invalid sslmode value: "no"."""

_SESSION: Final = """
set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
set bytea_output = 'hex'; set default_transaction_isolation = 'read committed';
set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3
"""

_TIMEOUTS: Final = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout"]
_TRANSACTION_TIMEOUT_SINCE: Final = 170_000

Connection = psycopg.Connection[tuple[Any, ...]]


def failure_line(error: Exception) -> str:
    """Why a connection failed: the message of the server or the driver, on one line."""
    text = str(error).partition("\n")[0].removeprefix("connection failed: ")
    return text.rpartition("FATAL: ")[2].strip() or type(error).__name__


def refuses_login(error: Exception) -> bool:
    """Whether the server rejected the user or password, or libpq an option, rather than the server being unreachable.

    libpq has no SQLSTATE for this. A server whose messages are not in English counts as unreachable.
    """
    line = failure_line(error)
    return any(words in line for words in _LOGIN_REFUSALS) or _INVALID_OPTION.search(line) is not None


def server_reason(error: psycopg.Error) -> str | None:
    """The message of the server, without values from rows and the full stop of ours; None: the error is not its own.

    Detail and context, which quote rows, are left out, and if the error is about data, the part after a colon and a
    space.
    """
    reason = error.diag.message_primary
    is_about_data = (error.sqlstate or "").startswith(_DATA_EXCEPTIONS)
    if reason is None:
        return None
    return (reason.partition(": ")[0] if is_about_data else reason).removesuffix(".")


@contextmanager
def reaching_database(connection: Connection | None = None) -> Iterator[None]:
    """Raise errors of a connection as `SourceUnavailable`; as its subclasses if it was closed, or is set up wrongly."""
    if connection is not None and connection.closed:
        raise ConnectionEnded
    try:
        yield
    except UNAVAILABLE as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise SourceUnavailable(f"Cannot reach the database of the logs ({reason}).") from error
    except psycopg.ProgrammingError as error:
        if error.sqlstate is None:  # its text may have the password
            url = "postgresql://user:password@host:port/name, with special characters of the password percent-encoded"
            raise CredentialsRefused(f"Invalid URL, or value, for the database of the logs. Expected {url}.") from None
        advice = GET_RIGHT if isinstance(error, InsufficientPrivilege) else "Run `coordstream db migrate`"
        raise CredentialsRefused(f"Cannot use the database of the logs: {server_reason(error)}. {advice}.") from error


def connect(
    database_url: str,
    *,
    application_name: str = "coordstream",
    keeps_timeouts: bool = False,
    prepares: bool = False,
) -> Connection:
    """Open a connection with the dumpers for binary COPY, and with the formats and isolation that this product expects.

    A server, database, user or environment may have other defaults: psycopg cannot read times in other styles than ISO,
    and binary COPY sends texts in UTF-8.

    This side detects a dead peer within about 30 s; the server, too, unless it is sending: a limit for that would end
    the session of a client that pauses while it reads. If this process ends during a query, even if killed, the server
    cancels the query within 2 s (Postgres 14 and later, on operating systems that support it).

    Connecting to a server that does not answer times out after `CONNECT_SECONDS`. The URL may have other values.

    The session has no timeouts, which would end large batches, whatever the server, the database or the user sets;
    with ``keeps_timeouts`` it has theirs.

    Autocommit is on: use ``connection.transaction()``, so that no transaction stays open by accident.

    ``prepares``: statements that are repeated are prepared. Not behind a pooler in transaction mode: their names belong
    to a session, which other clients use, too.
    """
    connection: Connection = psycopg.connect(database_url, **options(database_url, application_name))
    if not keeps_timeouts:
        lift_timeouts(connection)
    prepare(connection)
    if prepares:
        connection.prepare_threshold = 5  # executions, as psycopg's default
    return connection


def options(database_url: str, application_name: str) -> dict[str, Any]:
    """The options with which `connect` opens a connection."""
    given = {"connect_timeout": os.environ.get("PGCONNECT_TIMEOUT")} | conninfo_to_dict(database_url)
    return {
        "autocommit": True,
        "prepare_threshold": None,
        "application_name": application_name,
        "client_encoding": "UTF8",
        **{name: default if given.get(name) is None else given[name] for name, default in _NETWORK.items()},
    }


def prepare(connection: Connection) -> None:
    """Give a session that was opened with `options` the formats that `connect` promises."""
    connection.adapters.register_dumper(bytes, BytesBinaryDumper)  # the one written in C
    with suppress(InvalidParameterValue, UndefinedObject):
        connection.execute("set client_connection_check_interval = '2s'")
    connection.execute(_SESSION)


def lift_timeouts(connection: Connection, scope: Literal["session", "local"] = "session") -> None:
    """Let no setting of the server, the database or the user end the session or its statements.

    ``scope``: "local" applies to the present transaction, so that a pooler gives no session away without its timeouts.
    """
    newer = ["transaction_timeout"] if connection.info.server_version >= _TRANSACTION_TIMEOUT_SINCE else []
    connection.execute("; ".join(f"set {scope} {name} = 0" for name in [*_TIMEOUTS, *newer]).encode())


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """A transaction that only reads, and whose queries all see the database as it is at the first one."""
    with connection.transaction():
        connection.execute("set transaction isolation level repeatable read, read only")
        yield


def load_times_as_micros(cursor: Cursor[tuple[Any, ...]]) -> None:
    """Return times of binary results as microseconds since 2000: a datetime takes as long as the rest of a row."""
    cursor.adapters.register_loader("timestamptz", Int8BinaryLoader)
