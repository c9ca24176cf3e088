"""A migrated database for a whole module, where each test has a job of its own."""

from collections.abc import Iterator

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.sure_postgres import clones, sure_server

__all__ = ["clones", "database", "sure_server"]


@pytest.fixture(scope="module")
def database(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    """A connection to the module's database, made as the product makes them."""
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connection:
        yield connection
