"""Backup, restore and reset of the embedded database, with the ``pg_dump`` and ``pg_restore`` of the same Postgres.

A backup is an archive in pg_dump's custom format, taken in one snapshot while others read and write. Restore and reset
build a complete database beside the present one before they replace that.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from coordstream.errors import CoordstreamError
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.server import DATABASE
from eventlog.atomic_file import atomic_file, cannot_write
from eventlog.postgres.connection import Connection, connect

MAINTENANCE_DATABASE: Final = "postgres"
NEW: Final = f"{DATABASE}_new"
SCHEMA_ENTRY: Final = "SCHEMA - eventlog "
"""What the table of contents of a coordstream db backup has, and no other archive."""

_LOCK: Final = "select pg_try_advisory_lock(hashtext('coordstream: replace the database'))"
_STREAMS: Final = "select count(distinct stream_name) from eventlog.log"


def back_up(server: EmbeddedPostgres, file: Path) -> int:
    """Write the database of the running server to a new file that only its owner can read; its size in bytes.

    Raises CoordstreamError: the file exists, or cannot be written. Nothing is left behind.
    """
    if file.exists():
        raise CoordstreamError(f"File '{file}' already exists. Name a new file.")
    try:
        with atomic_file(file) as dump:
            # named, not as standard output: pg_dump then writes where each part is, so that a cut file is noticed
            _run(server, "pg_dump", ["--format=custom", f"--file={dump.name}"], server.connect_url())
    except OSError as error:
        raise CoordstreamError(cannot_write(file, error)) from None
    return file.stat().st_size


def check_backup(server: EmbeddedPostgres, file: Path) -> None:
    """Raise CoordstreamError or OSError unless the file is one that `back_up` wrote. The server need not run."""
    file.open("rb").close()
    listed = subprocess.run([server.bin_folder / "pg_restore", "--list", file], capture_output=True, check=False)
    if listed.returncode != 0 or SCHEMA_ENTRY.encode() not in listed.stdout:
        raise CoordstreamError(f"File '{file}' is not a backup written by `coordstream db backup`, or it is damaged.")


def restore(server: EmbeddedPostgres, file: Path) -> int:
    """Replace the empty, migrated database of the running server by the one in a backup; how many streams it has.

    A backup of an older coordstream is migrated.

    Raises:
        CoordstreamError: the database has streams, or gets one meanwhile, or the backup cannot be restored. The
            database is unchanged.
        SchemaError: the backup is from a newer coordstream.
    """
    _require_empty(server)
    with _replacement(server) as url:
        _run(server, "pg_restore", ["--exit-on-error", "--single-transaction", str(file)], url)
        upgrade(url)
        with connect(url) as connection:
            connection.execute("analyze")
            streams = _count_streams(connection)
        _require_empty(server)
    return streams


def reset(server: EmbeddedPostgres) -> None:
    """Replace the database of the running server by an empty one with this program's schema; port and users stay."""
    with _replacement(server) as url:
        upgrade(url)


def _require_empty(server: EmbeddedPostgres) -> None:
    with connect(server.connect_url()) as connection:
        if _count_streams(connection):
            raise CoordstreamError(
                "The embedded database is not empty. Run `coordstream db reset` first, or set COORDSTREAM_HOME to a "
                "new folder."
            )


@contextmanager
def _replacement(server: EmbeddedPostgres) -> Iterator[str]:
    """The URL of a new database, which replaces the present one at the end. After an error it is dropped."""
    with connect(server.connect_url(MAINTENANCE_DATABASE)) as admin:
        if admin.execute(_LOCK).fetchone() != (True,):
            raise CoordstreamError("Another `coordstream db restore` or `reset` is running. Wait until it ends.")
        new, present = sql.Identifier(NEW), sql.Identifier(DATABASE)
        drop = sql.SQL("drop database if exists {} with (force)")  # ends the sessions, and lets no new ones in
        admin.execute(drop.format(new))
        admin.execute(sql.SQL("create database {}").format(new))
        try:
            yield server.connect_url(NEW)
            admin.execute(drop.format(present))
            admin.execute(sql.SQL("alter database {} rename to {}").format(new, present))
        finally:
            admin.execute(drop.format(new))


def _count_streams(connection: Connection) -> int:
    ((count,),) = connection.execute(_STREAMS).fetchall()
    return int(count)


def _run(server: EmbeddedPostgres, program: str, options: Sequence[str], url: str) -> None:
    """Run a program of Postgres on a database. Other users can read its arguments, but not its environment."""
    place = conninfo_to_dict(url)
    environment = {"PATH": os.defpath, "LC_ALL": "C", "PGPASSWORD": str(place.pop("password"))}
    ended = subprocess.run(
        [server.bin_folder / program, "--no-password", "--dbname", make_conninfo("", **place), *options],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode != 0:
        raise CoordstreamError(f"{program} failed: {_reason(ended.stderr)}. The database is unchanged.")


def _reason(stderr: str) -> str:
    """The first error that a program reports. The lines after it may quote rows, so they are left out."""
    errors = (line.partition("error: ")[2] for line in stderr.splitlines() if "error: " in line)
    return next(errors, "it gives no reason").rstrip(".")
