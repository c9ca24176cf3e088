"""`coordstream config set|delete|write`."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from eventlog.wire.coordinator import decode_key, decode_message
from managers.streams.coordinator_streams import CoordinatorStreamConsumer, CoordinatorStreamWriter
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine, in_own_process

STREAM = "__samza_coordinator_orders_1"


def config(cli: CommandLine) -> dict[str, str]:
    """The config on the log."""
    with PostgresEventLog(cli.database_url, STREAM) as log, CoordinatorStreamConsumer(log) as consumer:
        return dict(consumer.get_config())


@pytest.mark.scenario("PRO-06")
def test_a_key_is_set_and_deleted(logged: CommandLine) -> None:
    logged.done("config", "set", "orders", "job.container.count", "8")
    logged.done("config", "set", "orders/1", "task.opts", "-Xmx512M")
    logged.done("config", "set", "orders", "empty", "")
    assert config(logged) == {"job.container.count": "8", "task.opts": "-Xmx512M", "empty": ""}
    logged.done("config", "delete", "orders", "task.opts")
    assert config(logged) == {"job.container.count": "8", "empty": ""}
    with PostgresEventLog(logged.database_url, STREAM) as log:
        messages = [decode_message(decode_key(event.key), event.value) for event in log.read()]
    assert {one.envelope.source for one in messages if one.envelope is not None} == {"coordinator-stream-writer"}
    assert messages[-1].is_delete


@pytest.mark.parametrize("value", ["-Dhome=/x", "-Xshare:off", "-h=1", "-hh", "-y"])
def test_a_value_with_a_dash_is_not_taken_for_options(logged: CommandLine, value: str) -> None:
    logged.done("config", "set", "orders", "task.opts", value)
    assert config(logged) == {"task.opts": value}


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Let a command read this from standard input, which is not a terminal."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("line", [b"hunter2", b"hunter2\n", b"hunter2\r\n"])
def test_a_secret_is_read_from_standard_input_and_not_echoed(
    logged: CommandLine, monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    given(monkeypatch, line)
    finished = logged("config", "set", "orders", "db.password", "-")
    assert (finished.code, "hunter2" in finished.out + finished.err) == (0, False)
    assert config(logged) == {"db.password": "hunter2"}


@pytest.mark.parametrize("encoding", ["utf-8", "iso8859-1"])
def test_standard_input_is_utf_8_in_every_locale(logged: CommandLine, encoding: str) -> None:
    command = [sys.executable, "-m", "coordstream", "config", "set", "orders", "a", "-", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for file, code in (("gü\r\nx\n".encode(), 0), (b"\xff", 2)):
        ended = subprocess.run(command, input=file, env=environment, cwd=CHECKOUT, capture_output=True, check=False)
        assert (ended.returncode, b"must be UTF-8" in ended.stderr) == (code, code == 2), ended
    assert config(logged) == {"a": "gü\r\nx"}


def test_a_concurrent_change_is_not_overwritten(logged: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def confirm(question: str, err: bool) -> bool:
        assert question == "Set a?"
        with PostgresEventLog(logged.database_url, STREAM) as log, CoordinatorStreamWriter(log) as other:
            other.send_set_config("a", "by another")
        return True

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", confirm)
    finished = logged("config", "set", "orders", "a", "1")
    assert (finished.code, config(logged)) == (1, {"a": "by another"})
    assert finished.err == f'Nothing was written: "a" in {STREAM} has changed in the meantime. Try again.\n'


@pytest.mark.slow
@pytest.mark.scenario("HRD-36")
@pytest.mark.parametrize("place", ["postgres", pytest.param("kafka", marks=pytest.mark.kafka)])
def test_another_process_sees_the_change(place: str, cli: CommandLine, request: pytest.FixtureRequest) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": cli.database_url}
    if place == "kafka":
        settings["COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"] = request.getfixturevalue("kafka_bootstrap_servers")
        stream = request.getfixturevalue("coordinator_topic")
    else:
        stream = STREAM
        cli.done("log", "create", stream)
    job_name = identify(stream).job_name
    written = in_own_process("config", "set", job_name, "a", "1", **settings)
    assert (written.code, written.err) == (0, "")
    again = in_own_process("config", "set", job_name, "a", "1", **settings)
    assert "Nothing to change: the key already has this value." in again.out


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "job.properties"
    path.write_text("job.name=orders\ntask.class=demo.Task\ndb.password=hunter2\n")
    return path


def write(cli: CommandLine, file: Path, *words: str) -> str:
    return cli.done("config", "write", "orders", "--from-file", file, *words)


def test_the_first_write_creates_the_stream(cli: CommandLine, file: Path) -> None:
    write(cli, file, "--dry-run")
    assert cli.is_empty()
    assert "hunter2" not in write(cli, file)
    assert config(cli) == {"job.name": "orders", "task.class": "demo.Task", "db.password": "hunter2"}


def test_of_a_file_that_is_not_confirmed_or_fails_nothing_is_written(
    cli: CommandLine, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    ended = cli("config", "write", "orders", "--from-file", file)
    assert (ended.code, ended.err) == (1, "Nothing was written: not confirmed.\n")
    assert cli.is_empty()
    monkeypatch.setattr("managers.stores.coordinator_store.CoordinatorStreamStore.delete_all", None)
    assert (cli("config", "write", "orders", "--from-file", file, "--yes").code, config(cli)) == (1, {})
