"""Recording A in an archive, and a session with the data source."""

from collections.abc import Callable, Iterator
from importlib import metadata

import psycopg
import pytest
from pyspark.sql import DataFrame, SparkSession

from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import connect
from eventlog.recording import read_recording
from eventlog.secret_policy import SecretPolicy
from spark_jobs.data_source.options import Access
from spark_jobs.data_source.source import register
from tests.coordstream.command_line import RECORDING_A
from tests.fixtures.postgres import CloneSeries
from tests.oracle import FINGERPRINT_KEY
from tests.properties.importing import import_events

SECRETS = SecretPolicy(FINGERPRINT_KEY)
PYSPARK = tuple(int(number) for number in metadata.version("pyspark").split(".")[:2])

collect_ignore = [] if PYSPARK >= (4, 2) else ["test_stream_reader.py", "test_topic_reader.py"]

Read = Callable[..., DataFrame]


@pytest.fixture(scope="session")
def archive_url(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """A database with recording A, which no test changes."""
    with CloneSeries(postgres_server, template_database) as series:
        url = series.next_url()
        with connect(url) as connection:
            for path in RECORDING_A:
                records = list(read_recording(path))
                import_events(connection, records[0][0], [event for _, event in records])
        yield url


@pytest.fixture
def archive(archive_url: str) -> Iterator[psycopg.Connection]:
    """A connection to recording A's database."""
    with psycopg.connect(archive_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def read(spark: SparkSession, archive_url: str) -> Read:
    """Reads with the data source, by its options."""
    register(spark, Access(SECRETS, archive_url))

    def load(**options: str) -> DataFrame:
        return spark.read.format("coordinator_stream").options(**options).load()

    return load
