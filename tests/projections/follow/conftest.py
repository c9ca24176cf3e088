"""A database with logs of its own, and a cluster that can be changed at will."""

from collections.abc import Iterator

import pytest

from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.source import PostgresSource
from eventlog.streams import identify
from tests.fixtures.memory_source import MemorySource
from tests.projections.follow.running import ORDERS, MakeLog, append


@pytest.fixture
def source(database_url: str) -> Iterator[PostgresSource]:
    """The logs of the test's database."""
    with PostgresSource(database_url) as opened:
        yield opened


@pytest.fixture
def make_log(connected: Connection) -> MakeLog:
    """Makes a log in Postgres, with a config key an event."""

    def make(stream_name: str, **config: str) -> PostgresEventLog:
        log = PostgresEventLog.create(connected, identify(stream_name))
        append(log, **config)
        return log

    return make


@pytest.fixture
def cluster() -> MemorySource:
    """A cluster in memory with an empty topic."""
    made = MemorySource()
    made.create(ORDERS)
    return made
