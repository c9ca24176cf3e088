"""Whether a database has this program's schema, checked without Alembic and SQLAlchemy, which take a second to load.

If not, `coordstream.migrate` finds out what differs, and what to do.
"""

from functools import cache
from pathlib import Path
from typing import Final

import psycopg

from coordstream.errors import CoordstreamError
from eventlog.postgres.connection import Connection
from projections.relation_files import MISSING_RELATIONS, digest, tables, views

_STATE: Final = f"""
select obj_description(to_regnamespace('coordinator'), 'pg_namespace'), not exists ({MISSING_RELATIONS}),
       coalesce(has_schema_privilege(to_regnamespace('eventlog')::oid, 'usage'), false)
"""
_REVISION: Final = "select version_num from eventlog.alembic_version"


def is_current(connection: Connection) -> bool:
    """Whether the schema is this program's. False means: look with `coordstream.migrate`.

    For a user who may not read the revision, such as a reader, only the relations are compared.
    """
    try:
        row = connection.execute(_STATE, ([*tables(), *views()],)).fetchone()
        if row is None:
            return False
        comment, has_all, sees_revision = row
        if not has_all or str(comment).rpartition(" ")[2] != digest():
            return False
        return not sees_revision or connection.execute(_REVISION).fetchall() == [(head_revision(),)]
    except psycopg.ProgrammingError:  # a table is missing, or is not readable
        return False


def require_current(url: str, connection: Connection) -> None:
    """Raise CoordstreamError, which says what differs, unless the schema is this program's."""
    if not is_current(connection):
        from coordstream.migrate import require_schema  # noqa: PLC0415 (loads Alembic, SQLAlchemy)

        require_schema(url)


@cache
def head_revision() -> str:
    """The newest revision: the file names of revisions begin with their numbers."""
    return max(path.name for path in (migrations_folder() / "versions").glob("*.py")).partition("_")[0]


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
