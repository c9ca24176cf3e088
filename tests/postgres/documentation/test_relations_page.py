"""docs/relations.md is generated from the catalogue, completely."""

import os
import re
from pathlib import Path
from typing import Final

from eventlog.postgres.connection import Connection, connect
from tests.checkout import CHECKOUT
from tests.fixtures.documentation.relations_page import page, parse_page
from tests.postgres.documentation.catalogue import functions_by_relation, relations_of
from tests.postgres.documentation.example_queries import example_files, examples_of

PAGE: Final = CHECKOUT / "docs" / "relations.md"
PREFACE: Final = Path(__file__).with_name("preface.md")
RENEW: Final = "RENEW_DOCS"


def made_page(connection: Connection) -> str:
    relations = relations_of(connection, examples_of)
    return page(PREFACE.read_text(encoding="utf-8"), relations, functions_by_relation(connection).get("", ()))


def test_the_page_is_generated_from_the_database(database_url: str) -> None:
    with connect(database_url) as connection:
        made = made_page(connection)
    if os.environ.get(RENEW):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made, "A comment or an example has changed. Run `make docs` and commit."


def test_every_relation_and_function_is_on_the_page_and_no_other(database_url: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    with connect(database_url) as connection:
        columns = connection.execute(
            "select table_name, array_agg(column_name::text order by ordinal_position) from information_schema.columns"
            " where table_schema = 'coordinator' group by table_name order by table_name"
        ).fetchall()
        functions = connection.execute("select proname from pg_proc where pronamespace = 'coordinator'::regnamespace")
        names = {name for (name,) in functions.fetchall()}
    assert [(relation.name, [c.name for c in relation.columns]) for relation in parse_page(text)] == columns
    assert set(re.findall(r"^- `(\w+)\(", text, re.MULTILINE)) == names
    mentioned = set(re.findall(r"\bcoordinator\.(\w+)", text))
    assert mentioned <= names | {relation for relation, _ in columns}


def test_every_relation_has_three_questions_and_every_file_its_relation(database_url: str) -> None:
    with connect(database_url) as connection:
        relations = {relation.name: relation.examples for relation in relations_of(connection, examples_of)}
    assert {name: len(examples) for name, examples in relations.items()} == dict.fromkeys(relations, 3)
    assert set(example_files()) == set(relations)
    questions = [example.question for examples in relations.values() for example in examples]
    assert len(set(questions)) == len(questions)
