import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.programs import ServerAccount, is_postmaster_of, reachable_bin_folder
from tests.checkout import CHECKOUT
from tests.fixtures.postgres_server import FAST_SETTINGS, chosen_bin_folder, pid_of, running_server, temporary_home
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

START: Final = """
import os, sys
from pathlib import Path
from coordstream.postgres import EmbeddedPostgres

home, bin_folder, user = sys.argv[1:]
if user:
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
print(EmbeddedPostgres(Path(home), Path(bin_folder), {"fsync": "off"}).start())
"""


@pytest.fixture
def server() -> Iterator[EmbeddedPostgres]:
    """A server of the test's own, to stop and kill; committed rows must survive that."""
    with running_server({**FAST_SETTINGS, "synchronous_commit": "on"}) as started:
        yield started


def test_a_server_listens_on_loopback_only_and_requires_the_password(postgres_server: EmbeddedPostgres) -> None:
    with psycopg.connect(postgres_server.connect_url()) as connection:
        shown = [connection.execute(f"SHOW {name}").fetchone() for name in ("listen_addresses", "TimeZone")]
        sockets = connection.execute("SHOW unix_socket_directories").fetchone()
        methods = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
    assert shown == [("127.0.0.1",), ("UTC",)]
    assert sockets == ("",)
    assert methods == [("scram-sha-256",)]


@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_wrong_password_is_rejected(postgres_server: EmbeddedPostgres, password: str) -> None:
    url = make_conninfo(postgres_server.connect_url(), password=password, passfile="/dev/null")
    with pytest.raises(psycopg.OperationalError, match=r"no password supplied|password authentication failed"):
        psycopg.connect(url)


def test_files_with_secrets_are_private(postgres_server: EmbeddedPostgres) -> None:
    password_file = postgres_server.data_folder.parent / "password"
    assert password_file.stat().st_mode & 0o777 == 0o600
    assert postgres_server.data_folder.stat().st_mode & 0o777 == 0o700
    assert password_file.read_text().strip() in postgres_server.connect_url()


def test_the_server_never_runs_as_root(postgres_server: EmbeddedPostgres) -> None:
    owner = postgres_server.data_folder.stat().st_uid
    assert owner == (ServerAccount.of_this_process().uid or os.geteuid())
    assert owner != 0


def test_the_log_contains_no_values(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.connect_url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE t (a text PRIMARY KEY CHECK (a <> 'hunter2-check'))")
        connection.execute("INSERT INTO t VALUES ('hunter2')")
        for statement in ("INSERT INTO t VALUES ('hunter2')", "SELECT 'hunter2'::integer", "hunter2"):
            with pytest.raises(psycopg.Error, match="hunter2"):
                connection.execute(statement)
        with pytest.raises(psycopg.Error, match="hunter2"):
            connection.execute("INSERT INTO t VALUES (%s)", ["hunter2"])
    server.stop()
    log = server.log_file.read_text()
    assert "ready to accept connections" in log
    assert "hunter2" not in log


def test_starting_a_running_server_returns_it(server: EmbeddedPostgres) -> None:
    before = pid_of(server)
    again = EmbeddedPostgres(server.data_folder.parents[1], server.bin_folder)
    assert again.start() == server.connect_url()
    assert pid_of(again) == before


def test_a_stopped_server_has_no_address(server: EmbeddedPostgres) -> None:
    assert server.stop()
    assert server.running is None
    with pytest.raises(EmbeddedPostgresError, match=r"is not running\. Start it with `coordstream up`\.$"):
        server.connect_url()


def test_stop_affects_only_its_own_server(server: EmbeddedPostgres, postgres_server: EmbeddedPostgres) -> None:
    other = pid_of(postgres_server)
    assert server.stop()
    assert not server.stop()
    (server.data_folder / "postmaster.pid").write_text(f"{other}\n{server.data_folder}\n1\n5432\n\n\n1 1\nready\n")
    assert not server.stop()
    assert pid_of(postgres_server) == other
    with psycopg.connect(postgres_server.connect_url()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_stopping_a_server_that_was_never_started_creates_no_files(tmp_path: Path) -> None:
    assert not EmbeddedPostgres(tmp_path / "home").stop()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_keeps_committed_data(server: EmbeddedPostgres) -> None:
    before = server.running
    assert before is not None
    with psycopg.connect(server.connect_url()) as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS a")
        connection.commit()
        os.kill(before.pid, signal.SIGKILL)
        wait_until(lambda: server.running is None, what="the killed server to be gone")
        url = server.start()
    after = server.running
    assert after is not None
    assert (after.pid != before.pid, after.port) == (True, before.port)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT a FROM t").fetchone() == (7,)


def test_concurrent_starts_result_in_one_server() -> None:
    with temporary_home() as home:
        starters = [_starter(home) for _ in range(4)]
        answers = {starter.communicate(timeout=PATIENCE)[0] for starter in starters}
        server = EmbeddedPostgres(home, chosen_bin_folder())
        in_reach = ServerAccount.of_this_process().can_run(
            server.bin_folder / "initdb"
        )  # the checkout may be inaccessible
        copied = [] if in_reach else ["programs"]
        try:
            assert answers == {f"{server.connect_url()}\n"}
            made = {path.name for path in (home / "postgres").iterdir()}
            assert made == {str(server.major_version), f"{server.major_version}.port", "lock", "password", *copied}
        finally:
            server.stop()


def test_a_killed_start_leaves_no_partial_data_folder() -> None:
    with temporary_home() as home:
        starter = _starter(home)
        wait_until(lambda: list(home.glob("postgres/*.new-*/data/PG_VERSION")), what="initdb at work")
        starter.kill()
        starter.communicate()
        server = EmbeddedPostgres(home, chosen_bin_folder(), FAST_SETTINGS)
        assert not server.data_folder.exists()
        try:
            with psycopg.connect(server.start()) as connection:
                assert connection.execute("SELECT current_database()").fetchone() == ("coordstream",)
        finally:
            server.stop()


def test_a_server_of_an_ordinary_user_outlives_the_command() -> None:
    account = ServerAccount.of_this_process()
    with temporary_home() as home:
        (home / "users").mkdir()
        account.give(home / "users")
        programs = reachable_bin_folder(EmbeddedPostgres(home, chosen_bin_folder()).bin_folder, account, home / "bin")
        starter = _starter(home / "users", programs, str(account.uid or ""))
        url = starter.communicate(timeout=PATIENCE)[0].strip()
        server = EmbeddedPostgres(home / "users", programs)
        try:
            assert is_postmaster_of(pid_of(server), server.data_folder)
            assert (home / "users/postgres/password").stat().st_uid == server.data_folder.stat().st_uid != 0
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
        finally:
            server.stop()


def test_an_inaccessible_home_is_reported() -> None:
    account = ServerAccount.of_this_process()
    refusal = pytest.raises(EmbeddedPostgresError, match=r"data folder as nobody: .*Permission denied")
    with temporary_home() as home:
        home.chmod(0o700)
        server = EmbeddedPostgres(home / "mine", chosen_bin_folder(), FAST_SETTINGS)
        with refusal if account.is_other else nullcontext():
            server.start()
        server.stop()


def test_an_unwritable_home_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedPostgresError, match=r"Cannot write to .*: Not a directory\. Set COORDSTREAM_HOME"):
        EmbeddedPostgres(tmp_path / "file").start()


def test_a_lost_password_is_reported(server: EmbeddedPostgres) -> None:
    (server.data_folder.parent / "password").unlink()
    with pytest.raises(
        EmbeddedPostgresError, match=r"Cannot read the password .* from '.*/postgres/password'\. Restore that file\.$"
    ):
        server.start()


@pytest.mark.parametrize("failing", ["initdb", "postgres"])
def test_a_failure_is_reported_and_leaves_no_files(
    tmp_path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, programs = tmp_path, tmp_path / "bin"
    programs.mkdir()
    failure = "echo no room. >&2; exit 1"
    bodies = {"initdb": 'mkdir "$2"', "postgres": "true", failing: failure}
    for name, body in bodies.items():
        (programs / name).write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "(PostgreSQL) 18" && exit\n{body}\n')
        (programs / name).chmod(0o755)
    monkeypatch.setattr(ServerAccount, "of_this_process", lambda: ServerAccount("this user"))
    (home / "postgres" / "18.new-left-by-a-crash").mkdir(parents=True)
    sentence = rf"/{failing}' cannot create the data folder as this user: no room\. Check that"
    with pytest.raises(EmbeddedPostgresError, match=sentence):
        EmbeddedPostgres(home, programs).start()
    assert {path.name for path in (home / "postgres").iterdir()} == {"lock", "password"}
    (home / "postgres" / "17").mkdir()
    with pytest.raises(EmbeddedPostgresError, match=r"/postgres/17' has data of Postgres 17, not 18\. Dump it"):
        EmbeddedPostgres(home, programs).start()


def _starter(home: Path, programs: Path | None = None, user: str = "") -> subprocess.Popen[str]:
    """Another process that starts the server; it imports everything before it drops root."""
    bin_folder = programs or EmbeddedPostgres(home, chosen_bin_folder()).bin_folder
    command = [sys.executable, "-c", START, str(home), str(bin_folder), user]
    return subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
