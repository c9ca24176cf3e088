"""A snapshot of the database that several connections share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from spark_jobs.errors import SparkJobError

POSITIONS: LiteralString = "SELECT stream_name, incarnation, next_offset FROM coordinator.log_position"

# Spark may wait long between two fetches. transaction_timeout exists since Postgres 17.
NO_TIMEOUTS: LiteralString = (
    "SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings"
    " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')"
)


@dataclass(frozen=True)
class Snapshot:
    """The database at one moment.

    `positions` is the next offset of each log by (stream name, incarnation). `connection` reads from the same snapshot,
    for small queries beside Spark's reads.
    """

    id: str
    positions: Mapping[tuple[str, int], int]
    connection: psycopg.Connection[TupleRow] = field(repr=False, compare=False)

    def session_statement(self) -> str:
        """The first statement of each JDBC connection, which makes it read from this snapshot.

        It begins a transaction: under autocommit, SET TRANSACTION alone has no effect on the read, which then silently
        mixes several moments (docs/spark.md).
        """
        statement = sql.SQL(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT {id};"
            " SET LOCAL idle_in_transaction_session_timeout = 0"
        )
        return statement.format(id=sql.Literal(self.id)).as_string(self.connection)


@contextmanager
def exported_snapshot(database_url: str) -> Iterator[Snapshot]:
    """Export a snapshot and keep it open. Every Spark action that uses it must finish inside the block.

    An open snapshot holds back vacuum. It needs a direct connection, or a pooler in session mode. Raises SparkJobError
    if the database is unreachable or has no coordstream schema.
    """
    with _connected(database_url) as connection:
        yield _export(connection)


@contextmanager
def _connected(database_url: str) -> Iterator[psycopg.Connection[TupleRow]]:
    try:
        connection = psycopg.connect(database_url, autocommit=True, application_name="coordstream-spark-snapshot")
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split())
        raise SparkJobError(
            f"Cannot connect to the database ({reason}). Check its URL and that the server is running."
        ) from error
    except psycopg.ProgrammingError as error:  # an invalid URL; the message may contain the password
        raise SparkJobError("Invalid database URL. Expected postgresql://user:password@host/name.") from error
    with connection:
        yield connection


def _export(connection: psycopg.Connection[TupleRow]) -> Snapshot:
    try:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(NO_TIMEOUTS)
        (snapshot_id,) = connection.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()[0]
        rows = connection.execute(POSITIONS).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName) as error:
        raise SparkJobError("No coordstream schema in this database. Run `coordstream migrate`.") from error
    except psycopg.Error as error:
        raise SparkJobError(
            f"Cannot export a snapshot ({error.diag.message_primary}). Connect to a primary server."
        ) from error
    return Snapshot(snapshot_id, {(name, incarnation): offset for name, incarnation, offset in rows}, connection)
