"""Migrates a database, and says whether its schema is the one that this program needs."""

from enum import StrEnum
from threading import Lock
from typing import Final

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.pool import NullPool

from coordstream.errors import CoordstreamError
from coordstream.schema_check import migrations_folder
from eventlog.postgres.connection import server_reason
from projections.relation_files import digest
from projections.relations import SchemaDamaged, installed_digest, missing_tables

LOCK_NOT_AVAILABLE = "55P03"
OLDEST_POSTGRES: Final = 16
"""The oldest major version whose SQL functions the relations can use."""
_ALEMBIC: Final = Lock()
"""Alembic keeps its context in a global variable: the threads of a process migrate one after the other."""


class SchemaState(StrEnum):
    """A database's schema compared with the one that this program needs."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"
    INCOMPLETE = "incomplete"
    OTHER = "other"


class SchemaError(CoordstreamError):
    """The database's schema is not the one that this program needs, or cannot be migrated."""


ADVICE = {
    SchemaState.EMPTY: "No coordstream schema in this database. Run `coordstream db migrate`.",
    SchemaState.OLDER: "The database schema is older than this program. Run `coordstream db migrate`.",
    SchemaState.INCOMPLETE: "Tables of the database schema are missing. Run `coordstream db migrate`.",
    SchemaState.NEWER: "The database schema is newer than this program. Install a newer version of coordstream.",
    SchemaState.OTHER: "The database schema is that of another version of coordstream. Install that version, or ask "
    "the database's owner to run `coordstream db migrate`.",
}


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["connection"] = connection
    return config


def upgrade(database_url: str) -> list[str] | None:
    """Migrate a database to this program's schema, in one transaction. Concurrent upgrades wait for each other.

    Returns None, or, if tables of the projection were missing and it was re-created empty, the streams to rebuild.

    Raises:
        SchemaError: the server or the schema has a version that this program cannot use, a table of the archive is
            missing, or a lock was not granted in time.
    """
    with _ALEMBIC, _engine(database_url).begin() as connection:
        require_postgres(int(connection.scalar(text("select current_setting('server_version_num')")) or 0))
        state = schema_state(connection)
        if state is SchemaState.EMPTY:
            require_encoding(str(connection.scalar(text("select current_setting('server_encoding')"))))
        if state is SchemaState.NEWER:
            raise SchemaError(ADVICE[SchemaState.NEWER])
        config = _config(connection)
        try:
            command.upgrade(config, "head")
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            message = "Another session holds a lock on coordstream's tables. End it, or wait, then migrate again."
            raise SchemaError(message) from error
        except ProgrammingError as error:
            if not isinstance(error.orig, InsufficientPrivilege):
                raise
            raise SchemaError(f"The database refused the migration: {server_reason(error.orig)}.") from error
        except (CommandError, SchemaDamaged) as error:
            raise SchemaError(str(error)) from error
    to_rebuild: list[str] | None = config.attributes.get("unfolded")
    return to_rebuild


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


def current_revision(connection: Connection) -> str | None:
    """The revision of the database's schema; None if it has none."""
    if connection.scalar(text("select to_regclass('eventlog.alembic_version')")) is None:
        return None
    revision = connection.scalar(text("select version_num from eventlog.alembic_version"))
    return None if revision is None else str(revision)


def schema_state(connection: Connection) -> SchemaState:
    """Compare the database's schema with this program's.

    For a user who may not read the revision, such as a reader, only the relations are compared: they are this
    program's, or of another version.
    """
    if not _sees_revision(connection):
        return SchemaState.CURRENT if installed_digest(connection) == digest() else SchemaState.OTHER
    script = ScriptDirectory.from_config(_config())
    revision = current_revision(connection)
    if revision == script.get_current_head() and missing_tables(connection):
        return SchemaState.INCOMPLETE
    if revision is None:
        return SchemaState.EMPTY
    if revision not in {known.revision for known in script.walk_revisions()}:
        return SchemaState.NEWER
    is_current = revision == script.get_current_head() and installed_digest(connection) == digest()
    return SchemaState.CURRENT if is_current else SchemaState.OLDER


def require_current(connection: Connection) -> None:
    """Raise SchemaError, with what to do, unless the database's schema is this program's."""
    state = schema_state(connection)
    if state is not SchemaState.CURRENT:
        raise SchemaError(ADVICE[state])


def read_schema_state(database_url: str) -> SchemaState:
    """Compare a database's schema with this program's."""
    with _engine(database_url).connect() as connection:
        return schema_state(connection)


def require_schema(database_url: str) -> None:
    """Raise SchemaError, with what to do, unless a database's schema is this program's."""
    with _engine(database_url).connect() as connection:
        require_current(connection)


def _engine(database_url: str) -> Engine:
    # psycopg parses the URL, not SQLAlchemy: it accepts everything that libpq does
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(database_url, client_encoding="UTF8"),
        poolclass=NullPool,
    )


def _sees_revision(connection: Connection) -> bool:
    seen = connection.scalar(
        text("select has_schema_privilege(n.oid, 'usage') from pg_namespace n where n.nspname = 'eventlog'")
    )
    return seen is None or bool(seen)
