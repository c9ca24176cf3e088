"""Services for tests, one of them with the recorded job for all tests of a file."""

from collections.abc import Iterator

import pytest

from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.serve.serving import serving
from tests.coordstream.serve.site import Site
from tests.fixtures.postgres import CloneSeries


@pytest.fixture(scope="module")
def recorded_url(postgres_server: EmbeddedPostgres, wordcount_template: str) -> Iterator[str]:
    """The URL of a database with recording A."""
    with CloneSeries(postgres_server, wordcount_template) as series:
        yield series.next_url()


@pytest.fixture(scope="module")
def recorded_site(recorded_url: str) -> Iterator[Site]:
    """Its service."""
    with serving(recorded_url) as served:
        yield Site(served)


@pytest.fixture
def site(database_url: str) -> Iterator[Site]:
    """The service of a database of the test's own."""
    with serving(database_url) as served:
        yield Site(served)
