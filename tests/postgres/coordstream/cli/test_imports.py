import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from eventlog.postgres.connection import connect
from eventlog.recording import write_recording
from projections.stream_lock import stream_lock
from tests.fixtures.coordstream.command_line import (
    CHECKPOINT,
    COORDINATOR,
    RECORDING_A,
    CommandLine,
    config_event,
    recording,
    started,
)
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow


def test_control_characters_in_names_do_not_reach_the_terminal(cli: CommandLine, tmp_path: Path) -> None:
    stream, job = "__samza_coordinator_a\x1b[2J_1", "b\x1b[2J"
    printed = [
        cli("import", recording(tmp_path / "r.jsonl", [config_event(0, "job.name", job)], stream)),
        cli("config", "show", job),
        cli("config", "show", "nope"),
        cli("config", "show", job, "--as-of", "1969-01-01"),
        cli("job", "show", job),
        cli("lag", "--stored", job),
        cli("export", stream, "-o", tmp_path / "x.jsonl"),
    ]
    assert "\x1b" not in "".join(each.out + each.err for each in printed)
    assert r"a\x1b[2J_1: 1 new events" in printed[0].out
    assert r"Config of b\x1b[2J/1" in printed[1].out


def test_an_import_goes_on_and_a_second_one_adds_nothing(cli: CommandLine) -> None:
    words: list[str | Path] = ["import", *RECORDING_A]
    with connect(cli.database_url) as connection, stream_lock(connection, COORDINATOR):
        ended = cli(*words, "--json")
    assert (ended.code, [row["added"] for row in ended.json]) == (1, [388])
    assert ended.err.startswith(f"{COORDINATOR} is being read by ")
    assert cli.done(*words).splitlines() == [
        f"{COORDINATOR}: 427 new events, 0 already present (coordinator, incarnation 1)",
        f"{CHECKPOINT}: 0 new events, 388 already present (checkpoint, incarnation 1)",
    ]
    again = [(row["stream_name"], row["added"], row["skipped"]) for row in cli.rows(*words)]
    assert again == [(COORDINATOR, 0, 427), (CHECKPOINT, 0, 388)]
    assert cli.ask("select count(*) from eventlog.event") == [(427 + 388,)]


@pytest.fixture
def many_topics(tmp_path: Path) -> Path:
    """20 topics of 10 events each, interleaved."""
    path = tmp_path / "many.jsonl"
    records = (
        (f"__samza_coordinator_counts-{topic}_1", config_event(offset, "a", str(offset)))
        for offset in range(10)
        for topic in range(20)
    )
    assert write_recording(path, records) == 200
    return path


def test_a_terminal_has_a_bar(cli: CommandLine, many_topics: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    finished = cli("import", many_topics)
    assert finished.code == 0
    assert "200/200" in finished.err


@contextmanager
def held_up_import(cli: CommandLine) -> Iterator[tuple[subprocess.Popen[str], Callable[[], int]]]:
    """An import of recording A whose batch waits, and how many do. What it holds up goes on afterwards."""
    with psycopg.connect(cli.database_url) as blocker, psycopg.connect(cli.database_url, autocommit=True) as watcher:

        def waiting() -> int:
            query = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
            return len(watcher.execute(query).fetchall())

        blocker.execute("lock table eventlog.event in share mode")
        with started(cli, "import", *RECORDING_A) as child:
            yield child, waiting


def test_ctrl_c_rolls_back_the_current_transaction(cli: CommandLine) -> None:
    with held_up_import(cli) as (child, waiting):
        wait_until(lambda: waiting() == 1, what="the import to wait for the lock")
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does
        out, err = child.communicate(timeout=PATIENCE)
        wait_until(lambda: waiting() == 0, what="the server to leave it")
    assert (child.returncode, out) == (130, "")
    progress, _, last_line = err.rstrip("\n").rpartition("\n")
    assert last_line == "Interrupted. The current transaction was rolled back; earlier work is kept."
    assert "interrupted" not in progress
    assert cli.ask("select count(*) from eventlog.event") == [(0,)]
    assert [row["added"] for row in cli.rows("import", *RECORDING_A)] == [427, 388]


def test_a_kind_other_than_the_stored_one_is_refused(cli: CommandLine, tmp_path: Path) -> None:
    cli.done("log", "create", "foo", "--kind", "coordinator")
    file = recording(tmp_path / "r.jsonl", [config_event(0, "a", "1")], "foo")
    for words in ("import", file), ("log", "append", "foo", "--key", "k", "--tombstone"), ("follow", "foo", "--once"):
        assert "is a coordinator stream, not a checkpoint stream" in cli(*words, "--kind", "checkpoint").err, words
