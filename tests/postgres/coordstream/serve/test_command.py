"""`coordstream serve` as a process."""

import signal
import socket
import subprocess
import sys

import httpx
import pytest

from tests.fixtures.coordstream.command_line import CommandLine, without_settings

pytestmark = pytest.mark.slow


def test_it_serves_until_sigterm(wordcount: CommandLine) -> None:
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    command = [sys.executable, "-m", "coordstream", "serve", "--bind", "127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        base_url = line.partition(" Serving ")[2].partition("/ ")[0]
        with httpx.Client(base_url=base_url, timeout=60) as client:
            assert client.get("/readyz").status_code == 200
            process.send_signal(signal.SIGTERM)  # while a connection is open
            assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_it_fails_with_its_http_server(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_: 1 / 0)
    ended = cli("serve", "--bind", "127.0.0.1:0")
    assert (ended.code, "The HTTP server ended: ZeroDivisionError." in ended.err) == (1, True)


def test_a_port_that_is_taken_is_refused(cli: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        assert cli.refused("serve", "--bind", taken) == (
            f"Cannot listen on {taken}: another program uses this port. Choose another address with --bind."
        )
