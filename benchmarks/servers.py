"""The servers for the figures: the product's Postgres as in production, and the tests' broker with a larger JVM."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from psycopg import sql

from benchmarks.processes import family_cpu_seconds, parent_of
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.fixtures.jar_list import KAFKA_JARS
from tests.fixtures.kafka_broker import JVM, running_broker
from tests.fixtures.kafka_topics import LASTING, Topics

MIGRATED_TEMPLATE: Final = "migrated"

JARS: Final = Path(".pytest_cache/d/kafka-jars")
"""The folder that the tests use too."""

TOPIC_SETTINGS: Final[Mapping[str, str]] = {
    **LASTING,
    "segment.bytes": str(2**31 - 1),  # the active segment is never compacted, however old its events are
    "message.timestamp.after.max.ms": str(2**63 - 1),  # some generated events are a century in the future
}

PRODUCTION_JVM: Final = (
    "-Xms1g",
    "-Xmx1g",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    *(option for option in JVM if option.startswith("-D")),
)
"""Heap and collector of Kafka's own scripts: with those of the tests, a full collection stops the broker for 200 ms."""


class BenchmarkServer:
    """Gives a new database to each measurement."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server
        self._is_migrated = False

    @contextmanager
    def database(self, name: str) -> Iterator[str]:
        """The URL of a new database, which is gone afterwards; what came before it is on disk already."""
        with connect(self._server.connect_url()) as connection:
            template = self._migrated_template(connection)
            connection.execute(sql.SQL("create database {} template {}").format(*map(sql.Identifier, (name, template))))
            connection.execute("checkpoint")
            yield self._server.connect_url(name)
            connection.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))

    def _migrated_template(self, connection: Connection) -> str:
        if not self._is_migrated:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(MIGRATED_TEMPLATE)))
            upgrade(self._server.connect_url(MIGRATED_TEMPLATE))
            self._is_migrated = True
        return MIGRATED_TEMPLATE

    def cpu_seconds(self) -> float:
        """CPU time of all processes of the server so far."""
        with connect(self._server.connect_url()) as connection:
            return family_cpu_seconds(parent_of(connection.info.backend_pid))


@contextmanager
def benchmark_server() -> Iterator[BenchmarkServer]:
    """A started server; it and its folder are gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="coordstream-bench-"))
    home.chmod(0o711)  # the server's user, who may be another, passes through
    server = EmbeddedPostgres(home)
    try:
        server.start()
        yield BenchmarkServer(server)
    finally:
        server.stop()
        shutil.rmtree(home)


@contextmanager
def benchmark_broker(jars: Path = JARS) -> Iterator[Topics]:
    """The topics of a temporary broker, whose jars are fetched if missing."""
    jars.mkdir(parents=True, exist_ok=True)
    with (
        running_broker(KAFKA_JARS.folder(jars, os.environ), jvm=PRODUCTION_JVM) as broker,
        Topics(broker.bootstrap_servers) as topics,
    ):
        yield topics
