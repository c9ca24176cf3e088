"""`coordstream follow` on logs in Postgres."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from coordstream.cli.follow import _stopped_by_signals
from eventlog.postgres import PostgresEventLog
from eventlog.streams import identify
from tests.builders import config_set
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, MASK_KEY, CommandLine, without_settings
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

STATE = "select state, next_offset from coordinator.log_position"


def append(cli: CommandLine, stream_name: str, *values: str, kind: str | None = None) -> None:
    with PostgresEventLog.create(cli.database_url, identify(stream_name, kind)) as log:
        log.append([config_set("a", value) for value in values])


@contextmanager
def follow_process(cli: CommandLine, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, killed at the end if it lives."""
    environment = {
        **without_settings(),
        "COORDSTREAM_DATABASE_URL": cli.database_url,
        "COORDSTREAM_MASK_KEY": MASK_KEY,
    }
    command = [sys.executable, "-m", "coordstream.cli", "follow", *words]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_once_takes_what_is_there(cli: CommandLine) -> None:
    append(cli, COORDINATOR, "1", "2")
    assert cli.done("follow", COORDINATOR, "--once") == "2 events taken\n"
    assert cli.ask("select config_value from coordinator.config") == [("2",)]
    assert cli.done("follow", "--all", "--once") == "0 events taken\n"
    assert cli.ask(STATE) == [("stopped", 2)]


def test_until_ends_after_an_offset(cli: CommandLine) -> None:
    append(cli, COORDINATOR, "1", "2", "3")
    assert cli.done("follow", COORDINATOR, "--until", "1") == "2 events taken\n"
    assert cli.ask(STATE) == [("stopped", 2)]


def test_a_log_of_any_name_is_followed_by_the_kind_it_was_made_with(cli: CommandLine) -> None:
    append(cli, "orders", "1", kind="coordinator")
    assert cli.done("follow", "orders", "--once") == "1 events taken\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name the streams to follow, or give --all instead"),
        ((COORDINATOR, "--all"), "name the streams to follow, or give --all instead"),
        (("--all", "--until", "3"), "--until goes with the name of one stream, and without --once"),
        ((COORDINATOR, CHECKPOINT, "--until", "3"), "--until goes with the name of one stream"),
        ((COORDINATOR, "--once", "--until", "3"), "--until goes with the name of one stream"),
    ],
)
def test_wrong_use(cli: CommandLine, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in cli.refused("follow", *words, code=2)


def test_a_stream_that_cannot_be_followed_is_told_and_the_others_are(cli: CommandLine) -> None:
    append(cli, CHECKPOINT, "1")
    sentence = cli.refused("follow", COORDINATOR, CHECKPOINT, "--once")
    assert sentence == f"the database has no stream {COORDINATOR}: create it, or look at its name again"
    assert cli.ask(STATE) == [("stopped", 1)]


def test_a_recording_is_followed_on_its_brokers_only(wordcount: CommandLine) -> None:
    assert "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS" in wordcount.refused("follow", COORDINATOR, "--once")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(cli: CommandLine, number: signal.Signals) -> None:
    append(cli, COORDINATOR, "1")
    with follow_process(cli, COORDINATOR) as process:
        wait_until(lambda: cli.ask(STATE) == [("live", 1)], what="live")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "")
    assert cli.ask(STATE) == [("stopped", 1)]


def test_a_second_signal_is_not_waited_for() -> None:
    stops: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with _stopped_by_signals(lambda: stops.append("stop")) as received:
        assert signal.getsignal(signal.SIGTERM) is not before
        os.kill(os.getpid(), signal.SIGTERM)
        wait_until(lambda: stops, what="the handler")
        assert signal.getsignal(signal.SIGTERM) is before
    assert (stops, received) == (["stop"], [signal.SIGTERM])
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(
    ("variable", "value"), [("COORDSTREAM_MASK_KEY", "another key"), ("COORDSTREAM_SECRET_PATTERNS", "password,pin")]
)
def test_another_key_or_pattern_is_refused_with_what_to_do(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    stream = "__samza_coordinator_counts_1"
    cli.done("log", "create", stream)
    cli("follow", stream, "--once")
    cli.done("log", "append", stream, "--key", '[1,"set-config","a"]', "--value", '{"values":{"value":"1"}}')
    monkeypatch.setenv(variable, value)
    refused = cli("follow", stream, "--once")
    assert refused.code == 1
    told = " ".join(refused.err.split())
    assert (
        "give back COORDSTREAM_MASK_KEY (or the key file in COORDSTREAM_HOME) and COORDSTREAM_SECRET_PATTERNS" in told
    )
    assert value not in told
    assert cli.ask("select count(*) from coordinator.config") == [(0,)]
