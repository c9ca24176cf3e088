"""The relations and functions of the schema `coordinator` with their comments, read from a database."""

from collections.abc import Callable
from typing import Final

from eventlog.postgres.connection import Connection
from tests.fixtures.documentation.relations_page import (
    Column,
    Example,
    Function,
    Relation,
    column_of,
    sentences_and_key,
)

_RELATIONS: Final = """
select relname, coalesce(obj_description(oid, 'pg_class'), '') from pg_class
where relnamespace = 'coordinator'::regnamespace and relkind = 'v' order by relname
"""
_COLUMNS: Final = """
select attname, format_type(atttypid, atttypmod), coalesce(col_description(attrelid, attnum), '') from pg_attribute
where attrelid = format('coordinator.%%I', %s::text)::regclass and attnum > 0 order by attnum
"""
_FUNCTIONS: Final = """
select coalesce(c.relname, ''), p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
       coalesce(obj_description(p.oid, 'pg_proc'), '')
from pg_proc p left join pg_class c on c.reltype = p.prorettype and c.relnamespace = p.pronamespace
where p.pronamespace = 'coordinator'::regnamespace order by p.proname, p.pronargs
"""


def relations_of(connection: Connection, examples: Callable[[str], tuple[Example, ...]]) -> list[Relation]:
    """Every relation, sorted by name; ``examples`` returns the example queries of a relation."""
    functions = functions_by_relation(connection)
    return [
        Relation(name, *sentences_and_key(comment), _columns(connection, name), functions.get(name, ()), examples(name))
        for name, comment in connection.execute(_RELATIONS).fetchall()
    ]


def functions_by_relation(connection: Connection) -> dict[str, tuple[Function, ...]]:
    """The functions by the relation whose rows they return; other functions under an empty name."""
    found: dict[str, tuple[Function, ...]] = {}
    for relation, name, arguments, result, comment in connection.execute(_FUNCTIONS):
        found[relation] = (*found.get(relation, ()), Function(name, arguments, result, comment))
    return found


def _columns(connection: Connection, relation: str) -> tuple[Column, ...]:
    return tuple(column_of(*row) for row in connection.execute(_COLUMNS, (relation,)))
