"""docs/relations.md is generated from the catalogue, completely."""

import os
import re
from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from tests.documentation.catalogue import functions_by_relation, relations_of
from tests.documentation.example_queries import example_files, examples_of
from tests.documentation.relations_page import (
    Column,
    Example,
    Function,
    Relation,
    column_of,
    page,
    parse_page,
    sentences_and_key,
)

PAGE: Final = Path(__file__).parents[2] / "docs" / "relations.md"
PREFACE: Final = Path(__file__).with_name("preface.md")
RENEW: Final = "RENEW_DOCS"
SMALL: Final = Relation(
    "config",
    "What is set.",
    ("job_name", "job_id", "config_key"),
    (
        Column("config_key", "text", None, "The key: `a|b`."),
        Column("record_time", "timestamptz", "it is unknown", "Its time."),
    ),
)


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


def test_a_page_can_be_parsed() -> None:
    text = page("# Preface\n\n## How", [SMALL, SMALL], [Function("wait_for", "at text", "boolean", "Waits.")])
    assert parse_page(text) == [SMALL, SMALL]


def test_functions_and_examples_are_below_the_table() -> None:
    as_of = Function(
        "config_as_of", "at timestamp with time zone, kind text DEFAULT NULL::text", "SETOF coordinator.config", "Then."
    )
    relation = Relation(
        SMALL.name, SMALL.sentences, SMALL.key, SMALL.columns, (as_of,), (Example("Which?", "select 1;"),)
    )
    _, _, below = page("# P", [relation], []).partition("Its time. |\n\n")
    assert below == (
        "- `config_as_of(at timestamptz, kind text default null)`: Then.\n\n### Which?\n\n```sql\nselect 1;\n```\n"
    )


def test_a_function_of_no_relation_shows_its_result() -> None:
    text = page("# P", [], [Function("wait_for", "at timestamp with time zone", "boolean", "Waits.\nLong.")])
    assert "- `wait_for(at timestamptz) returns boolean`: Waits. Long.\n" in text


@pytest.mark.parametrize(
    ("comment", "null_when", "meaning"),
    [
        ("The key.", None, "The key."),
        ("The time. Null: it is unknown, or odd.", "it is unknown, or odd", "The time."),
        ("Null: always.", "always", ""),
    ],
)
def test_a_columns_comment_says_when_it_is_null(comment: str, null_when: str | None, meaning: str) -> None:
    assert column_of("c", "timestamp with time zone", comment) == Column("c", "timestamptz", null_when, meaning)


@pytest.mark.parametrize(
    ("said", "beside_the_job"),
    [
        ("the job", ()),
        ("config_key", ("config_key",)),
        ("provenance, task_name", ("stream_kind", "incarnation", "log_offset", "task_name")),
    ],
)
def test_a_relations_comment_ends_with_its_key(said: str, beside_the_job: tuple[str, ...]) -> None:
    assert sentences_and_key(f"One. Two.\nKey: {said}.") == ("One. Two.", ("job_name", "job_id", *beside_the_job))


def test_a_relation_without_a_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="no last line `Key"):
        sentences_and_key("Every job.")
