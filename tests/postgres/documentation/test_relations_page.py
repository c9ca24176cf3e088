"""docs/relations.md is generated from the catalogue, completely."""

import os
import re
from pathlib import Path
from typing import Final

from eventlog.postgres.connection import Connection
from tests.checkout import CHECKOUT
from tests.fixtures.documentation.relations_page import (
    Column,
    Function,
    Relation,
    column_of,
    page,
    parse_page,
    sentences_and_key,
)
from tests.postgres.documentation.example_queries import example_files, examples_of

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


def relations_of(connection: Connection) -> list[Relation]:
    """Every relation of the schema `coordinator`, sorted by name, with its comments and its example queries."""
    functions = functions_by_relation(connection)
    return [
        Relation(
            name, *sentences_and_key(comment), columns_of(connection, name), functions.get(name, ()), examples_of(name)
        )
        for name, comment in connection.execute(_RELATIONS).fetchall()
    ]


def functions_by_relation(connection: Connection) -> dict[str, tuple[Function, ...]]:
    """The functions by the relation whose rows they return; other functions under an empty name."""
    found: dict[str, tuple[Function, ...]] = {}
    for relation, name, arguments, result, comment in connection.execute(_FUNCTIONS):
        found[relation] = (*found.get(relation, ()), Function(name, arguments, result, comment))
    return found


def columns_of(connection: Connection, relation: str) -> tuple[Column, ...]:
    return tuple(column_of(*row) for row in connection.execute(_COLUMNS, (relation,)))


PAGE: Final = CHECKOUT / "docs" / "relations.md"
PREFACE: Final = Path(__file__).with_name("preface.md")
RENEW: Final = "RENEW_DOCS"


def test_the_page_is_generated_from_the_database(connected: Connection) -> None:
    others = functions_by_relation(connected).get("", ())
    made = page(PREFACE.read_text(encoding="utf-8"), relations_of(connected), others)
    if os.environ.get(RENEW):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made, "A comment or an example has changed. Run `make docs` and commit."


def test_every_relation_and_function_is_on_the_page_and_no_other(connected: Connection) -> None:
    text = PAGE.read_text(encoding="utf-8")
    columns = connected.execute(
        "select table_name, array_agg(column_name::text order by ordinal_position) from information_schema.columns"
        " where table_schema = 'coordinator' group by table_name order by table_name"
    ).fetchall()
    functions = connected.execute("select proname from pg_proc where pronamespace = 'coordinator'::regnamespace")
    names = {name for (name,) in functions.fetchall()}
    assert [(relation.name, [c.name for c in relation.columns]) for relation in parse_page(text)] == columns
    assert set(re.findall(r"^- `(\w+)\(", text, re.MULTILINE)) == names
    mentioned = set(re.findall(r"\bcoordinator\.(\w+)", text))
    assert mentioned <= names | {relation for relation, _ in columns}


def test_every_relation_has_three_questions_and_every_file_its_relation(connected: Connection) -> None:
    relations = {relation.name: relation.examples for relation in relations_of(connected)}
    assert {name: len(examples) for name, examples in relations.items()} == dict.fromkeys(relations, 3)
    assert set(example_files()) == set(relations)
    questions = [example.question for examples in relations.values() for example in examples]
    assert len(set(questions)) == len(questions)
