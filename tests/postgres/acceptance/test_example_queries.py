"""The example queries of docs/relations.md run as a reader would run them, over the recorded job."""

import re
from typing import Final

import pytest

from eventlog.postgres.connection import Connection
from tests.fixtures.acceptance.odd_jobs import import_recording_a
from tests.fixtures.documentation.relations_page import Example
from tests.postgres.documentation.example_queries import MAY_BE_EMPTY, example_files, examples_of

pytestmark = pytest.mark.slow

EXAMPLES: Final = [
    pytest.param(example, id=f"{relation} {number}")
    for relation in example_files()
    for number, example in enumerate(examples_of(relation), 1)
]


@pytest.fixture(scope="module")
def reader(database: Connection) -> Connection:
    """A reader's connection to a database with the recorded job."""
    import_recording_a(database)
    database.execute("set role coordstream_reader")
    return database


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_answers_its_question(reader: Connection, example: Example) -> None:
    cursor = reader.execute(example.query.encode())
    names = [column.name for column in cursor.description or ()]
    assert all(re.fullmatch("[a-z][a-z_]*", name) for name in names)
    assert len(set(names)) == len(names)
    assert cursor.fetchall() or MAY_BE_EMPTY in example.query


def test_an_example_queries_its_relation() -> None:
    elsewhere = [
        (relation, example.question)
        for relation in example_files()
        for example in examples_of(relation)
        if not re.search(rf"coordinator\.{relation}(_as_of|_as_of_offset)?\b", example.query)
    ]
    assert elsewhere == []
