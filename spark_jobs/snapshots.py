"""One snapshot of the database for many connections."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from spark_jobs.errors import SparkJobError

POSITIONS: LiteralString = "SELECT stream_name, incarnation, next_offset FROM coordinator.log_position"

# A reader may wait long for Spark between two fetches. transaction_timeout exists since Postgres 17.
NO_TIMEOUTS: LiteralString = (
    "SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings"
    " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')"
)


@dataclass(frozen=True)
class Snapshot:
    """What the database held at one moment.

    `positions` is the next offset of each log, by (stream name, incarnation), as this snapshot shows it.
    `connection` is inside the snapshot too: for small questions beside Spark's reads.
    """

    id: str
    positions: Mapping[tuple[str, int], int]
    connection: psycopg.Connection[TupleRow] = field(repr=False, compare=False)

    def session_statement(self) -> str:
        """What each JDBC connection says first, to see this snapshot.

        It opens its own transaction: SET TRANSACTION alone ends at once under autocommit, and the read then tears
        without a word (docs/spark.md says more).
        """
        statement = sql.SQL(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT {id};"
            " SET LOCAL idle_in_transaction_session_timeout = 0"
        )
        return statement.format(id=sql.Literal(self.id)).as_string(self.connection)


@contextmanager
def exported_snapshot(database_url: str) -> Iterator[Snapshot]:
    """Hold a snapshot open for others to read; every Spark action on it must end inside the block.

    It holds back vacuum while it is open, and needs a direct connection or a pooler in session mode.
    Raises SparkJobError where the database cannot be reached or has no relations of coordstream's.
    """
    with _connected(database_url) as connection:
        yield _export(connection)


@contextmanager
def _connected(database_url: str) -> Iterator[psycopg.Connection[TupleRow]]:
    try:
        connection = psycopg.connect(database_url, autocommit=True, application_name="coordstream-spark-snapshot")
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split())
        raise SparkJobError(f"The database cannot be reached ({reason}): check its URL and that it runs.") from error
    except psycopg.ProgrammingError as error:  # a URL that cannot be read; its text may quote the password
        raise SparkJobError("The database URL cannot be read: write postgresql://user:password@host/name.") from error
    with connection:
        yield connection


def _export(connection: psycopg.Connection[TupleRow]) -> Snapshot:
    try:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(NO_TIMEOUTS)
        (snapshot_id,) = connection.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()[0]
        rows = connection.execute(POSITIONS).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName) as error:
        raise SparkJobError(
            "The database has no relation coordinator.log_position: run `coordstream migrate`."
        ) from error
    except psycopg.Error as error:
        raise SparkJobError(
            f"The database exports no snapshot ({error.diag.message_primary}): read a primary."
        ) from error
    return Snapshot(snapshot_id, {(name, incarnation): offset for name, incarnation, offset in rows}, connection)
