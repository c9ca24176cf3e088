"""Connections to Postgres as this product makes them."""

import os
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import InvalidParameterValue, UndefinedObject

from eventlog.postgres.binary_values import register_binary_dumpers

CONNECT_SECONDS: Final = 10

_DATA_EXCEPTIONS: Final = "22"
_LOGIN_REFUSALS: Final = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "does not exist",
    "not permitted to log in",
    "permission denied for database",
)

_CHECK_CLIENT: Final = "set client_connection_check_interval = '2s'"
_SESSION: Final = """
set timezone = 'UTC'; set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3
"""

Connection = psycopg.Connection[tuple[Any, ...]]


def failure_line(error: Exception) -> str:
    """Why a connection failed, as the server or the driver said it, in a line."""
    text = str(error).partition("\n")[0].removeprefix("connection failed: ")
    return text.rpartition("FATAL: ")[2].strip() or type(error).__name__


def refuses_login(error: Exception) -> bool:
    """Whether a connection failed because the server does not know us, or our password, and not because it is away.

    libpq gives no SQLSTATE here. A server that speaks another language than English is taken to be away.
    """
    return any(words in failure_line(error) for words in _LOGIN_REFUSALS)


def server_reason(error: psycopg.Error) -> str | None:
    """What the server says is wrong, without a value of anybody's; None: the error is not the server's.

    Details and context, which quote rows, are left out; so is what follows the colon where data could not be read.
    """
    reason = error.diag.message_primary
    is_of_data = (error.sqlstate or "").startswith(_DATA_EXCEPTIONS)
    return reason.partition(":")[0] if reason is not None and is_of_data else reason


def connect(database_url: str, *, application_name: str = "coordstream", autocommit: bool = True) -> Connection:
    """Open a connection fit for binary COPY.

    A dead peer is noticed within about half a minute, on both sides. Where this process ends in the middle of a query,
    be it killed, the server cancels the query within 2 s (Postgres 14 and later, on systems that can tell).

    A server that does not answer at all is given up after `CONNECT_SECONDS`, unless libpq was told otherwise.

    Autocommit is on: transactions are opened with ``connection.transaction()``, so none is left open by accident.
    """
    connection: Connection = psycopg.connect(
        database_url,
        autocommit=True,
        application_name=application_name,
        connect_timeout=_connect_seconds(database_url),
        keepalives_idle=15,
        keepalives_interval=5,
        keepalives_count=3,
    )
    register_binary_dumpers(connection)
    with suppress(InvalidParameterValue, UndefinedObject):
        connection.execute(_CHECK_CLIENT)
    connection.execute(_SESSION)
    connection.autocommit = autocommit
    return connection


def _connect_seconds(database_url: str) -> str | int:
    given = conninfo_to_dict(database_url).get("connect_timeout", os.environ.get("PGCONNECT_TIMEOUT"))
    return CONNECT_SECONDS if given is None else given
