import os
import subprocess
from pathlib import Path

import pytest

from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.postmaster import (
    Postmaster,
    command_line,
    is_alive,
    is_postmaster_of,
    processes_in,
    recorded_postmaster,
    running_postmaster,
)
from tests.fixtures.waiting import wait_until

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


def test_a_missing_folder_has_no_server(tmp_path: Path) -> None:
    assert recorded_postmaster(tmp_path / "absent") is None


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
    assert running.pid in processes_in(data)
    assert processes_in(data.parent) == []


def test_a_program_with_the_folder_as_argument_is_not_its_server(tmp_path: Path) -> None:
    wrapper = ["sh", "-c", "read -r _", "sh", "-D", str(tmp_path), "-p", "1"]
    with subprocess.Popen(wrapper, stdin=subprocess.PIPE) as other:
        command = wait_until(lambda: command_line(other.pid), what="the program to start")
        assert f" -D {tmp_path} " in command
        assert not is_postmaster_of(other.pid, tmp_path)
        other.communicate()


def test_a_dead_process_has_no_command() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert command_line(gone.pid) == ""
    assert not is_alive(gone.pid)
    assert is_alive(os.getpid())
    assert is_alive(1)
