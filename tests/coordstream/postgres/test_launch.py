import socket

import pytest

from coordstream.errors import EmbeddedPostgresError
from coordstream.postgres import EmbeddedPostgres
from coordstream.postgres.launch import LOG_BYTES, wait_for
from coordstream.postgres.postmaster import PID_FILE
from tests.fixtures.postgres_server import FAST_SETTINGS, running_server

pytestmark = pytest.mark.slow


def test_a_timeout_is_reported() -> None:
    with pytest.raises(
        EmbeddedPostgresError, match=r"^Timeout after 0 s while waiting for the moon\. See the server's log\.$"
    ):
        wait_for(lambda: False, "the moon", seconds=0)


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


def test_a_pid_that_another_server_has_now_is_ignored(postgres_server: EmbeddedPostgres) -> None:
    """As after a reboot: the pid file is left, and its pid is another process of that user."""
    with running_server() as server:
        server.stop()
        other = postgres_server.status().pid
        (server.data_folder / PID_FILE).write_text(f"{other}\n{server.data_folder}\n1\n5432\n\n\n1 1\nready\n")
        server.start()
        assert server.status().pid != other
        assert postgres_server.status().pid == other


def test_a_truncated_pid_file_is_ignored() -> None:
    with running_server() as server:
        server.stop()
        (server.data_folder / PID_FILE).touch()
        server.start()
        assert server.status().state == "running"


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


def test_the_log_is_rotated() -> None:
    with running_server() as server:
        server.stop()
        server.log_file.write_bytes(b"x" * (LOG_BYTES + 1))
        server.start()
        assert server.log_file.stat().st_size < LOG_BYTES
        assert server.log_file.with_suffix(".log.1").stat().st_size == LOG_BYTES + 1
