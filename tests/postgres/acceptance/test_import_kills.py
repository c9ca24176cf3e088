"""Imports end, after a kill (-9) of the database, in the relations of an undisturbed import."""

import os
import signal
from contextlib import suppress
from functools import partial
from typing import Final

import psycopg
import pytest

from coordstream.cli.imports import check_files, import_checked
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from projections.projector import Projector
from tests.fixtures.coordstream.command_line import RECORDING_A
from tests.fixtures.postgres import migrate
from tests.fixtures.postgres_server import running_server
from tests.fixtures.properties.generated_jobs import LONG, generate_job
from tests.fixtures.properties.importing import CURRENT, HISTORIES, RowsByJob, import_events, rows_by_job
from tests.fixtures.sure_postgres import SURE_SETTINGS, kill_server

BATCH_EVENTS: Final = 7
FORGETFUL_SETTINGS: Final = {**SURE_SETTINGS, "wal_writer_delay": "10s"}
"""A killed server loses commits that did not wait for the disk."""


def import_all(connection: Connection, number: int) -> None:
    for log in generate_job(number, LONG).logs:
        import_events(connection, log.stream_name, log.events, BATCH_EVENTS)


@pytest.mark.slow
def test_an_import_continues_after_the_database_was_killed() -> None:
    with running_server(FORGETFUL_SETTINGS) as server:
        with psycopg.connect(server.connect_url("postgres"), autocommit=True) as admin:
            admin.execute("create database disturbed")
            admin.execute("create database undisturbed")
        urls = [server.connect_url(name) for name in ("undisturbed", "disturbed")]
        for url in urls:
            migrate(url)
        with connect(urls[0]) as connection:
            import_all(connection, 3)
            undisturbed = relations(connection)
        committed = next_offset_at_a_kill(server, urls[1])
        server.start()
        with connect(urls[1]) as connection:
            (found,) = connection.execute("select max(next_offset) from projection.position").fetchone() or (None,)
            assert found is None or found < committed, "the server lost nothing, so this test shows nothing"
            import_all(connection, 3)
            assert relations(connection) == undisturbed


@pytest.mark.slow
def test_an_import_that_has_ended_survives_a_kill_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_server(FORGETFUL_SETTINGS) as server:
        migrate(server.connect_url())
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", server.connect_url())
        with check_files(RECORDING_A, None) as jobs, suppress(CoordstreamError), open_database() as database:
            import_checked(database, jobs)
            os.kill(database.connection.info.backend_pid, signal.SIGKILL)  # its own end would write the WAL to disk
            kill_server(server)
        server.start()
        with connect(server.connect_url()) as connection:
            found = connection.execute("select state, end_offset = next_offset from projection.position").fetchall()
            assert found == [("stopped", True)] * 2


def relations(connection: Connection) -> dict[str, RowsByJob]:
    """What readers see: ids differ from those of an undisturbed import, since a killed server leaves numbers out."""
    return {name: rows_by_job(connection, name) for name in (*CURRENT, *HISTORIES)}


def next_offset_at_a_kill(server: EmbeddedPostgres, url: str) -> int:
    """Import until some batches are committed, then kill the server: the position that readers have seen by then."""
    log = generate_job(3, LONG).logs[0]
    taken = 0

    def kill_in_the_midst(step: str) -> None:
        nonlocal taken
        taken += step == "committed"
        if step == "committed" and taken == 10:
            kill_server(server)

    make_projector = partial(Projector, on_step=kill_in_the_midst)
    with pytest.raises(psycopg.OperationalError), connect(url) as connection:
        import_events(connection, log.stream_name, log.events, BATCH_EVENTS, make_projector=make_projector)
    return log.events[10 * BATCH_EVENTS - 1].offset + 1
