"""Migrates a database to the schema that this program needs."""

from threading import Lock
from typing import Final, cast

import psycopg
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from psycopg.errors import InsufficientPrivilege, LockNotAvailable
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from coordstream.database import ADVICE, SchemaError, SchemaState, migrations_folder, schema_state
from eventlog.postgres.connection import Connection, lift_timeouts, server_reason
from projections.relations import SchemaDamaged

OLDEST_POSTGRES: Final = 16
"""The oldest major version whose SQL functions the relations can use."""
UPGRADE_LOCK: Final = 0x636F6F7264  # "coord"
_HAS_VERSIONS: Final = "select from pg_class where oid = to_regclass('eventlog.alembic_version')"
_ALEMBIC: Final = Lock()
"""Alembic keeps its context in a global variable: the threads of a process migrate one after the other."""


def upgrade(database_url: str) -> tuple[SchemaState, list[str] | None]:
    """Migrate a database to this program's schema, in one transaction. Concurrent upgrades wait for each other.

    Returns the state that it found and, if tables of the projection were missing and it was re-created empty, the
    streams to rebuild, else None. Raises `SchemaError`: the server or the schema has a version that this program cannot
    use, a table of the archive is missing, or a lock was not granted in time.
    """
    with _ALEMBIC, _engine(database_url).begin() as connection:
        driver = cast("Connection", connection.connection.driver_connection)
        lift_timeouts(driver, "local")
        require_postgres(driver.info.server_version)
        config = Config()
        config.set_main_option("script_location", str(migrations_folder()))
        config.attributes["connection"] = connection
        try:
            _take_turns(driver)
            state = schema_state(driver)
            if state is SchemaState.EMPTY:
                require_encoding(driver.info.parameter_status("server_encoding") or "")
            if state is SchemaState.NEWER:
                raise SchemaError(ADVICE[state])
            command.upgrade(config, "head")
        except (DBAPIError, psycopg.Error) as error:
            cause = getattr(error, "orig", error)
            if isinstance(cause, LockNotAvailable):
                message = "Another session holds a lock on coordstream's tables. End it, or wait, then migrate again."
                raise SchemaError(message) from error
            if isinstance(cause, InsufficientPrivilege):
                advice = "" if cause.diag.source_function == "exec_stmt_raise" else " Connect as the database's owner."
                raise SchemaError(f"The database refused the migration: {server_reason(cause)}.{advice}") from error
            raise
        except (CommandError, SchemaDamaged) as error:
            raise SchemaError(str(error)) from error
    return state, config.attributes.get("unfolded")


def _take_turns(connection: Connection) -> None:
    """Prevent other sessions from migrating until the transaction ends.

    Any login can take an advisory lock, so one is used only if the version table does not exist yet.
    """
    connection.execute("set local lock_timeout = '60s'")
    if not connection.execute(_HAS_VERSIONS).fetchone():
        connection.execute("select pg_advisory_xact_lock(%s)", (UPGRADE_LOCK,))
    if connection.execute(_HAS_VERSIONS).fetchone():
        connection.execute("lock table eventlog.alembic_version in exclusive mode")
    connection.execute("set local lock_timeout = '5s'")


def require_postgres(server_version: int) -> None:
    """Raise SchemaError if a server, with its version as in `server_version_num`, is older than Postgres 16."""
    major, minor = divmod(server_version, 10_000)
    if major < OLDEST_POSTGRES:
        message = f"This server is Postgres {major}.{minor}. coordstream needs Postgres {OLDEST_POSTGRES} or later."
        raise SchemaError(f"{message} Upgrade the server, or use another one.")


def require_encoding(server_encoding: str) -> None:
    """Raise SchemaError if a database does not store texts in UTF-8: it has no room for texts of other encodings."""
    if server_encoding != "UTF8":
        raise SchemaError(
            f"The database has the encoding {server_encoding}. coordstream needs UTF8. Use another database, which "
            "`create database NAME encoding 'UTF8' locale 'C' template template0` creates."
        )


def _engine(database_url: str) -> Engine:
    # psycopg parses the URL, not SQLAlchemy: it accepts everything that libpq does
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(database_url, client_encoding="UTF8"),
        poolclass=NullPool,
    )
