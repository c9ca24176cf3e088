"""`coordstream follow` on logs in Postgres."""

import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from coordstream import database as database_module
from coordstream.cli import follow as follow_command
from coordstream.cli.follow import wait_for_database
from coordstream.cli.long_running import stop_on_signal_or_timeout
from coordstream.database import SchemaState, schema_state
from eventlog.kafka import client
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from projections.planner_statistics import MANY_ROWS
from projections.stream_lock import StreamLocks
from tests.builders import config_set
from tests.fixtures.coordstream.command_line import COORDINATOR, CommandLine, config_event, recording, started
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

STATE = "select state, next_offset from coordinator.log_position"


def append(cli: CommandLine, stream_name: str, *values: str, kind: str | None = None) -> None:
    with PostgresEventLog.create(cli.database_url, identify(stream_name, kind)) as log:
        log.append([config_set("a", value) for value in values])


def test_many_rows_leave_statistics_for_the_planner(cli: CommandLine, tmp_path: Path) -> None:
    append(cli, COORDINATOR, *map(str, range(MANY_ROWS)))
    assert cli("follow", COORDINATOR, "--once").code == 0
    logs = "select reltuples::int from pg_class where oid = 'projection.job_log'::regclass"
    assert cli.ask(logs) == [(1,)]
    cli.done("import", recording(tmp_path / "r.jsonl", (config_event(n, "a", str(n)) for n in range(MANY_ROWS))))
    assert cli.ask(logs) == [(2,)]


SLOW_WRITES = """
create function public.wait() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end';
create trigger wait after update on projection.position execute function public.wait();
create trigger wait after update on eventlog.log_head execute function public.wait();
do $$ declare setting text; begin
  for setting in select name from pg_settings where name ~ 'statement_timeout|transaction.*_timeout|idle_session' loop
    execute format('alter database %I set %I = %L', current_database(), setting, '300ms');
  end loop;
end $$
"""


def test_timeouts_of_the_database_end_nothing_that_writes(cli: CommandLine, tmp_path: Path) -> None:
    append(cli, COORDINATOR, "1")
    with connect(cli.database_url) as connection:
        connection.execute(SLOW_WRITES)
    assert cli.follow(COORDINATOR, "--once") == (0, "1 event read\n", "")
    cli.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "a", "1")]))
    cli.done("rebuild", "--all")
    with PostgresEventLog(cli.database_url, COORDINATOR) as log:
        assert log.append([config_set("a", "2")]) == range(1, 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(cli: CommandLine, number: signal.Signals) -> None:
    append(cli, COORDINATOR, "1")
    with started(cli, "follow", COORDINATOR) as process:
        wait_until(lambda: cli.ask(STATE) == [("live", 1)], what="live")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err.count("\n")) == (0, "", 1)
    assert cli.ask(STATE) == [("stopped", 1)]


@pytest.fixture
def held(cli: CommandLine) -> Iterator[None]:
    """A stream whose lock another session holds, so that a follower waits."""
    append(cli, COORDINATOR, "1")
    with connect(cli.database_url) as connection:
        assert StreamLocks(connection).take(COORDINATOR)
        yield


@pytest.mark.usefixtures("held")
def test_a_timeout_ends_it(cli: CommandLine) -> None:
    finished = cli("follow", COORDINATOR, "--once", "--timeout", "1s")
    assert (finished.code, finished.out) == (3, "0 events read\n")
    assert finished.err.splitlines()[-1].endswith("Z Timed out: 1 of 1 streams were not read to the end.")
    unfinished = cli("follow", COORDINATOR, "--once", "--timeout", "1", "--json").json
    assert [(row["outcome"], row["next_offset"]) for row in unfinished] == [("unfinished", None)]


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_before_the_end_has_its_own_exit_code(cli: CommandLine, number: signal.Signals) -> None:
    with started(cli, "follow", COORDINATOR, "--once") as process:
        assert process.stderr is not None
        assert "Following" in process.stderr.readline()
        assert "This follower waits" in process.stderr.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert err.endswith(f"Z Interrupted by {number.name}: 1 of 1 streams were not read to the end.\n")


@pytest.mark.parametrize("words", [("--timeout", "2s"), ()], ids=["until its timeout", "until its outage timeout"])
def test_brokers_that_cannot_be_reached(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(follow_command, "OUTAGE_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setitem(client.TIMES, "bootstrap_timeout_ms", 500)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", place)
    finished = cli("follow", "--all", "--once", *words)
    assert finished.code == 4
    first, *waits, last = finished.err.splitlines()
    assert f"Following all streams of Kafka at {place} into" in first
    assert {wait.rpartition("; ")[2] for wait in waits} == {"retrying"}  # one for each reason
    assert f"nothing was read (Kafka at {place} does not answer" in last


def test_a_follower_waits_for_its_database_at_the_start(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    append(cli, COORDINATOR, "1")
    tries: list[str] = []

    def connect_later(url: str, **_: str) -> Any:
        tries.append(url)
        if len(tries) < 3:
            raise psycopg.OperationalError("connection refused")
        return connect(url)

    monkeypatch.setattr("coordstream.database.connect", connect_later)
    finished = cli("follow", COORDINATOR, "--once", "--timeout", "30s")
    assert (finished.code, finished.out) == (0, "1 event read\n")
    waits, begins = finished.err.splitlines()
    assert "(connection refused). Start it, or correct COORDSTREAM_DATABASE_URL. Retrying." in waits
    assert "Following 1 stream" in begins


@pytest.mark.parametrize("words", [("--once", "--timeout", "1s"), ("--once",)])
def test_a_database_that_never_answers(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(follow_command, "OUTAGE_TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", re.sub(r":[0-9]+/", f":{port}/", cli.database_url))
    finished = cli("follow", COORDINATOR, *words)
    assert finished.code == 4
    assert finished.err.splitlines()[-1].endswith("nothing was read (the database cannot be reached).")


@pytest.mark.parametrize("words", [(), ("--once",)])
def test_a_wrong_password_of_the_database_is_not_retried(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", re.sub("//.*?:", "//unknown-user:", cli.database_url))
    finished = cli("follow", COORDINATOR, *words)
    assert finished.code == 1
    assert re.search("authentication failed|does not exist", finished.err)


def test_a_session_that_is_ended_during_the_start_is_opened_again(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []

    def end_first_session(connection: Connection) -> SchemaState:
        pids.append(connection.info.backend_pid)
        if len(pids) == 1:
            cli.ask(f"select pg_terminate_backend({pids[0]}, 10000)")
        return schema_state(connection)

    monkeypatch.setattr(database_module, "schema_state", end_first_session)
    reported: list[str] = []
    with stop_on_signal_or_timeout(None) as stop:
        assert wait_for_database(stop, None, reported.append) is not None
    assert [sentence.partition(" (")[0] for sentence in reported] == [
        "Lost the connection to the database of COORDSTREAM_DATABASE_URL"
    ]
