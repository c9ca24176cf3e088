"""Migrations as commands see them: upgrade, downgrade, and whether a database fits this program."""

from collections.abc import Callable
from enum import StrEnum
from threading import Lock
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.pool import NullPool

from coordstream.errors import CoordstreamError
from coordstream.migration_files import migrations_folder
from eventlog.postgres.connection import server_reason
from projections.errors import ArchiveMissing, RelationInUse
from projections.missing_tables import missing_tables
from projections.relations import digest, installed_digest

LOCK_NOT_AVAILABLE = "55P03"
_ALEMBIC: Final = Lock()
"""Alembic keeps what it works on in a global of the process: threads migrate in turn, whatever the database."""


class SchemaState(StrEnum):
    """How a database's schema stands to this program."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"
    INCOMPLETE = "incomplete"


class SchemaError(CoordstreamError):
    """The database's schema does not fit this program."""


_ADVICE = {
    SchemaState.EMPTY: "the database has no coordstream schema yet: run `coordstream migrate`",
    SchemaState.OLDER: "the database's schema is older than this program: run `coordstream migrate`",
    SchemaState.INCOMPLETE: "tables of the database's schema are missing: run `coordstream migrate`",
    SchemaState.NEWER: "the database's schema is newer than this program: install the coordstream that migrated it",
}


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["connection"] = connection
    return config


def _engine_url(database_url: str) -> str:
    return make_url(database_url).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def upgrade(database_url: str) -> list[str] | None:
    """Bring a database to this program's schema, in one transaction; two at once wait for each other.

    Where tables of the projection were missing, it is made again, empty, and the streams are given that are to be
    rebuilt; else None.

    Raises:
        SchemaError: the schema is newer than this program, a table of the archive is missing, or a lock could not be
            had in time.
    """
    return _run(database_url, lambda config: command.upgrade(config, "head"))


def downgrade(database_url: str, revision: str) -> None:
    """Take a database back to an earlier revision (`base`, `-1`, a revision id); relations go with it."""
    _run(database_url, lambda config: command.downgrade(config, revision))


def current_revision(connection: Connection) -> str | None:
    """The revision that the database stands at; None before the first."""
    if connection.scalar(text("select to_regclass('eventlog.alembic_version')")) is None:
        return None
    revision = connection.scalar(text("select version_num from eventlog.alembic_version"))
    return None if revision is None else str(revision)


def schema_state(connection: Connection) -> SchemaState:
    """Compare the database's schema with this program's.

    Who may not see the revision, as a reader may not, is told by the relations alone.
    """
    if not _sees_revision(connection):
        return SchemaState.CURRENT if installed_digest(connection) == digest() else SchemaState.OLDER
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
        raise SchemaError(_ADVICE[state])


def _sees_revision(connection: Connection) -> bool:
    seen = connection.scalar(
        text("select has_schema_privilege(n.oid, 'usage') from pg_namespace n where n.nspname = 'eventlog'")
    )
    return seen is None or bool(seen)


def _run(database_url: str, act: Callable[[Config], None]) -> list[str] | None:
    engine = create_engine(_engine_url(database_url), poolclass=NullPool)
    with _ALEMBIC, engine.begin() as connection:
        if schema_state(connection) is SchemaState.NEWER:
            raise SchemaError(_ADVICE[SchemaState.NEWER])
        config = _config(connection)
        try:
            act(config)
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            message = "another session holds a lock on coordstream's tables: end it or wait, then migrate again"
            raise SchemaError(message) from error
        except ProgrammingError as error:
            if not isinstance(error.orig, InsufficientPrivilege):
                raise
            raise SchemaError(f"the database refuses to migrate: {server_reason(error.orig)}") from error
        except (CommandError, RelationInUse, ArchiveMissing) as error:
            raise SchemaError(str(error)) from error
    unfolded: list[str] | None = config.attributes.get("unfolded")
    return unfolded
