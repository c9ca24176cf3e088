"""The command line in this process, on the test's own database."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
import pytest

from coordstream.cli import main
from eventlog.events import RecordedEvent
from eventlog.recording import write_recording

CHECKOUT: Final = Path(__file__).parents[2]
RECORDING_A: Final = tuple(
    CHECKOUT / "coordstream" / "data" / f"{kind}.jsonl.gz" for kind in ("coordinator", "checkpoint")
)
COORDINATOR: Final = "__samza_coordinator_wordcount-pv_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_wordcount-pv_1"
MASK_KEY: Final = "a key of the tests"


class Finished(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


class CommandLine:
    """Runs commands on the test's database."""

    def __init__(self, database_url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.database_url = database_url
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> Finished:
        """Run a command; it may fail."""
        self._capsys.readouterr()
        code = main([str(word) for word in words])
        return Finished(code, *self._capsys.readouterr())

    def done(self, *words: str | Path) -> str:
        """The output of a command that must succeed and print nothing on standard error."""
        finished = self(*words)
        assert (finished.code, finished.err) == (0, "")
        return finished.out

    def follow(self, *words: str) -> Finished:
        """Follow to an end. The first line and the times of the lines are left out."""
        finished = self("follow", *words)
        lines = [line.partition("Z ")[2] for line in finished.err.splitlines()]
        assert lines[0].startswith("Following ")
        messages = [line for line in lines[1:] if not line.startswith("Found ")]
        return Finished(finished.code, finished.out, "".join(f"{line}\n" for line in messages))

    def rows(self, *words: str | Path) -> list[dict[str, Any]]:
        """The rows that a command prints with --json; it must succeed."""
        rows = json.loads(self.done(*words, "--json"))
        assert isinstance(rows, list)
        return rows

    def refused(self, *words: str | Path, code: int = 1) -> str:
        """The message of a command that must fail and print nothing else."""
        finished = self(*words)
        assert (finished.code, finished.out) == (code, ""), finished
        assert finished.err.count("\n") == 1
        assert "Traceback" not in finished.err
        return finished.err.removesuffix("\n")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """What the database answers."""
        with self.connection() as connection:
            return connection.execute(query.encode()).fetchall()

    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection to the database, without the command line."""
        return psycopg.connect(self.database_url)

    def is_empty(self) -> bool:
        """Whether nothing was written."""
        tables = ("eventlog.log", "eventlog.event", "projection.job_log", "projection.position")
        return all(self.ask(f"select count(*) from {table}") == [(0,)] for table in tables)


def in_own_process(*words: str, stdin: str = "", **environment: str) -> Finished:
    """Run a command in its own process, with no other settings in its environment."""
    ended = subprocess.run(
        [sys.executable, "-m", "coordstream", *words],
        input=stdin,
        env={**without_settings(), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return Finished(ended.returncode, ended.stdout, ended.stderr)


def without_settings() -> dict[str, str]:
    """The environment without COORDSTREAM variables, with the checkout on the Python path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COORDSTREAM_")}
    return {**kept, "PYTHONPATH": str(CHECKOUT)}


@contextmanager
def follow_process(cli: CommandLine, *words: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """`follow` in its own process, with more settings, which is killed at the end."""
    environment = {
        **without_settings(),
        "COORDSTREAM_DATABASE_URL": cli.database_url,
        "COORDSTREAM_MASK_KEY": MASK_KEY,
        **more,
    }
    command = [sys.executable, "-m", "coordstream", "follow", *words]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def config_event(offset: int, key: str, value: str | None, *, time: int = 1_000) -> RecordedEvent:
    """A record that sets or deletes a config key, written by `deployer` at ``time`` in ms."""
    text = None
    if value is not None:
        envelope = {"host": "h", "source": "deployer", "username": "u", "timestamp": time}
        text = json.dumps({**envelope, "values": {"value": value}}).encode()
    return RecordedEvent(offset, time, 0, json.dumps([1, "set-config", key], separators=(",", ":")).encode(), text)


def recording(path: Path, events: Iterable[RecordedEvent], topic: str = "__samza_coordinator_counts_1") -> Path:
    """A recording of one topic."""
    write_recording(path, ((topic, event) for event in events))
    return path
