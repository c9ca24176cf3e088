"""The database for measuring relations; kept in a folder if one is given, since loading takes minutes."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql

from benchmarks.relations import Extent, load_jobs
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import connect


@contextmanager
def kept_database(home: Path | None, extent: Extent, say: Callable[[str], None]) -> Iterator[str]:
    """The URL of a loaded and migrated database, on a server that is stopped at the end.

    ``home`` keeps the data, by extent; None: it is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="coordstream-bench-") as temporary:
        folder = home or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)  # the server may run as another user, who needs access
        server = EmbeddedPostgres(folder)
        try:
            server.start()
            yield _loaded(server, extent, say)
        finally:
            server.stop()


def _loaded(server: EmbeddedPostgres, extent: Extent, say: Callable[[str], None]) -> str:
    name = f"relations_{extent.events}_{extent.jobs}"
    url = server.connect_url(name)
    with connect(server.connect_url()) as connection:
        if connection.execute("select from pg_database where datname = %s", (name,)).fetchone() is None:
            unfinished = sql.Identifier(f"{name}_loading")
            connection.execute(sql.SQL("drop database if exists {}").format(unfinished))
            connection.execute(sql.SQL("create database {}").format(unfinished))
            loading = server.connect_url(f"{name}_loading")
            upgrade(loading)
            load_jobs(loading, extent, say)
            connection.execute(sql.SQL("alter database {} rename to {}").format(unfinished, sql.Identifier(name)))
    upgrade(url)
    return url
