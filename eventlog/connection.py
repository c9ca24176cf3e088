"""Connections to Postgres as this product makes them."""

from typing import Any

import psycopg

from eventlog.wire_values import register_wire_values

Connection = psycopg.Connection[tuple[Any, ...]]


def failure_line(error: Exception) -> str:
    """Why a connection failed, as the server or the driver said it, in a line."""
    text = str(error).partition("\n")[0].removeprefix("connection failed: ")
    return text.rpartition("FATAL: ")[2].strip() or type(error).__name__


def connect(database_url: str, *, application_name: str = "coordstream", autocommit: bool = True) -> Connection:
    """Open a connection fit for binary COPY; a dead peer is noticed within about half a minute.

    Autocommit is on: transactions are opened with ``connection.transaction()``, so none is left open by accident.
    """
    connection: Connection = psycopg.connect(
        database_url,
        autocommit=autocommit,
        application_name=application_name,
        keepalives_idle=15,
        keepalives_interval=5,
        keepalives_count=3,
    )
    register_wire_values(connection)
    connection.execute("set timezone = 'UTC'")
    return connection
