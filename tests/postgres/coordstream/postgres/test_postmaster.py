import os
import shlex
import socket
import subprocess
from pathlib import Path

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.programs import (
    PID_FILE,
    Postmaster,
    is_postmaster_of,
    recorded_postmaster,
    running_postmaster,
    server_options,
)
from tests.fixtures.postgres_server import FAST_SETTINGS, pid_of, running_server

READY = "12\n/data\n1795000000\n5433\n\n127.0.0.1\n  1 2\nready   \n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (READY, Postmaster(12, 5433, is_ready=True)),
        (READY.replace("ready   ", "starting"), Postmaster(12, 5433, is_ready=False)),
        ("12\n/data\n1795000000\n5433\n\n", Postmaster(12, 5433, is_ready=False)),
        ("12\n/data\n", None),
        ("", None),
        ("twelve\n/data\n1\n5433\n", None),
    ],
)
def test_the_pid_file_can_be_read_while_it_is_written(
    tmp_path: Path, content: str, expected: Postmaster | None
) -> None:
    (tmp_path / "postmaster.pid").write_text(content)
    assert recorded_postmaster(tmp_path) == expected


def test_another_process_with_the_recorded_pid_is_not_the_server(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text(READY.replace("12", str(os.getpid()), 1))
    assert recorded_postmaster(tmp_path) is not None
    assert running_postmaster(tmp_path) is None


def test_a_server_belongs_to_its_own_data_folder(postgres_server: EmbeddedPostgres) -> None:
    data = postgres_server.data_folder
    running = running_postmaster(data)
    assert running is not None
    assert is_postmaster_of(running.pid, data)
    assert not is_postmaster_of(running.pid, data.parent)
    assert not is_postmaster_of(running.pid, Path(f"{data}0"))


def test_a_program_with_the_folder_as_argument_is_not_its_server(tmp_path: Path) -> None:
    wrapper = ["sh", "-c", "read -r _", "sh", "-D", str(tmp_path), "-p", "1"]
    with subprocess.Popen(wrapper, stdin=subprocess.PIPE) as other:
        assert not is_postmaster_of(other.pid, tmp_path)
        other.communicate()
    assert not is_postmaster_of(other.pid, tmp_path)


def test_options_survive_the_shell_of_pg_ctl() -> None:
    words = shlex.split(server_options(5433, {"application_name": 'it\'s $HOME; "x"'}))
    assert words[:2] == ["-p", "5433"]
    assert 'application_name=it\'s $HOME; "x"' in words
    assert "unix_socket_directories=" in words


@pytest.mark.slow
def test_the_port_is_kept_while_it_is_free() -> None:
    with running_server() as server:
        first = server.connect_url()
        server.stop()
        assert server.start() == first
        server.stop()
        kept = int(first.rpartition(":")[2].partition("/")[0])
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", kept))
            taken.listen()
            moved = server.start()
        assert moved != first
        server.stop()
        assert server.start() == moved


@pytest.mark.slow
def test_a_pid_that_another_server_has_now_is_ignored(postgres_server: EmbeddedPostgres) -> None:
    """As after a reboot: the pid file is left, and its pid is another process of that user."""
    with running_server() as server:
        server.stop()
        other = pid_of(postgres_server)
        (server.data_folder / PID_FILE).write_text(f"{other}\n{server.data_folder}\n1\n5432\n\n\n1 1\nready\n")
        server.start()
        assert pid_of(server) != other
        assert pid_of(postgres_server) == other


@pytest.mark.slow
def test_a_failed_start_reports_the_servers_reason() -> None:
    with running_server() as server:
        server.stop()
        spoilt = EmbeddedPostgres(
            server.data_folder.parents[1], server.bin_folder, {**FAST_SETTINGS, "shared_buffers": "many"}
        )
        with pytest.raises(EmbeddedPostgresError) as refused:
            spoilt.start()
        assert str(refused.value) == (
            f"Cannot start Postgres on '{server.data_folder}': "
            f'invalid value for parameter "shared_buffers": "many". Its log is \'{server.log_file}\'.'
        )
