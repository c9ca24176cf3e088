"""A database of many imported jobs, and a session of Spark Connect."""

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

from coordstream.postgres import EmbeddedPostgres
from tests.fixtures.postgres import CloneSeries
from tests.spark_jobs.fleet import import_fleet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def fleet_url(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[str]:
    """A database of the module's own with the fleet."""
    with CloneSeries(postgres_server, template_database) as series:
        url = series.next_url()
        import_fleet(url)
        yield url


@pytest.fixture(scope="session")
def connect_url(spark_session: "SparkSession") -> Iterator[str]:
    """The address of a Spark Connect server in the JVM of the run's session."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = spark_session.sparkContext._jsc.sc()
    context.conf().set("spark.connect.grpc.binding.address", "127.0.0.1")
    context.conf().set("spark.connect.grpc.binding.port", str(port))
    plugin = cast("Any", spark_session._jvm).org.apache.spark.sql.connect.SparkConnectPlugin().driverPlugin()
    plugin.init(context, None)
    yield f"sc://127.0.0.1:{port}"
    plugin.shutdown()


@pytest.fixture
def connect_session(connect_url: str) -> Iterator["SparkSession"]:
    """A session of Spark Connect: it has no SparkContext and no JVM."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession  # noqa: PLC0415

    session = ConnectSession.builder.remote(connect_url).create()
    yield cast("SparkSession", session)
    session.stop()
