"""Whether a database has this program's schema, checked without Alembic and SQLAlchemy, which take a second to load.

If not, `coordstream.migrate` finds out what differs, and what to do.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

import psycopg

from coordstream.migration_files import migrations_folder
from eventlog.postgres.connection import Connection
from projections.relation_files import MISSING_RELATIONS, digest, tables, views

_ASSIGNED: Final = re.compile(r'^(down_)?revision = "(\w+)"$', re.MULTILINE)
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
def head_revision(folder: Path | None = None) -> str | None:
    """The revision that is the parent of no other; None if that is not exactly one."""
    versions = (folder or migrations_folder()) / "versions"
    found = [_ASSIGNED.findall(path.read_text(encoding="utf-8")) for path in versions.glob("*.py")]
    revisions = {name for each in found for is_down, name in each if not is_down}
    heads = revisions - {name for each in found for is_down, name in each if is_down}
    return heads.pop() if len(heads) == 1 else None
