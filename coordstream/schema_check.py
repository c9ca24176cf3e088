"""Compares a database's schema with this program's, without Alembic and SQLAlchemy, which take a second to load."""

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import Connection
from projections.relation_files import MISSING_RELATIONS, digest, tables, views

_STATE: Final = f"""
select obj_description(to_regnamespace('coordinator'), 'pg_namespace'),
       not exists ({MISSING_RELATIONS}), not exists ({MISSING_RELATIONS}),
       coalesce(has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage'), true)
"""


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


ADVICE: Final = {
    SchemaState.EMPTY: "No coordstream schema in this database. Run `coordstream db migrate`.",
    SchemaState.OLDER: "The database schema is older than this program. Run `coordstream db migrate`.",
    SchemaState.INCOMPLETE: "Tables of the database schema are missing. Run `coordstream db migrate`.",
    SchemaState.NEWER: "The database schema is newer than this program. Install a newer version of coordstream.",
    SchemaState.OTHER: "The database schema is that of another version of coordstream. Install that version, or ask "
    "the database's owner to run `coordstream db migrate`.",
}


def schema_state(connection: Connection) -> SchemaState:
    """Compare the database's schema with this program's.

    For a user who may not read the revision, such as a reader, only the relations are compared: they are this
    program's, or of another version.
    """
    ((comment, has_views, has_tables, sees_revision),) = connection.execute(_STATE, (views(), tables())).fetchall()
    has_relations = has_views and str(comment).rpartition(" ")[2] == digest()
    if not sees_revision:
        return SchemaState.CURRENT if has_relations else SchemaState.OTHER
    revision = current_revision(connection)
    if revision is None:
        return SchemaState.EMPTY
    if revision not in _revisions():
        return SchemaState.NEWER
    if revision == head_revision() and not has_tables:
        return SchemaState.INCOMPLETE
    return SchemaState.CURRENT if revision == head_revision() and has_relations else SchemaState.OLDER


def require_current(connection: Connection) -> None:
    """Raise SchemaError, with what to do, unless the database's schema is this program's."""
    state = schema_state(connection)
    if state is not SchemaState.CURRENT:
        raise SchemaError(ADVICE[state])


def current_revision(connection: Connection) -> str | None:
    """The revision of the database's schema; None if it has none."""
    if connection.execute("select to_regclass('eventlog.alembic_version')").fetchone() == (None,):
        return None
    row = connection.execute("select version_num from eventlog.alembic_version").fetchone()
    return None if row is None else str(row[0])


def head_revision() -> str:
    """The newest revision of this program."""
    return max(_revisions())


@cache
def _revisions() -> frozenset[str]:
    """The revisions of this program: the file names of revisions begin with their numbers."""
    return frozenset(path.name.partition("_")[0] for path in (migrations_folder() / "versions").glob("*.py"))


def migrations_folder(package: Path = Path(__file__).parent) -> Path:
    """The folder of Alembic's ``env.py`` and ``versions``: in coordstream (a wheel), or beside it (a checkout).

    ``package`` is the folder of coordstream.

    Raises:
        CoordstreamError: neither place has it, because the installation is broken.
    """
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise CoordstreamError(f"No migrations in {package} or beside it. Reinstall coordstream.")
