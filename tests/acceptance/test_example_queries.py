"""The example queries of docs/relations.md run as a reader would run them, over the recorded job."""

import re
from collections.abc import Iterator
from typing import Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.acceptance.imported_job import ImportedJob
from tests.acceptance.odd_jobs import import_recording_a
from tests.builders import checkpoint_v1, config_set, recorded
from tests.documentation.example_queries import MAY_BE_EMPTY, example_files, examples_of
from tests.documentation.relations_page import Example
from tests.fixtures.postgres import CloneSeries

pytestmark = pytest.mark.slow

EXAMPLES: Final = [
    pytest.param(example, id=f"{relation} {number}")
    for relation in example_files()
    for number, example in enumerate(examples_of(relation), 1)
]


@pytest.fixture(scope="module")
def reader(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    """A reader's connection to a database with the recorded job."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        import_recording_a(connection)
        connection.execute("set role coordstream_reader")
        yield connection


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


def test_examples_about_the_last_and_the_previous_event_with_several_incarnations(connection: Connection) -> None:
    """Offsets begin again in the second incarnation of each log, which is shorter than the first."""
    name = config_set("job.name", "wordcount_pv")
    config = [[name, *(config_set("a", str(value)) for value in values)] for values in ((1, 2, 3, 4), (5, 6))]
    commits = [[checkpoint_v1("t", {"kafka.in.0": str(n)}) for n in numbers] for numbers in ((10, 20, 30), (31, 32))]
    job = ImportedJob(connection, "wordcount_pv", coordinator=config[0], checkpoints=commits[0])
    job.import_recorded(job.coordinator_stream, recorded(config[1]))
    job.import_recorded(job.checkpoint_stream, recorded(commits[1]))
    last_change, went_back = examples_of("config_change")[0].query, examples_of("checkpoint_history")[1].query
    changes = [row[:3] for row in connection.execute(last_change.encode())]
    assert changes == [("a", "5", "6"), ("job.name", None, "wordcount_pv")]
    assert connection.execute(went_back.encode()).fetchall() == []
