"""Creates and drops the SQL views and functions of the folder ``sql/``, and re-creates a projection that was dropped.

Views and functions hold no data. A migration drops and re-creates all of them in its transaction when their text in
this program differs from the text that created those in the database.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Final

from sqlalchemy import Connection, text

from projections.errors import ProjectionError
from projections.relation_files import MISSING_RELATIONS, definitions, digest, tables, views

_NEEDS: Final = re.compile(r"\A-- Needs: (.+)\n")
_COMMENT_OR_TEXT: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_CREATED: Final = re.compile(r"^create (?:view|function) (\w+\.\w+)", re.MULTILINE)
_USED: Final = re.compile(r"\b(?:projection|coordinator)\.\w+")
_DEPENDENT_OBJECTS: Final = "2BP01"
_OBJECTS: Final = """
select format('view %%I.%%I', n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('projection', 'coordinator') and c.relkind = 'v'
union all
select format('function %%s', p.oid::regprocedure)
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('projection', 'coordinator') or format('%%s.%%s', n.nspname, p.proname) = any(%(created)s)
"""
_PROJECTION_TABLES: Final = """
select format('table %%I.%%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'projection' and c.relkind in ('r', 'p') and not c.relispartition
"""


class SchemaDamaged(ProjectionError):
    """A table of the archive is missing, or an object of a user prevents that relations are re-created."""


def installed_digest(connection: Connection) -> str | None:
    """The digest of the definitions in the database; None if there are none or one of the views is missing."""
    if missing_relations(connection, views()):
        return None
    comment = connection.scalar(text("select obj_description(to_regnamespace('coordinator'), 'pg_namespace')"))
    return None if comment is None else str(comment).rpartition(" ")[2]


def missing_relations(connection: Connection, names: Sequence[str]) -> list[str]:
    """The tables and views (``schema.name``) of this list that do not exist, whether the user may read them or not."""
    return list(connection.exec_driver_sql(MISSING_RELATIONS, (list(names),)).scalars())


def create_relations(connection: Connection) -> None:
    """Create all views and functions. The bodies of functions are not checked: a file may come before those that it
    calls.
    """
    connection.execute(text("set local check_function_bodies = off"))
    for path in creation_order(definitions()):
        connection.exec_driver_sql(definitions()[path].replace("%", "%%"))
    connection.execute(text(f"comment on schema coordinator is 'The readers'' contract; relations {digest()}'"))


def creation_order(definitions: Mapping[str, str]) -> list[str]:
    """The paths of the files in the order to run them; always the same for the same definitions.

    What a file uses is read from its text. A file that concerns what others create without naming it declares that in
    its first line: ``-- Needs: *`` (every file without such a line), or ``-- Needs: *, grants`` (another file too).
    """
    creators = {name: path for path, sql in definitions.items() for name in _CREATED.findall(sql)}
    needs = {path: sorted(_needed_files(path, definitions, creators)) for path in sorted(definitions)}
    return list(TopologicalSorter(needs).static_order())


def _needed_files(path: str, definitions: Mapping[str, str], creators: Mapping[str, str]) -> set[str]:
    needed = {creators.get(name, path) for name in _USED.findall(_COMMENT_OR_TEXT.sub("", definitions[path]))}
    for need in declared[1].split(", ") if (declared := _NEEDS.match(definitions[path])) else ():
        needed |= {other for other, sql in definitions.items() if not _NEEDS.match(sql)} if need == "*" else {need}
    return needed - {path}


def drop_relations(connection: Connection) -> None:
    """Drop all views and functions. Raises SchemaDamaged, and drops nothing, if an object of a user depends on one."""
    created = [name for sql in definitions().values() for name in _CREATED.findall(sql)]
    remaining = list(connection.exec_driver_sql(_OBJECTS, {"created": created}).scalars())
    while remaining:
        failed = [name for name in remaining if not _is_dropped(connection, name)]
        if len(failed) == len(remaining):
            raise _in_use(failed[0])
        remaining = failed


def missing_tables(connection: Connection) -> list[str]:
    return missing_relations(connection, sorted(tables()))


def is_projection_missing(connection: Connection) -> bool:
    """Whether the projection or a table of it was dropped. Raises SchemaDamaged if one of the archive was."""
    missing = missing_tables(connection)
    for name in missing:
        if name.startswith("eventlog."):
            raise _archive_missing(name)
    return bool(missing)


def require_no_projection(connection: Connection) -> None:
    """Raise SchemaDamaged if there is a projection, in a database without a revision and so without an archive."""
    if connection.scalar(text("select to_regnamespace('projection') is not null")):
        raise _archive_missing("eventlog.alembic_version")


def recreate_projection(connection: Connection, upgrades: Iterable[Callable[[], None]]) -> None:
    """Drop the rest of the projection, and run the revisions, oldest first, in the caller's transaction.

    The revisions also create an archive, which is dropped; the existing archive has another name meanwhile. Raises
    SchemaDamaged if a user's object depends on the projection; the caller must roll back.
    """
    drop_relations(connection)
    dropped = connection.exec_driver_sql(_PROJECTION_TABLES).scalars().all()
    for name in (*dropped, "schema if exists projection", "schema if exists coordinator"):
        if not _is_dropped(connection, name):
            raise _in_use(name)
    connection.execute(text("alter schema eventlog rename to eventlog_kept"))
    connection.execute(text("create schema eventlog"))
    for upgrade in upgrades:
        upgrade()
    connection.execute(text("drop schema eventlog cascade"))
    connection.execute(text("alter schema eventlog_kept rename to eventlog"))


def _is_dropped(connection: Connection, name: str) -> bool:
    """Drop an object (``kind name``), unless another one depends on it."""
    savepoint = connection.begin_nested()
    try:
        connection.exec_driver_sql(f"drop {name}".replace("%", "%%"))
    except Exception as error:
        savepoint.rollback()
        if getattr(getattr(error, "orig", None), "sqlstate", None) == _DEPENDENT_OBJECTS:
            return False
        raise
    savepoint.commit()
    return True


def _in_use(name: str) -> SchemaDamaged:
    return SchemaDamaged(
        f"Cannot re-create the {name}: a view or function of yours depends on it. "
        "Drop yours, run `coordstream db migrate`, and create yours again."
    )


def _archive_missing(table: str) -> SchemaDamaged:
    return SchemaDamaged(
        f"The table {table} is missing. Restore the schema eventlog from a backup; or drop the schemas eventlog, "
        "projection and coordinator, run `coordstream db migrate`, and import or follow the streams again."
    )
