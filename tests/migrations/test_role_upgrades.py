"""Upgrades and the cluster's roles: missing, there already, made by two at once, taken back, kept with relations."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psycopg
import pytest

from coordstream.migrate import SchemaError, downgrade, upgrade
from coordstream.postgres import EmbeddedPostgres
from eventlog.postgres.connection import Connection, connect
from tests.fixtures.database_users import database_user, url_of_user
from tests.fixtures.postgres_server import running_server
from tests.fixtures.waiting import wait_until
from tests.migrations.test_upgrade import make_relations_differ
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import import_log

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).parents[2]
ROLES: Final = ("coordstream_reader", "coordstream_replayer", "coordstream_writer")


@pytest.fixture
def fresh_server() -> Iterator[EmbeddedPostgres]:
    """A server where nothing was ever migrated."""
    with running_server() as server:
        yield server


def roles_of(connection: Connection) -> list[str]:
    return [
        name
        for (name,) in connection.execute(
            "select rolname from pg_roles where rolname like 'coordstream\\__%' order by 1"
        )
    ]


def is_readable(url: str, relation: str = "coordinator.config") -> bool:
    with psycopg.connect(url) as connection:
        try:
            connection.execute(f"select from {relation}".encode())
        except psycopg.errors.InsufficientPrivilege:
            return False
    return True


def test_an_owner_without_the_right_to_create_roles_gets_the_commands_for_an_administrator(
    fresh_server: EmbeddedPostgres,
) -> None:
    with connect(fresh_server.connect_url("postgres")) as admin, database_user(fresh_server.connect_url()) as owner:
        name = psycopg.conninfo.conninfo_to_dict(owner)["user"]
        admin.execute(f"create database plain owner {name}".encode())
        url = url_of_user(fresh_server.connect_url("plain"), str(name))
        with pytest.raises(SchemaError) as told:
            upgrade(url)
        assert str(told.value) == (
            "The database refused the migration: the roles coordstream_reader, coordstream_replayer, coordstream_writer"
            ' are missing and this user may not create roles: let an administrator run "create role coordstream_reader'
            ' nologin; create role coordstream_replayer nologin; create role coordstream_writer nologin;", then migrate'
            " again."
        )
        admin.execute(str(told.value).split('"')[1].encode())
        upgrade(url)
        with database_user(fresh_server.connect_url("plain"), "coordstream_reader") as reader:
            assert is_readable(reader)
        downgrade(url, "base")
        admin.execute("drop database plain")


def test_two_upgrades_of_two_databases_make_the_roles_at_once(fresh_server: EmbeddedPostgres) -> None:
    program = "import sys; from coordstream.migrate import upgrade; upgrade(sys.argv[1])"
    waiting = "select count(*) from pg_locks where not granted and relation = 'pg_authid'::regclass"
    with connect(fresh_server.connect_url("postgres")) as admin, ExitStack() as stack:
        admin.execute("create database second")
        with admin.transaction():
            admin.execute("lock table pg_authid in exclusive mode")
            both = [
                stack.enter_context(
                    subprocess.Popen([sys.executable, "-c", program, fresh_server.connect_url(name)], cwd=ROOT)
                )
                for name in ("coordstream", "second")
            ]
            wait_until(lambda: admin.execute(waiting).fetchone() == (2,), what="both upgrades to wait")
        assert [process.wait() for process in both] == [0, 0]
        assert roles_of(admin) == list(ROLES)


def test_an_older_database_gets_the_roles_and_keeps_its_events(empty_database_url: str) -> None:
    upgrade(empty_database_url)
    with connect(empty_database_url) as owner:
        for log in generate_job(3).logs:
            import_log(owner, log)
        before = owner.execute("select * from coordinator.event order by stream_kind, log_offset").fetchall()
        downgrade(empty_database_url, "0002")
        upgrade(empty_database_url)
        with database_user(empty_database_url, "coordstream_reader") as url, connect(url) as reader:
            after = reader.execute("select * from coordinator.event order by stream_kind, log_offset").fetchall()
    assert after == before
    assert len(before) > 0


def test_going_back_takes_the_grants_of_this_database_alone(database_url: str, empty_database_url: str) -> None:
    upgrade(empty_database_url)
    with database_user(database_url, *ROLES) as here, connect(database_url) as owner:
        there = here.rpartition("/")[0] + "/" + empty_database_url.rpartition("/")[2]
        tables = ("projection.message_event", "eventlog.event")
        assert all(is_readable(url, table) for url in (here, there) for table in tables)
        downgrade(database_url, "0002")
        assert not any(is_readable(here, table) for table in tables)
        assert all(is_readable(there, table) for table in tables)
        rights = owner.execute("select count(*) from pg_default_acl").fetchone()
        assert rights == (0,)
        assert set(roles_of(owner)) >= set(ROLES)
        upgrade(database_url)
        assert all(is_readable(here, table) for table in tables)


def test_recreated_relations_keep_their_readers(database_url: str) -> None:
    with database_user(database_url, "coordstream_reader") as url:
        with connect(database_url) as owner:
            make_relations_differ(owner)
        upgrade(database_url)
        assert is_readable(url)
        assert is_readable(url, "coordinator.config_as_of('a', '1', now())")
    with database_user(database_url) as url:
        assert not is_readable(url)
