"""Upgrades in special cases: concurrent ones, a held lock, a newer database, re-created relations, missing roles."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from coordstream.cli.db import grant_role
from coordstream.database import URL_SETTING, SchemaError, SchemaState, require_current, schema_state
from coordstream.migrate import UPGRADE_LOCK, require_postgres, upgrade
from coordstream.postgres import EmbeddedPostgres
from coordstream.serve.database import ReadPool
from coordstream.settings import Settings
from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.wire.coordinator import encode_key
from projections.errors import RebuildNeeded
from projections.rebuild import rebuild_log
from projections.tracked_logs import logs_of
from tests.builders import recorded
from tests.checkout import CHECKOUT
from tests.fixtures.database_users import PASSWORD, can_select, database_user, url_of_user
from tests.fixtures.postgres_server import running_server
from tests.fixtures.projections.rebuilt import folded_rows
from tests.fixtures.properties.generated_jobs import generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events, import_log
from tests.fixtures.waiting import wait_until
from tests.postgres.migrations.schema_dump import schema_of

pytestmark = pytest.mark.slow


def state_of(database_url: str) -> SchemaState:
    with connect(database_url) as connection:
        return schema_state(connection)


def make_relations_differ(connection: Connection) -> None:
    """As if another version of this program had made the relations."""
    connection.execute("comment on schema coordinator is 'The readers'' contract; relations 0000000000000000'")
    connection.execute("comment on view coordinator.config is 'of another version'")


def config_comment(connection: Connection) -> str:
    row = connection.execute("select obj_description('coordinator.config'::regclass)").fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("select", SchemaState.CURRENT),
        ("delete from eventlog.alembic_version", SchemaState.EMPTY),
        ("drop table eventlog.alembic_version", SchemaState.EMPTY),
        ("comment on schema coordinator is null", SchemaState.OLDER),
        ("drop view coordinator.job", SchemaState.OLDER),
        ("drop schema coordinator cascade", SchemaState.OLDER),
        ("drop table projection.log_time cascade", SchemaState.INCOMPLETE),
    ],
)
def test_a_schema_is_compared_with_that_of_the_program(connected: Connection, change: str, state: SchemaState) -> None:
    connected.execute(change.encode())
    assert schema_state(connected) is state


def test_two_upgrades_at_once_both_end_well_and_one_says_that_it_migrated(empty_database_url: str) -> None:
    """Two processes, since Alembic's context is one for a process; both are held back until both have come."""
    command = [sys.executable, "-m", "coordstream", "db", "migrate"]
    environment = os.environ | {URL_SETTING: empty_database_url}
    waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and database = %s"
    with ExitStack() as stack:
        holder = stack.enter_context(connect(empty_database_url))
        holder.execute("select pg_advisory_lock(%s)", (UPGRADE_LOCK,))
        database = holder.execute("select oid from pg_database where datname = current_database()").fetchone()
        start = partial(subprocess.Popen, command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True)
        both = [stack.enter_context(start()) for _ in range(2)]
        wait_until(lambda: holder.execute(waiting, database).fetchone() == (2,), what="both upgrades to wait")
        holder.execute("select pg_advisory_unlock(%s)", (UPGRADE_LOCK,))
        answers = sorted(process.communicate()[0].partition(": ")[2] for process in both)
        assert answers == ["already up to date.\n", "migrated.\n"]
    assert state_of(empty_database_url) is SchemaState.CURRENT


def test_an_upgrade_does_not_wait_for_ever_behind_a_readers_transaction(database_url: str) -> None:
    with connect(database_url) as owner, psycopg.connect(database_url) as reader:
        make_relations_differ(owner)
        reader.execute("select count(*) from coordinator.config").fetchone()
        with pytest.raises(
            SchemaError, match=r"Another session holds a lock on coordstream's tables\. End it, or wait"
        ):
            upgrade(database_url)
        assert state_of(database_url) is SchemaState.OLDER
        reader.rollback()
    upgrade(database_url)
    assert state_of(database_url) is SchemaState.CURRENT


def test_a_database_that_is_newer_than_the_program_is_left_alone(database_url: str, connected: Connection) -> None:
    connected.execute("update eventlog.alembic_version set version_num = '9999'")
    assert state_of(database_url) is SchemaState.NEWER
    with pytest.raises(SchemaError, match=r"newer than this program\. Install a newer version"):
        upgrade(database_url)
    assert connected.execute("select version_num from eventlog.alembic_version").fetchone() == ("9999",)


def test_a_users_view_on_a_relation_is_never_dropped(database_url: str, connected: Connection) -> None:
    job = generate_job(4)
    for log in job.logs:
        import_log(connected, log)
    connected.execute("create view public.mine as select config_key, log_offset from coordinator.config")
    before = connected.execute("select * from public.mine order by 1").fetchall()
    make_relations_differ(connected)
    with pytest.raises(SchemaError, match=r"depend on it \(view public\.mine\)\. Drop them, run"):
        upgrade(database_url)
    assert connected.execute("select * from public.mine order by 1").fetchall() == before
    assert len(before) > 0
    assert config_comment(connected) == "of another version"
    connected.execute("drop view public.mine")
    upgrade(database_url)
    after = connected.execute("select config_key, log_offset from coordinator.config order by 1").fetchall()
    assert after == before


USERS_OBJECTS: Final = """
create view coordinator.mine as select 1 as task_name;
create function coordinator.mine(job_name text) returns text language sql as 'select $1';
create table projection.mine (n integer);
"""
KEPT: Final = """
select relname, case relkind when 'v' then relacl::text end, col_description(oid, 1),
  array(select proacl::text from pg_proc where proname = 'mine')
from pg_class where relname = 'mine' order by 1
"""


@pytest.mark.parametrize("damage", ["select", "drop schema projection cascade"])
def test_what_a_user_created_beside_the_relations_stays_as_it_is(
    database_url: str, connected: Connection, damage: str
) -> None:
    import_log(connected, generate_job(4).logs[0])
    make_relations_differ(connected)
    connected.execute(damage.encode())
    connected.execute("create schema if not exists projection")
    connected.execute(USERS_OBJECTS)
    before = connected.execute(KEPT).fetchall()
    upgrade(database_url)
    upgrade(database_url)
    assert connected.execute(KEPT).fetchall() == before
    assert (len(before), connected.execute("select coordinator.mine('a')").fetchone()) == (2, ("a",))
    fingerprints = "select f.relation from projection.job_log j, coordinator.fingerprint(j.job_name, j.job_id) f"
    assert ("mine",) not in connected.execute(fingerprints).fetchall()


DAMAGES: Final = {
    "the schema": "drop schema projection cascade",
    "a table": "drop table projection.gap cascade",
    "a table that no view reads": "drop table projection.stream_holder cascade",
    "both schemas": "drop schema projection, coordinator cascade",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_dropped_projection_is_recreated_and_rebuilt(database_url: str, connected: Connection, damage: str) -> None:
    job = generate_job(1)
    for log in job.logs:
        import_log(connected, log)
    before, schema = folded_rows(connected), schema_of(database_url)
    connected.execute(damage.encode())
    assert state_of(database_url) is SchemaState.INCOMPLETE
    with pytest.raises(SchemaError, match=r"missing\. Run `coordstream db migrate`"):
        require_current(connected)
    assert upgrade(database_url)[1] == sorted(log.stream_name for log in job.logs)
    assert state_of(database_url) is SchemaState.CURRENT
    assert upgrade(database_url)[1] is None
    for log in job.logs:
        with pytest.raises(RebuildNeeded, match="but its events are in the archive"):
            import_log(connected, log)
    for log in job.logs:
        rebuild_log(connected, logs_of(connected, log.stream_name)[0], SETTINGS)
    assert folded_rows(connected) == before
    assert schema_of(database_url) == schema


@pytest.mark.parametrize(
    "dropped", ["view coordinator.config", "view projection.locked_stream", "function coordinator.wait_for"]
)
def test_what_was_dropped_is_recreated(database_url: str, connected: Connection, dropped: str) -> None:
    schema = schema_of(database_url)
    connected.execute(f"drop {dropped} cascade".encode())
    assert state_of(database_url) is SchemaState.OLDER
    assert upgrade(database_url)[1] is None
    assert schema_of(database_url) == schema


@pytest.mark.parametrize(
    ("damage", "table"),
    [("drop table eventlog.observation cascade", "observation"), ("drop schema eventlog cascade", "alembic_version")],
)
def test_a_dropped_archive_is_not_recreated(database_url: str, connected: Connection, damage: str, table: str) -> None:
    connected.execute(damage.encode())
    with pytest.raises(SchemaError, match=rf"The table eventlog\.{table} is missing\. Restore the schema"):
        upgrade(database_url)


def test_what_hangs_on_a_table_of_the_projection_is_left(database_url: str, connected: Connection) -> None:
    connected.execute("create view public.mine as select * from projection.position; drop table projection.gap cascade")
    with pytest.raises(SchemaError, match=r"depend on it \(view public\.mine\)"):
        upgrade(database_url)
    assert connected.execute("select count(*) from public.mine").fetchone() == (0,)


def test_the_environment_may_name_another_encoding(empty_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    upgrade(empty_database_url)
    with connect(empty_database_url) as connection:
        key = NewEvent(encode_key("set-config", "é😀"), '{"values":{"value":"é😀"}}'.encode())
        import_events(connection, "__samza_coordinator_orders_1", recorded([key]))
        rows = connection.execute("select config_key, config_value from coordinator.config").fetchall()
    assert rows == [("é😀", "é😀")]


def test_a_database_that_is_not_in_utf_8_is_refused(empty_database_url: str) -> None:
    with connect(empty_database_url) as owner:
        name = f"{owner.info.dbname}_in_ascii"
        owner.execute(f"create database {name} encoding 'SQL_ASCII' locale 'C' template template0".encode())
        try:
            with pytest.raises(SchemaError, match=r"has the encoding SQL_ASCII\. coordstream needs UTF8\."):
                upgrade(make_conninfo(empty_database_url, dbname=name))
        finally:
            owner.execute(f"drop database {name}".encode())


def test_an_old_server_is_refused() -> None:
    require_postgres(160_000)
    with pytest.raises(
        SchemaError, match=r"^This server is Postgres 15\.14\. coordstream needs Postgres 16 or later\."
    ):
        require_postgres(150_014)


@pytest.fixture
def fresh_server() -> Iterator[EmbeddedPostgres]:
    """A server where nothing was ever migrated."""
    with running_server() as server:
        yield server


def test_an_owner_without_the_right_to_create_roles_gets_the_commands_for_an_administrator(
    fresh_server: EmbeddedPostgres,
) -> None:
    with connect(fresh_server.connect_url("postgres")) as admin, database_user(fresh_server.connect_url()) as owner:
        name = psycopg.conninfo.conninfo_to_dict(owner)["user"]
        admin.execute(f"create database plain owner {name}".encode())
        url = url_of_user(fresh_server.connect_url("plain"), str(name))
        with pytest.raises(SchemaError) as told:
            upgrade(url)
        reader, replayer, writer = (f"coordstream_{role}" for role in ("reader", "replayer", "writer"))
        created = " ".join(f"create role {role} nologin admin {name};" for role in (reader, replayer, writer))
        assert str(told.value) == (
            f"The database refused the migration: the roles {reader}, {replayer}, {writer} are missing and this user"
            f' may not create roles: let an administrator run "{created}", then migrate again.'
        )
        admin.execute(created.encode())
        upgrade(url)
        with connect(url) as granting:
            assert granting.execute("select pg_has_role('coordstream_reader', 'set')").fetchone() == (True,)
            assert grant_role(granting, reader, "pg_monitor")
        with database_user(fresh_server.connect_url("plain"), reader) as ann:
            assert can_select(ann)
            with pytest.raises(SchemaError, match="Connect as the database's owner"):
                upgrade(ann)
        admin.execute("drop database plain")


def test_an_owner_that_is_no_superuser_may_create_roles_and_serve(fresh_server: EmbeddedPostgres) -> None:
    """As in managed Postgres: who creates a role may grant it, but neither has its rights nor may take it."""
    with connect(fresh_server.connect_url("postgres")) as admin:
        admin.execute(f"create role managing login createrole password '{PASSWORD}'".encode())
        admin.execute("create database managed owner managing")
    url = url_of_user(fresh_server.connect_url("managed"), "managing")
    upgrade(url)
    with closing(ReadPool(Settings(database_url=SecretStr(url)), url, 60)) as pool, pool.snapshot() as connection:
        assert connection.execute("select current_user").fetchone() == ("coordstream_reader",)
    with connect(url) as owner:
        assert grant_role(owner, "coordstream_reader", "managing")
        assert not grant_role(owner, "coordstream_reader", "managing")
        assert owner.execute("select pg_has_role('coordstream_reader', 'usage')").fetchone() == (True,)


def test_recreated_relations_keep_their_readers(database_url: str) -> None:
    with database_user(database_url, "coordstream_reader") as url:
        with connect(database_url) as owner:
            make_relations_differ(owner)
        upgrade(database_url)
        assert can_select(url)
        assert can_select(url, "coordinator.config_as_of('a', '1', now())")
    with database_user(database_url) as url:
        assert not can_select(url)
