"""A server for the figures: the product's own, with the settings that it has in production, in a temporary folder."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql

from benchmarks.processes import cpu_seconds, family_cpu_seconds, parent_of
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect


class BenchmarkServer:
    """Gives a new database to each measurement."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server

    @contextmanager
    def database(self, name: str, *, migrated: bool = True) -> Iterator[str]:
        """The URL of a new database, which is gone afterwards; what came before it is on disk already."""
        with connect(self._server.connect_url()) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            url = self._server.connect_url(name)
            if migrated:
                upgrade(url)
            connection.execute("checkpoint")
            yield url
            connection.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))

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


def backend_cpu_seconds(connection: Connection) -> float | None:
    """CPU time of the connection's backend so far (None: unknown)."""
    return cpu_seconds(connection.info.backend_pid)
