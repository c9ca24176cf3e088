"""A follower that runs during `pg_restore` writes nothing to the tables that are still empty."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from coordstream.database import SchemaState, schema_state
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import connect
from projections.errors import DatabaseReplaced
from projections.follow import session
from projections.follow.follow_run import FollowPlan
from tests.fixtures.memory_source import MemorySource
from tests.fixtures.projections.follow.running import ORDERS, config, following, run, say, wait_for_position
from tests.fixtures.waiting import wait_until

pytestmark = pytest.mark.slow

SECTIONS: Final = ("pre-data", "data", "post-data")
SCHEMAS: Final = "drop schema eventlog, projection, coordinator cascade"
Restore = Callable[..., None]


@pytest.fixture
def restore(postgres_server: EmbeddedPostgres, database_url: str, tmp_path: Path) -> tuple[Restore, Restore]:
    """Functions that dump the test's database, and restore a section of the dump."""
    dump = tmp_path / "dump"

    def call(program: str, *words: str) -> None:
        subprocess.run([postgres_server.bin_folder / program, "-d", database_url, *words], check=True)

    def restore_section(section: str) -> None:
        call("pg_restore", "--exit-on-error", f"--section={section}", str(dump))

    return lambda: call("pg_dump", "-Fc", "-f", str(dump)), restore_section


def create_again(url: str) -> None:
    """Drop the database, with its sessions, and create it again."""
    name = sql.Identifier(str(conninfo_to_dict(url)["dbname"]))
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as admin:
        admin.execute(sql.SQL("drop database {} with (force)").format(name))
        admin.execute(sql.SQL("create database {}").format(name))


def drop_schemas(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCHEMAS)


@pytest.mark.parametrize(
    ("empty", "present"), [(create_again, "pre-data"), (drop_schemas, "pre-data"), (drop_schemas, "data")]
)
def test_it_stops_until_it_is_started_again(
    database_url: str,
    cluster: MemorySource,
    restore: tuple[Restore, Restore],
    empty: Callable[[str], None],
    present: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "HEARTBEAT_SECONDS", 600.0)  # otherwise it may find tables missing before
    dump, restore_section = restore
    sections = iter(SECTIONS)
    plan = FollowPlan((ORDERS,))
    with following(database_url, cluster, plan) as running:
        say(cluster, a="1")
        with connect(database_url) as connection:
            wait_for_position(connection, ORDERS, 1)
        dump()
        empty(database_url)
        for section in sections:
            restore_section(section)
            if section == present:
                break
        say(cluster, a="2")
        wait_until(lambda: running.errors, what="the end of the follower")
        assert isinstance(running.errors.pop(), DatabaseReplaced)
    with connect(database_url) as connection:
        assert schema_state(connection) is SchemaState.RESTORING
        for section in sections:
            restore_section(section)
        assert schema_state(connection) is SchemaState.CURRENT
        assert config(connection) == [("orders", "a", "1")]
        run(database_url, cluster, FollowPlan((ORDERS,), once=True))
        assert config(connection) == [("orders", "a", "2")]
