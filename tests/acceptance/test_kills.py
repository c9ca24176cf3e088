"""Imports that are killed (-9) at every step end, after a restart, in the tables of an undisturbed import."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import psycopg
import pytest

from coordstream.cli.imports import check_files, import_jobs
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from projections.projector import Projector
from tests.acceptance.import_until import BATCH_EVENTS, LONG
from tests.coordstream.command_line import RECORDING_A
from tests.fixtures.postgres import migrate
from tests.fixtures.postgres_server import running_server
from tests.fixtures.sure_postgres import SURE_SETTINGS, kill_server
from tests.fixtures.waiting import wait_until
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import (
    CURRENT,
    HISTORIES,
    RowsByJob,
    import_events,
    rows_by_job,
)

ROOT: Final = Path(__file__).parents[2]
STEPS: Final = ("archived", "folded", "merged", "committed")
KILLS_PER_STEP: Final = 9
FORGETFUL_SETTINGS: Final = {**SURE_SETTINGS, "wal_writer_delay": "10s"}
"""A killed server loses commits that did not wait for the disk."""

TABLES: Final = """
select format('%I.%I', n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""


@contextmanager
def stopped_import(database_url: str, number: int, step: str, occurrence: int) -> Iterator[int]:
    """A process that stands at a step; its backend's pid. It is killed at the end."""
    arguments = (database_url, str(number), step, str(occurrence))
    command = [sys.executable, "-m", "tests.acceptance.import_until", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()
            process.wait()


def transaction_is_open(observer: Connection, backend: int) -> bool:
    row = observer.execute(
        "select state = 'idle in transaction' and backend_xid is not null from pg_stat_activity where pid = %s",
        (backend,),
    ).fetchone()
    assert row is not None, f"backend {backend} is gone before it was killed"
    return bool(row[0])


def wait_until_gone(observer: Connection, backend: int) -> None:
    query = "select count(*) = 0 from pg_stat_activity where pid = %s"
    wait_until(lambda: (observer.execute(query, (backend,)).fetchone() or (False,))[0], what="the backend's end")


HOLDERS: Final = "projection.stream_holder"
_ROWS: Final = "select (to_jsonb(t) - array['heartbeat_at', 'read_at'])::text from {} t order by 1"


def all_rows(connection: Connection) -> dict[str, list[str]]:
    """Every row of every table of ours, as text, except when a log was read last and which session held its stream."""
    tables = [row[0] for row in connection.execute(TABLES).fetchall() if row[0] != HOLDERS]
    return {table: [row[0] for row in connection.execute(_ROWS.format(table).encode())] for table in tables}


def import_all(connection: Connection, number: int) -> None:
    for log in generate_job(number, LONG).logs:
        import_events(connection, log.stream_name, log.events, BATCH_EVENTS)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_killed_imports_end_in_the_same_tables(clone_database: Callable[[], str], step: str) -> None:
    number = STEPS.index(step)
    with connect(clone_database()) as connection:
        import_all(connection, number)
        undisturbed = all_rows(connection)
    url = clone_database()
    killed = 0
    with connect(url, application_name="observer") as observer:
        for kill in range(KILLS_PER_STEP):
            with stopped_import(url, number, step, 1 + kill % 3 * 2) as backend:
                assert transaction_is_open(observer, backend) == (step != "committed")
            wait_until_gone(observer, backend)
            killed += 1
        assert sum(map(len, all_rows(observer).values())) < sum(map(len, undisturbed.values()))
        import_all(observer, number)
        assert all_rows(observer) == undisturbed
    assert killed * len(STEPS) >= 30
    print(f"\n{killed} imports killed when {step}")


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
            import_jobs(database, jobs, processes=1)
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
