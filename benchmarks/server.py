"""A server for the figures: the product's own, with the settings that it has in production, in a temporary folder."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from psycopg import sql

from benchmarks.processes import cpu_seconds, family_cpu_seconds, parent_of
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect

DEFAULT_TEMPLATE: Final = "template1"
MIGRATED_TEMPLATE: Final = "migrated"


class BenchmarkServer:
    """Gives a new database to each measurement."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server
        self._is_migrated = False

    @contextmanager
    def database(self, name: str, *, migrated: bool = True) -> Iterator[str]:
        """The URL of a new database, which is gone afterwards; what came before it is on disk already."""
        with connect(self._server.connect_url()) as connection:
            template = self._migrated_template(connection) if migrated else DEFAULT_TEMPLATE
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


def backend_cpu_seconds(connection: Connection) -> float | None:
    """CPU time of the connection's backend so far (None: unknown)."""
    return cpu_seconds(connection.info.backend_pid)
