"""The SQL views and functions of the folder ``sql/``, and how they get into a database.

They hold no data. A migration drops and re-creates all of them in its transaction when their text in this program
differs from the text that created those in the database.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, text

from projections.errors import RelationInUse
from projections.relation_files import MISSING_RELATIONS, definitions, digest, tables, views
from projections.relation_order import creation_order

__all__ = ["create_relations", "digest", "drop_relations", "installed_digest", "missing_relations"]

_OBJECTS = text(
    """
    select n.nspname as schema_name, c.relname as object_name, 'view' as kind, null as arguments
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('projection', 'coordinator') and c.relkind = 'v'
    union all
    select n.nspname, p.proname, 'function', pg_get_function_identity_arguments(p.oid)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('projection', 'coordinator')
    """
)


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
    """Create all views and functions.

    The bodies of functions are not checked: a file may define a function before those that it calls.
    """
    connection.execute(text("set local check_function_bodies = off"))
    for path in creation_order(definitions(), tables()):
        connection.exec_driver_sql(definitions()[path].replace("%", "%%"))
    connection.execute(text(f"comment on schema coordinator is 'The readers'' contract; relations {digest()}'"))


def drop_relations(connection: Connection) -> None:
    """Drop all views and functions, but nothing of a user that depends on them.

    Raises:
        RelationInUse: an object of a user depends on one of them; nothing was dropped.
    """
    remaining = list(_statements(connection))
    while remaining:
        failed = [statement for statement in remaining if not _dropped(connection, statement)]
        if len(failed) == len(remaining):
            raise RelationInUse(failed[0].split()[2])
        remaining = failed


def _statements(connection: Connection) -> Iterator[str]:
    for schema_name, object_name, kind, arguments in connection.execute(_OBJECTS):
        signature = "" if arguments is None else f"({arguments})"
        yield f'drop {kind} {schema_name}."{object_name}"{signature}'


def _dropped(connection: Connection, statement: str) -> bool:
    savepoint = connection.begin_nested()
    try:
        connection.exec_driver_sql(statement.replace("%", "%%"))
    except Exception as error:
        savepoint.rollback()
        if getattr(getattr(error, "orig", None), "sqlstate", None) == "2BP01":  # an object depends on it
            return False
        raise
    savepoint.commit()
    return True
