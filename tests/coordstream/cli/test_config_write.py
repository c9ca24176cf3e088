"""`coordstream config set|delete|write`."""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from eventlog.wire.coordinator import decode_key, decode_message
from managers.streams.coordinator_consumer import CoordinatorStreamConsumer
from managers.streams.coordinator_producer import CoordinatorStreamWriter
from tests.coordstream.command_line import CHECKOUT, CommandLine, in_own_process

STREAM = "__samza_coordinator_orders_1"
GROUPER = "job.systemstreampartition.grouper.factory"


@pytest.fixture
def orders(cli: CommandLine) -> CommandLine:
    """The command line on a database with an empty log."""
    cli.done("log", "create", STREAM)
    return cli


def config(cli: CommandLine) -> dict[str, str]:
    """The config on the log."""
    with PostgresEventLog(cli.database_url, STREAM) as log, CoordinatorStreamConsumer(log) as consumer:
        return dict(consumer.config)


@pytest.mark.scenario("PRO-06")
def test_a_key_is_set_and_deleted(orders: CommandLine) -> None:
    assert f"Set job.container.count in {STREAM}.\n" in orders.done(
        "config", "set", "orders", "job.container.count", "8"
    )
    orders.done("config", "set", "orders/1", "task.opts", "-Xmx512M")
    orders.done("config", "set", "orders", "empty", "")
    assert config(orders) == {"job.container.count": "8", "task.opts": "-Xmx512M", "empty": ""}
    assert f"Deleted task.opts in {STREAM}.\n" in orders.done("config", "delete", "orders", "task.opts")
    assert config(orders) == {"job.container.count": "8", "empty": ""}
    refused = orders.refused("config", "delete", "orders", "task.opts")
    assert refused == f'No config key "task.opts" in {STREAM}.'
    refused = orders.refused("config", "delete", "orders", "job.containers.count")
    assert refused.endswith(' Did you mean "job.container.count"?')
    with PostgresEventLog(orders.database_url, STREAM) as log:
        messages = [decode_message(decode_key(event.key), event.value) for event in log.read()]
    assert {one.envelope.source for one in messages if one.envelope is not None} == {"coordinator-stream-writer"}
    assert messages[-1].is_delete


def test_the_options_of_samza_s_writer_set_a_key(orders: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "my job.properties"
    file.write_text("job.name=orders\n")
    words = ("--key", "job.container.count", "--value", "8")
    orders.done("log", "write", f"--config-path={file.as_uri()}", "--type", "set-config", *words)
    assert config(orders) == {"job.container.count": "8"}
    finished = orders("log", "write", "--config-path", file, "--type", "set-changelog", *words)
    assert (finished.code, "Expected set-config." in finished.err) == (2, True)


@pytest.mark.parametrize("value", ["-Dhome=/x", "-Xshare:off", "-h=1", "-hh", "-y"])
def test_a_value_with_a_dash_is_not_taken_for_options(orders: CommandLine, value: str) -> None:
    orders.done("config", "set", "orders", "task.opts", value)
    assert config(orders) == {"task.opts": value}


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Let a command read this from standard input, which is not a terminal."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("line", [b"hunter2", b"hunter2\n", b"hunter2\r\n"])
def test_a_secret_is_read_from_standard_input_and_not_echoed(
    orders: CommandLine, monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    given(monkeypatch, line)
    finished = orders("config", "set", "orders", "db.password", "-")
    assert (finished.code, "hunter2" in finished.out + finished.err) == (0, False)
    assert config(orders) == {"db.password": "hunter2"}
    fingerprint = "hmac-sha256:" + "0" * 64
    refused = orders.refused("config", "set", "orders", "db.password", fingerprint)
    assert refused == "The value is the fingerprint of a secret. Use the secret itself."
    assert config(orders) == {"db.password": "hunter2"}


@pytest.mark.parametrize("encoding", ["utf-8", "iso8859-1"])
def test_standard_input_is_utf_8_in_every_locale(orders: CommandLine, encoding: str) -> None:
    command = [sys.executable, "-m", "coordstream", "config", "set", "orders", "a", "-", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for file, code in (("gü\r\nx\n".encode(), 0), (b"\xff", 2)):
        ended = subprocess.run(command, input=file, env=environment, cwd=CHECKOUT, capture_output=True, check=False)
        assert (ended.returncode, b"must be UTF-8" in ended.stderr) == (code, code == 2), ended
    assert config(orders) == {"a": "gü\r\nx"}


def test_a_dry_run_shows_the_change_and_writes_nothing(orders: CommandLine) -> None:
    orders.done("config", "set", "orders", "a", "10")
    for words, new in ((("set", "orders", "a", "20"), "20"), (("delete", "orders", "a"), None)):
        printed = orders.done("config", *words, "--dry-run")
        assert printed.splitlines()[0] == "Config of orders"
        assert ["a", "10", new or "–"] in [line.split() for line in printed.splitlines()]
        assert printed.endswith("Nothing was written (dry run).\n")
        (row,) = orders.rows("config", *words, "--dry-run")
        assert row == {
            "stream_name": STREAM,
            "config_key": "a",
            "old_value": "10",
            "new_value": new,
            "is_sensitive": False,
            "is_write_once": False,
            "is_written": False,
        }
    assert config(orders) == {"a": "10"}


def test_the_same_value_is_not_written_again(orders: CommandLine) -> None:
    orders.done("config", "set", "orders", "a", "10")
    assert "Nothing to change: the key already has this value." in orders.done("config", "set", "orders", "a", "10")
    assert orders.rows("config", "set", "orders", "a", "10")[0]["is_written"] is False
    assert end_offset(orders) == 1


def undone_by(printed: str) -> list[str]:
    """The words of the command that undoes a change, after the program's name."""
    (line,) = [line for line in printed.splitlines() if line.startswith("To undo: ")]
    name, *words = shlex.split(line.removeprefix("To undo: "))
    assert name == "coordstream"
    return words


@pytest.mark.parametrize("old", [None, "10", "", "two words; $HOME 'x'", "-Xmx512M", "--force", "--yes", "über"])
def test_a_change_prints_when_it_shows_and_how_to_undo_it(orders: CommandLine, old: str | None) -> None:
    if old is not None:
        orders.done("config", "set", "orders", "--", "a", old)
    before = config(orders)
    changes = [("set", "orders", "a", "-Dmy=1"), *([] if old is None else [("delete", "orders", "a")])]
    for words in changes:
        printed = orders.done("config", *words, "--yes")
        assert config(orders) == ({"a": "-Dmy=1"} if words[0] == "set" else {})
        assert "The job reads it at its next start." in printed
        assert "after `coordstream follow` has read the stream" in printed
        orders.done(*undone_by(printed))
        assert config(orders) == before


@pytest.mark.parametrize("old", ["two\nlines", "\x1b[31m", "x" * 1001, "-"])
def test_an_old_value_with_special_characters_is_not_printed(
    orders: CommandLine, monkeypatch: pytest.MonkeyPatch, old: str
) -> None:
    given(monkeypatch, f"{old}\n".encode())
    orders.done("config", "set", "orders", "a", "-")
    printed = orders.done("config", "set", "orders", "a", "1").splitlines()[-1]
    assert printed.isprintable()
    assert "`coordstream config history orders --key a --json` prints it" in printed
    assert printed.endswith("use a file with the old value: coordstream config set orders a - < FILE")


@pytest.mark.parametrize(("key", "old"), [("db.password", "hunter2"), ("jdbc.url", "postgresql://me:hunter2@host/db")])
def test_an_old_secret_is_never_printed(
    orders: CommandLine, monkeypatch: pytest.MonkeyPatch, key: str, old: str
) -> None:
    given(monkeypatch, old.encode())
    orders.done("config", "set", "orders", key, "-")
    for words in (("set", "orders", key, old.replace("2", "3")), ("delete", "orders", key)):
        assert "hunter" not in orders.done("config", *words, "--dry-run")
        (row,) = orders.rows("config", *words, "--dry-run")
        assert (row["old_value"].startswith("hmac-sha256:"), row["is_sensitive"]) == (True, True)
    printed = orders.done("config", "delete", "orders", key)
    assert "hunter" not in printed
    assert "The old value is a secret and is not shown." in printed
    assert f"coordstream config set orders {key} - < FILE" in printed


@pytest.mark.parametrize("answer", [True, False])
def test_confirmation_on_a_terminal(orders: CommandLine, monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
    questions = []

    def confirm(question: str, err: bool) -> bool:
        questions.append(question)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", confirm)
    finished = orders("config", "set", "orders", "a", "1")
    assert (questions, finished.code) == (["Set a?"], 0 if answer else 1)
    assert config(orders) == ({"a": "1"} if answer else {})
    assert answer or finished.err == "Nothing was written: not confirmed.\n"
    orders("config", "set", "orders", "a", "2", "--yes")
    assert (len(questions), config(orders)) == (1, {"a": "2"})


def test_a_concurrent_change_is_not_overwritten(orders: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def confirm(question: str, err: bool) -> bool:
        with PostgresEventLog(orders.database_url, STREAM) as log, CoordinatorStreamWriter(log) as other:
            other.send_set_config("a", "by another")
        return True

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", confirm)
    finished = orders("config", "set", "orders", "a", "1")
    assert (finished.code, config(orders)) == (1, {"a": "by another"})
    assert finished.err == f'Nothing was written: "a" in {STREAM} has changed in the meantime. Try again.\n'


def test_write_once_keys_need_force(orders: CommandLine) -> None:
    orders.done("config", "set", "orders", GROUPER, "Old")
    refused = orders.refused("config", "set", "orders", GROUPER, "New")
    assert refused.startswith(f"This changes {GROUPER} from 'Old' to 'New', which would")
    assert "from 'Old' to 'org.apache.samza" in orders.refused("config", "delete", "orders", GROUPER)
    assert config(orders) == {GROUPER: "Old"}
    assert orders.refused("config", "set", "orders", GROUPER, "New", "--dry-run") == refused
    printed = orders.done("config", "set", "orders", GROUPER, "New", "--force")
    assert undone_by(printed) == ["config", "set", "--force", "orders", GROUPER, "Old"]
    assert orders("follow", "--once", STREAM).code == 0
    assert [row["source"] for row in orders.rows("config", "history", "orders")] == [
        "coordinator-stream-writer",
        "coordinator-stream-writer (forced)",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("config", "set", "orders", "job.name", "other"),
        ("config", "delete", "orders", "job.name"),
        ("config", "set", "orders", "job.id", "2"),
    ],
)
def test_another_name_of_the_job_needs_force(orders: CommandLine, words: tuple[str, ...]) -> None:
    orders.done("config", "set", "orders", "job.name", "orders")
    orders.done("config", "set", "orders", "job.id", "1")
    named = config(orders)
    assert "is part of the names of the job's streams: " in orders.refused(*words)
    assert config(orders) == named
    printed = orders.done(*words, "--force")
    assert config(orders) != named
    if words[0] == "config":
        orders.done(*undone_by(printed))
        assert config(orders) == named


def test_a_job_that_cannot_be_written_to_is_refused(wordcount: CommandLine) -> None:
    assert "was imported from a recording" in wordcount.refused("config", "set", "wordcount-pv", "a", "1")
    assert 'No job "unknown". Known jobs: wordcount-pv.' in wordcount.refused("config", "set", "unknown", "a", "1")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("orders", "a"), "Missing argument 'VALUE'"),
        (("orders", "", "1"), "Invalid key ''. Expected a name."),
        (("orders", "a", "\udcff"), "must be UTF-8"),
        (("orders", "a", "1", "--forse"), "unexpected extra argument"),
    ],
)
def test_invalid_arguments_write_nothing(orders: CommandLine, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in orders.refused("config", "set", *words, code=2)
    assert config(orders) == {}


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


def end_offset(cli: CommandLine) -> int:
    with PostgresEventLog(cli.database_url, STREAM) as log:
        return log.end_offset()


def write(cli: CommandLine, file: Path, *words: str) -> str:
    return cli.done("config", "write", "orders", "--from-file", file, *words)


def test_the_first_write_creates_the_stream(cli: CommandLine, file: Path) -> None:
    assert "Nothing was written (dry run)." in write(cli, file, "--dry-run")
    assert cli.is_empty()
    printed = write(cli, file)
    assert "Set 3 keys, of which 3 changed, and deleted 0." in printed
    assert "hunter2" not in printed
    assert config(cli) == {"job.name": "orders", "task.class": "demo.Task", "db.password": "hunter2"}


def test_every_key_is_set_and_stale_keys_are_deleted(cli: CommandLine, file: Path) -> None:
    write(cli, file)
    before = end_offset(cli)
    file.write_text("job.name=orders\ntask.class=demo.Other\n")
    rows = cli.rows("config", "write", "orders", "--from-file", file)
    assert [(row["config_key"], row["new_value"], row["is_sensitive"]) for row in rows] == [
        ("db.password", None, True),
        ("task.class", "demo.Other", False),
    ]
    assert config(cli) == {"job.name": "orders", "task.class": "demo.Other"}
    assert end_offset(cli) == before + 3


def test_the_config_of_another_job_on_the_stream_is_replaced_only_by_force(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=big_orders\n")
    cli.done("config", "write", "big_orders", "--from-file", file)
    file.write_text("job.name=big-orders\ntask.class=demo.Other\n")
    other = ("big-orders", "--from-file", file)
    refused = cli.refused("config", "write", *other)
    assert refused == (
        "__samza_coordinator_big-orders_1 has the config of job big_orders/1. The streams of job big-orders/1 have the "
        "same names. Choose another job.name, or replace the config with --force."
    )
    assert cli.refused("config", "write", *other, "--dry-run") == refused
    assert "Set 2 keys" in cli.done("config", "write", *other, "--force")


def test_a_write_once_key_is_refused_with_both_values(cli: CommandLine, file: Path) -> None:
    file.write_text(f"job.name=orders\n{GROUPER}=demo.First\n")
    write(cli, file)
    end = end_offset(cli)
    file.write_text(f"job.name=orders\n{GROUPER}=kafka://u:hunter2@db/x\n")
    refused = cli.refused("config", "write", "orders", "--from-file", file)
    assert refused.startswith(f"This changes {GROUPER} from 'demo.First' to 'hmac-sha256:")
    assert "hunter2" not in refused
    assert end_offset(cli) == end
    write(cli, file, "--force")
    assert config(cli)[GROUPER] == "kafka://u:hunter2@db/x"


def test_a_config_that_only_samza_can_coordinate_is_written_and_a_dry_run_says_so(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=orders\njob.elasticity.factor=2\n")
    write(cli, file)
    ended = cli("config", "write", "orders", "--from-file", file, "--dry-run")
    assert ended.code == 0
    assert ended.err.startswith("warning: `coordstream coordinator run` refuses this config: job.elasticity.factor")


def test_a_value_that_no_topic_accepts_is_refused_before_anything_is_written(cli: CommandLine, file: Path) -> None:
    file.write_text("job.name=orders\ndb.password=" + "x" * 1_000_000 + "\n")
    refused = cli.refused("config", "write", "orders", "--from-file", file)
    assert refused.startswith(f"Invalid line 2 of {file}: db.password needs 1000")
    assert refused.endswith(" bytes on the stream. Expected at most 1000000.")
    assert cli.is_empty()


def test_a_file_that_is_not_confirmed_creates_no_stream(
    cli: CommandLine, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    ended = cli("config", "write", "orders", "--from-file", file)
    assert (ended.code, ended.err) == (1, "Nothing was written: not confirmed.\n")
    assert cli.is_empty()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job.name=orders\na=\\u12\n", "Invalid line 2 of "),
        ("job.name=payments\n", 'is the config of payments/1, not of "orders". Check job.name and job.id.'),
        ("task.class=demo.Task\n", "The config has no job.name"),
    ],
)
def test_a_file_that_cannot_be_used(cli: CommandLine, file: Path, text: str, message: str) -> None:
    file.write_text(text)
    assert message in cli.refused("config", "write", "orders", "--from-file", file)
    assert cli.is_empty()


def test_a_file_that_does_not_exist(cli: CommandLine, tmp_path: Path) -> None:
    refused = cli.refused("config", "write", "orders", "--from-file", tmp_path / "missing")
    assert refused == f"Cannot access '{tmp_path / 'missing'}': no such file or directory."
